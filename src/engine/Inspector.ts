/**
 * Inspector: what is known and what would happen, for people and scripts. It reads; it never writes and never takes
 * the lock, so it works beside a daemon and without one.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Instant } from "../domain/Item.ts"
import type { LedgerError } from "../state/Ledger.ts"

/** One session, as `status` and `sessions` list it. */
export const SessionLine = Schema.Struct({
  ref: Schema.String,
  url: Schema.String,
  title: Schema.String,
  agent: Schema.String,
  generation: Schema.Int,
  session: Schema.String,
  /** As the record says, and `paused` when the item is. */
  state: Schema.String,
  why: Schema.String,
  since: Instant,
  /** Whether a run is at work right now. */
  working: Schema.Boolean,
  /** Words that wait. */
  waiting: Schema.Int,
  /** Why they wait; absent when nothing does. */
  waitingFor: Schema.optionalKey(Schema.String)
})
export type SessionLine = typeof SessionLine.Type

/** One decision of a dry run, with its reason. */
export const PlannedStep = Schema.Struct({
  decision: Schema.String,
  detail: Schema.String,
  reason: Schema.String
})

export const PlannedItem = Schema.Struct({
  ref: Schema.String,
  url: Schema.String,
  title: Schema.String,
  steps: Schema.Array(PlannedStep)
})
export type PlannedItem = typeof PlannedItem.Type

export const DryRun = Schema.Struct({
  items: Schema.Array(PlannedItem),
  /** Sources that could not be asked, and why. */
  failures: Schema.Array(
    Schema.Struct({ source: Schema.String, scope: Schema.String, message: Schema.String })
  )
})
export type DryRun = typeof DryRun.Type

/** Everything heed knows of one item. */
export const Explanation = Schema.Struct({
  ref: Schema.String,
  url: Schema.String,
  title: Schema.String,
  state: Schema.String,
  /** Where this comes from: the state on disk alone, or a look at the tracker too, and when. */
  seen: Schema.String,
  look: Schema.optionalKey(Schema.String),
  frozen: Schema.optionalKey(Schema.String),
  paused: Schema.optionalKey(Schema.String),
  sessions: Schema.Array(SessionLine),
  /** Each word and what became of it, oldest first where the time is known. */
  words: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      /** `handed over`, `waiting`, `settled: …`. */
      outcome: Schema.String,
      at: Schema.optionalKey(Instant),
      detail: Schema.optionalKey(Schema.String)
    })
  ),
  /** What the next cycle would decide, and why. */
  next: Schema.Array(PlannedStep)
})
export type Explanation = typeof Explanation.Type

export class Inspector extends Context.Service<
  Inspector,
  {
    readonly sessions: Effect.Effect<ReadonlyArray<SessionLine>>
    /** What the next cycle would do, for all items or those whose ref is given. Makes a cycle's requests. */
    readonly plan: (only: string | undefined) => Effect.Effect<DryRun>
    /** Looks once at the tracker if it can. Undefined when heed never saw the item and the tracker has none. */
    readonly explain: (ref: string) => Effect.Effect<Explanation | undefined, LedgerError>
  }
>()("heed/engine/Inspector") {}
