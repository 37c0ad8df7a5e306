/** What a sweep clears away, and what it must leave. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConfigReloader, Ledger, Plan } from "../../src/index.ts"
import * as Housekeeping from "../../src/engine/Housekeeping.ts"
import { Running } from "../../src/engine/Running.ts"
import { Words } from "../../src/engine/Words.ts"
import { Sinks } from "../../src/sink/Sink.ts"
import { frozenEntry } from "../../src/state/LedgerIndex.ts"
import * as Testing from "../../src/testing.ts"
import { memoryWorld } from "./memoryWorld.ts"

const plan = Plan.make({ users: ["alice"], agents: { default: { sink: "memory" } } })

describe("housekeeping", () => {
  for (const frozen of [true, false]) {
    it.effect(`the runs ${frozen ? "stay while a record is frozen" : "are tidied otherwise"}`, () =>
      Effect.gen(function* () {
        let tidied = 0
        const entries = frozen ? [frozenEntry("acme-app-1", { why: "it is empty" })] : []
        const sinks = Sinks.of({
          get: () => undefined,
          tidy: () =>
            Effect.sync(() => {
              tidied += 1
            })
        })
        yield* Effect.flatten(Housekeeping.make).pipe(
          Effect.provide(
            Layer.mergeAll(
              Layer.mock(Ledger, { entries: Effect.succeed(entries) }),
              Layer.succeed(Sinks, sinks),
              Words.layer,
              Running.layer({ version: "1.0.0", markKey: "any" }).pipe(
                Layer.provide(Layer.merge(ConfigReloader.layerMemory(plan), Testing.layerProviders([])))
              )
            )
          )
        )
        assert.strictEqual(tidied, frozen ? 0 : 1)
      })
    )
  }

  it.effect("words are held only for a session that is given them", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ answer: () => ({ _tag: "NotNow", why: "busy" }) })
      yield* w.hands.open({})
      yield* w.hands.open({ author: "mallory", labels: [] })
      yield* w.hands.label({ number: 2 }, "agent", "mallory")
      yield* w.hands.comment({ number: 2 }, { body: "a trusted word, and no session" })
      yield* w.living(
        Effect.gen(function* () {
          const words = yield* Words
          yield* w.cycle
          assert.deepStrictEqual(yield* words.held, [w.identity(1)])
          assert.strictEqual((yield* w.record(2))?.waiting.length, 1)
          yield* w.hands.remove({ number: 1 }, "deleted")
          yield* w.cycle
          assert.deepStrictEqual(yield* words.held, [])
        })
      )
      yield* w.once()
      yield* w.once()
      assert.deepStrictEqual(w.asked, ["list acme/app conditionally"], "nobody waits for a session's words")
    })
  )
})
