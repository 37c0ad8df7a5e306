/** A start that waits for a slot says so on its item, once for each session, and only when it takes long. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Inspector, Poller } from "../../src/index.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const notices = (w: MemoryWorld, number: number) =>
  Effect.map(w.hands.comments({ number }), (comments) =>
    comments.filter(({ body }) => body.includes("<!-- heed:slot-"))
  )
const cycle = Effect.flatMap(Poller, (poller) => poller.cycle)
const minute = TestClock.adjust("61 seconds")

/** One slot, which the first item has for ever; the others' agents are done at once, or work on. */
const crowdedWith = Effect.fnUntraced(function* (others: "done" | "at work") {
  const w = yield* memoryWorld({
    answer: ({ item }) => (item.ref.endsWith("#1") || others === "at work" ? undefined : { _tag: "Done" })
  })
  w.configure((plan) => ({ ...plan, limits: { ...plan.limits, sessions: 1 } }))
  yield* w.hands.open({})
  yield* w.living(Effect.andThen(cycle, w.arrived(1)))
  yield* w.hands.open({})
  return w
})
const crowded = crowdedWith("done")

describe("a start that waits for a slot", () => {
  it.effect("says so on its item after a minute, in sessions at once, and once over restarts", () =>
    Effect.gen(function* () {
      const w = yield* crowded
      yield* w.living(
        Effect.gen(function* () {
          yield* cycle
          yield* TestClock.adjust("59 seconds")
          yield* cycle
          const [, line] = yield* (yield* Inspector).sessions
          assert.strictEqual(line?.waitingFor, "waiting for a slot")
          assert.deepStrictEqual(yield* notices(w, 2), [])
          yield* minute
          yield* cycle
          assert.strictEqual((yield* notices(w, 2)).length, 1)
          assert.deepStrictEqual(yield* notices(w, 1), [])
        })
      )
      for (let n = 0; n < 2; n += 1) {
        yield* w.living(Effect.andThen(cycle, Effect.andThen(minute, Effect.andThen(minute, cycle))))
      }
      assert.strictEqual((yield* notices(w, 2)).length, 1)
      assert.strictEqual((yield* w.record(2))?.notices.length, 1)
      assert.isUndefined((yield* w.record(2))?.look)
    })
  )

  it.effect("says so again for the next session", () =>
    Effect.gen(function* () {
      const w = yield* crowded
      const wait = Effect.andThen(cycle, Effect.andThen(minute, cycle))
      yield* w.living(wait)
      yield* w.hands.comment({ number: 2 }, { body: "/heed stop" })
      yield* w.living(cycle)
      yield* w.hands.comment({ number: 2 }, { body: "/heed start" })
      yield* w.living(wait)
      assert.strictEqual((yield* w.record(2))?.sessions["default"]?.generation, 2)
      assert.strictEqual((yield* notices(w, 2)).length, 2)
    })
  )

  it.effect(
    "says nothing once it has its slot, though it had waited for long before anybody could be told",
    () =>
      Effect.gen(function* () {
        const w = yield* crowdedWith("at work")
        yield* w.living(
          Effect.gen(function* () {
            yield* cycle
            yield* minute
            assert.strictEqual((yield* w.record(2))?.notices.length, 1)
            const [first] = yield* w.received
            if (first !== undefined) yield* w.settle(first, { _tag: "Done" })
            yield* w.arrived(2)
            yield* cycle
            yield* cycle
          })
        )
        assert.deepStrictEqual(yield* notices(w, 2), [])
        assert.isUndefined((yield* w.record(2))?.look)
      })
  )

  it.effect("that found one in time says nothing, nor does a word that waits in a session", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({
        answer: ({ kind, item }) =>
          item.ref.endsWith("#1") && kind === "words" ? undefined : { _tag: "Done" }
      })
      w.configure((plan) => ({ ...plan, limits: { ...plan.limits, sessions: 1 } }))
      yield* w.hands.open({})
      yield* w.hands.open({})
      yield* w.once()
      yield* w.once()
      yield* w.hands.comment({ number: 1 }, { body: "a long piece of work" })
      yield* w.living(Effect.andThen(cycle, w.arrived(3)))
      yield* w.hands.comment({ number: 2 }, { body: "a word" })
      yield* w.living(Effect.andThen(cycle, Effect.andThen(minute, Effect.andThen(minute, cycle))))
      for (const number of [1, 2]) assert.deepStrictEqual(yield* notices(w, number), [])
      assert.strictEqual((yield* w.record(2))?.waiting.length, 1)
    })
  )
})
