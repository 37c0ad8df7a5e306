/**
 * Poller: the loop over all sources, and one cycle of it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What one cycle did, as `poll.cycle` reports it. */
export interface CycleSummary {
  readonly items: number
  readonly changed: number
  /** Sessions begun. */
  readonly spawned: number
  /** Words that joined a queue. */
  readonly forwarded: number
  readonly settled: number
  /** Sessions whose item ended. */
  readonly closed: number
  readonly gaveUp: number
  readonly errors: number
  readonly interrupted: boolean
  readonly requests: number
  readonly notModified: number
  readonly ms: number
}

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
>()("heed/engine/Poller") {}
