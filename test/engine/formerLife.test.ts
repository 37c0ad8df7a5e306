/** A record that was moved away takes no result from the runs of its former life. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Dispatcher, Engine, Ledger, Plan, Poller } from "../../src/index.ts"
import * as Testing from "../../src/testing.ts"

describe("an item whose record was moved away", () => {
  it.live("begins anew with all its words, although a run of the same name is done", () =>
    Effect.gen(function* () {
      const { hands, provider } = yield* Testing.MemoryTracker.make()
      const number = yield* hands.open({ title: "Twice" })
      const plan = Plan.make({ users: ["alice"], agents: { default: { sink: "memory" } } })
      const sinks = yield* Layer.build(Testing.layerSinks())
      const life = Effect.gen(function* () {
        yield* (yield* Poller).cycle
        yield* (yield* Dispatcher).settled
        const [entry] = yield* (yield* Ledger).entries
        return entry
      }).pipe(
        Effect.provide(
          Engine.layer({ markKey: "any" }).pipe(
            Layer.provideMerge(
              Layer.mergeAll(
                Testing.layerConfigReloader(plan),
                Testing.layerProviders([provider]),
                Layer.succeedContext(sinks),
                Testing.layerState
              )
            ),
            Layer.fresh
          )
        )
      )
      yield* life
      yield* hands.comment({ number }, { by: "alice", body: "written between the two lives" })
      yield* life
      const received = yield* Effect.flatMap(Testing.SinkInbox, (inbox) => inbox.received).pipe(
        Effect.provide(sinks)
      )
      assert.deepStrictEqual(
        received.map((handOver) => [handOver.kind, handOver.try]),
        [
          ["start", 1],
          ["start", 2]
        ]
      )
      assert.strictEqual(received[0]?.id, received[1]?.id)
      assert.include(received[1]?.prompt, "written between the two lives")
    }).pipe(Effect.scoped)
  )
})
