/**
 * Poller: the loop over all sources, and one cycle of it.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type { ConfigReloader } from "../config/ConfigReloader.ts"
import type { Sinks } from "../sink/Sink.ts"
import type { Backlog } from "../state/Backlog.ts"
import type { EventLog } from "../state/EventLog.ts"
import type { Heartbeat } from "../state/Heartbeat.ts"
import type { Ledger } from "../state/Ledger.ts"
import type { Validators } from "../state/Validators.ts"
import type { AgentHealth } from "./AgentHealth.ts"
import * as Cycle from "./Cycle.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { Running } from "./Running.ts"
import type { Words } from "./Words.ts"
import type { CycleSummary } from "./Tally.ts"

export type { CycleSummary }

/** Looks at the sources. A program interrupts `cycle` or `run` to stop. */
export class Poller extends Context.Service<
  Poller,
  {
    /**
     * One pass over all sources. Interrupting it is a stop: items in hand are finished, nothing else starts, and
     * nothing is reconciled (G2.3). It never fails: what fails is a source's or an item's own, and counted.
     */
    readonly cycle: Effect.Effect<CycleSummary>
    /** Cycles for ever, `polling.interval` from the end of one to the start of the next. */
    readonly run: Effect.Effect<never>
    /** Ends the pause between two cycles. */
    readonly nudge: Effect.Effect<void>
  }
>()("heed/engine/Poller") {
  static readonly layer: Layer.Layer<
    Poller,
    never,
    | ConfigReloader
    | Running
    | Ledger
    | EventLog
    | Heartbeat
    | Validators
    | Backlog
    | Words
    | Dispatcher
    | AgentHealth
    | Sinks
  > = Layer.effect(
    Poller,
    Effect.gen(function* () {
      const pass = yield* Cycle.make
      const running = yield* Running
      const dispatcher = yield* Dispatcher
      // Before anything is decided, every claim is looked up at its sink (G3.2).
      const recovered = yield* Effect.cached(dispatcher.recover)
      const cycle = Effect.andThen(recovered, pass)
      let nudged = Deferred.makeUnsafe<void>()

      const pause = Effect.gen(function* () {
        const { plan } = yield* running.get
        const jittered = plan.polling.interval * (0.95 + 0.1 * (yield* Random.next))
        yield* Effect.raceFirst(Effect.sleep(jittered), Deferred.await(nudged))
        nudged = Deferred.makeUnsafe()
      })

      // A defect in an attendant ends the loop: no daemon lives on that hands nothing over.
      const run = Effect.raceFirst(Effect.forever(Effect.andThen(cycle, pause)), dispatcher.supervise)

      return Poller.of({
        cycle,
        run,
        nudge: Effect.sync(() => {
          Deferred.doneUnsafe(nudged, Effect.void)
        })
      })
    })
  )
}
