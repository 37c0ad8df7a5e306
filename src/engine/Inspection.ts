/**
 * Inspection: what the inspector says, as schemas: `--json` prints these shapes, and the daemon sends them.
 */
import * as Schema from "effect/Schema"
import type { Decision } from "../domain/Decision.ts"
import { Instant } from "../domain/Item.ts"

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
  /** Whether its sink keeps it open between hand-overs, so that a person can look at it. */
  open: Schema.Boolean,
  /** Words that wait. */
  waiting: Schema.Int,
  /** Why they wait; absent when nothing does. */
  waitingFor: Schema.optionalKey(Schema.String),
  /** What was given up, its start (`start`) or words by key: only `heed retry` tries again. Absent when nothing was. */
  gaveUp: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SessionLine = typeof SessionLine.Type

/** One decision of a dry run, with its reason. */
export const PlannedStep = Schema.Struct({
  decision: Schema.String,
  detail: Schema.String,
  reason: Schema.String
})
export type PlannedStep = typeof PlannedStep.Type

/** What would happen on one item. */
export const PlannedItem = Schema.Struct({
  ref: Schema.String,
  url: Schema.String,
  title: Schema.String,
  steps: Schema.Array(PlannedStep)
})
export type PlannedItem = typeof PlannedItem.Type

/** What a cycle would do now. */
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
      /** Who wrote it, where the tracker could be asked. */
      by: Schema.optionalKey(Schema.String),
      detail: Schema.optionalKey(Schema.String)
    })
  ),
  /** What the next cycle would decide, and why. */
  next: Schema.Array(PlannedStep)
})
export type Explanation = typeof Explanation.Type

/** A decision in words. */
export const stepOf = (decision: Decision): PlannedStep => ({
  decision: decision._tag.toLowerCase(),
  detail: detailOf(decision),
  reason: decision.reason
})

const detailOf = (decision: Decision): string => {
  switch (decision._tag) {
    case "Learn":
      return decision.item.title
    case "Begin":
      return `${decision.agent}, generation ${decision.generation}`
    case "Queue":
      return `${decision.word} for ${decision.agent}`
    case "Settle":
      return `${decision.key}: ${decision.outcome}`
    case "Obey":
      return `${decision.command} (${decision.word}, ${decision.by})`
    case "Refuse":
      return `${decision.command} (${decision.word})`
    case "End":
      return decision.agent
    case "Rearm":
      return `${decision.key} for ${decision.agent}`
    case "Wait":
      return ""
  }
}
