/**
 * EventLog: what heed did and why, one JSON object a line in `<root>/events.jsonl`, rotated (product.md section 10).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Instant } from "../domain/Item.ts"

export const EventName = Schema.Literals([
  "poller.started",
  "poller.stopped",
  "poller.blocked",
  "poll.cycle",
  "poll.source_failed",
  "poll.backoff",
  "poll.item_failed",
  "poll.unauthorized",
  "poll.comment_forwarded",
  "poll.comment_settled",
  "poll.comment_failed",
  "poll.spawn_failed",
  "poll.rearmed",
  "poll.attempts_released",
  "poll.closure_detected",
  "poll.item_frozen",
  "dispatch.queued",
  "dispatch.started",
  "dispatch.succeeded",
  "dispatch.failed",
  "dispatch.abandoned",
  "session.started",
  "session.ended",
  "session.adopted",
  "session.died",
  "agent.paused",
  "agent.resumed",
  "config.reloaded",
  "config.rejected",
  "control.command",
  "control.refused"
])
export type EventName = typeof EventName.Type

export const Level = Schema.Literals(["debug", "info", "warn", "error"])
export type Level = typeof Level.Type

/** A line of the log. Fields beyond the named ones are the event's own, with JSON values. */
export const LogLine = Schema.StructWithRest(
  Schema.Struct({
    ts: Instant,
    event: EventName,
    level: Level,
    source: Schema.optionalKey(Schema.String),
    ref: Schema.optionalKey(Schema.String),
    delivery: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Json)]
)
export type LogLine = typeof LogLine.Type

/** What a caller says; the log adds the time. */
export interface NewEvent {
  readonly event: EventName
  readonly level: Level
  readonly source?: string
  readonly ref?: string
  readonly delivery?: string
  readonly [field: string]: Schema.Json | undefined
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /** Appends a line. A log that cannot be written is said on stderr once, and stops nothing. */
    readonly append: (event: NewEvent) => Effect.Effect<void>
    /** The lines on disk, oldest first, rotated files included. Torn lines are passed over. */
    readonly read: Effect.Effect<ReadonlyArray<LogLine>>
  }
>()("heed/state/EventLog") {}
