/** A wall clock that jumps, by a person's hand, a time server's, or over a night with the lid closed. */
import { assert, describe, it } from "@effect/vitest"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { HandOver } from "../../src/domain/HandOver.ts"
import { Poller, type Result } from "../../src/index.ts"
import { type Move, withWallClock } from "../support/wallClock.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const jumps = [
  ["back an hour", "-1 hour"],
  ["back a year", "-365 days"],
  ["forward a day", "1 day"],
  ["forward a year", "365 days"]
] as const

type Life = <R>(cycle: Effect.Effect<unknown, never, R>) => Effect.Effect<void, never, R>

/** Whether the same heed goes on over the jump, or each cycle is another one's. */
const lives: ReadonlyArray<readonly [string, (w: MemoryWorld, life: Life) => Effect.Effect<void>]> = [
  ["while heed runs", (w, life) => w.living(life(w.cycle))],
  ["between two runs", (w, life) => life(w.once())]
]

const failsOnce = ({ attempt }: HandOver) =>
  attempt === 1 ? ({ _tag: "Failed", why: "it broke" } as const) : ({ _tag: "Done" } as const)

const times = (count: number) => ({ times: count - 1 })

/** A world with one item, whose tracker has a clock of its own. */
const jumping = <A, E>(
  options: Parameters<typeof memoryWorld>[0],
  body: (w: MemoryWorld, move: Move, steady: Clock.Clock) => Effect.Effect<A, E>
) =>
  withWallClock((move, clock) =>
    Effect.scoped(
      Effect.gen(function* () {
        const w = yield* memoryWorld({ ...options, clock })
        yield* w.there(w.hands.open({}))
        return yield* body(w, move, clock)
      })
    )
  )

describe("a wall clock that jumps", () => {
  for (const [where, by] of jumps) {
    it.effect(`${where}: a source that failed is asked again within its quarter of an hour`, () =>
      jumping({}, (w, move) =>
        w.living(
          Effect.gen(function* () {
            w.faults.list.set("acme/app", "Unavailable")
            yield* Effect.repeat(w.cycle, times(30))
            w.faults.list.clear()
            yield* move(by)
            yield* Effect.repeat(w.cycle, times(17))
            assert.strictEqual((yield* w.received).length, 1)
          })
        )
      )
    )

    for (const [when, live] of lives) {
      it.effect(`${where} ${when}: what failed is tried again within its own longest delay`, () =>
        jumping({ answer: failsOnce }, (w, move) =>
          Effect.gen(function* () {
            const longest = Math.max(...w.plan.polling.retryAfter) / 60_000
            yield* live(w, (cycle) =>
              Effect.andThen(
                cycle,
                Effect.andThen(move(by), Effect.asVoid(Effect.repeat(cycle, times(longest + 3))))
              )
            )
            const attempts = (yield* w.received).map(({ attempt }) => attempt)
            assert.deepStrictEqual(attempts, [1, 2])
          })
        )
      )

      it.effect(
        `${where} ${when}: an agent that is paused is tried once its items are, five minutes later at most`,
        () => {
          let how: Result = { _tag: "Failed", why: "exit 3" }
          return jumping({ attempts: 9, answer: () => how }, (w, move) =>
            Effect.gen(function* () {
              const longest = Math.max(...w.plan.polling.retryAfter) / 60_000
              for (let n = 1; n < 5; n += 1) yield* w.there(w.hands.open({}))
              yield* live(w, (cycle) =>
                Effect.gen(function* () {
                  yield* Effect.repeat(cycle, times(3))
                  assert.strictEqual((yield* w.events("agent.paused")).length, 1)
                  how = { _tag: "Done" }
                  yield* move(by)
                  yield* Effect.repeat(cycle, times(longest + 5 + 3))
                })
              )
              assert.strictEqual((yield* w.events("agent.resumed")).length, 1)
            })
          )
        }
      )

      it.effect(`${where} ${when}: words that were handed over at another time are not this hour's`, () =>
        jumping({}, (w, move) =>
          Effect.gen(function* () {
            const say = (body: string) => w.there(w.hands.comment({ number: 1 }, { body }))
            yield* live(w, (cycle) =>
              Effect.gen(function* () {
                yield* cycle
                for (let n = 0; n < w.plan.limits.perItemPerHour; n += 1) yield* say(`word ${n}`)
                yield* cycle
                yield* move(by)
                yield* say("the next word")
                yield* Effect.repeat(cycle, times(3))
              })
            )
            assert.include((yield* w.received).at(-1)?.prompt, "the next word")
            assert.isUndefined((yield* w.record(1))?.paused)
          })
        )
      )

      it.effect(`${where} ${when}: one sweep, and then the listing is conditional again`, () =>
        jumping({}, (w, move) =>
          Effect.gen(function* () {
            const asked: Array<string> = []
            yield* live(w, (cycle) => {
              const look = Effect.andThen(
                cycle,
                Effect.sync(() => void asked.push(...w.asked.filter((what) => what.startsWith("list"))))
              )
              return Effect.gen(function* () {
                yield* Effect.repeat(look, times(3))
                asked.length = 0
                yield* move(by)
                yield* Effect.repeat(look, times(4))
              })
            })
            const conditional = "list acme/app conditionally"
            assert.deepStrictEqual(asked, ["list acme/app", conditional, conditional, conditional])
          })
        )
      )
    }
  }

  it.effect("over a night with the lid closed: one cycle soon, and none for those it slept through", () =>
    jumping({}, (w, move) =>
      w.living(
        Effect.gen(function* () {
          const poller = yield* Poller
          const cycles = () => w.asked.filter((what) => what.startsWith("list")).length
          const loop = yield* Effect.forkChild(poller.run)
          yield* Effect.repeat(TestClock.adjust("1 second"), times(180))
          const before = cycles()
          assert.isAtLeast(before, 2)
          yield* move("8 hours")
          yield* TestClock.adjust("1 second")
          assert.isAtMost(cycles() - before, 1)
          yield* Effect.repeat(TestClock.adjust("1 second"), times(70))
          assert.isAtLeast(cycles() - before, 1)
          assert.isAtMost(cycles() - before, 2)
          yield* Fiber.interrupt(loop)
        })
      )
    )
  )
})
