/**
 * EventLog: what heed did and why, one JSON object a line in `<root>/events.jsonl`, rotated.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Instant, instant } from "../domain/Item.ts"
import { firstCodePoints } from "../domain/PlainText.ts"
import * as LineFile from "./LineFile.ts"
import { Secrets } from "../net/Secrets.ts"

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
  "session.parked",
  "session.resumed",
  "session.waiting",
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
    /** Appends lines, all in one write. A log that cannot be written is said on stderr once, and stops nothing. */
    readonly append: (...events: ReadonlyArray<NewEvent>) => Effect.Effect<void>
    /** How many lines of this name were appended since the log was opened. */
    readonly count: (event: EventName) => Effect.Effect<number>
    /** The lines on disk, oldest first, rotated files included. Torn lines are passed over. */
    readonly read: Effect.Effect<ReadonlyArray<LogLine>>
  }
>()("heed/state/EventLog") {
  /**
   * The log of a root that is held. Building the layer touches nothing. `limits` is asked before each line, so that it
   * follows the configuration.
   */
  static readonly layer = (options: {
    readonly root: string
    readonly limits: Effect.Effect<LineFile.Limits>
  }): Layer.Layer<EventLog, never, FileSystem.FileSystem> =>
    Layer.effect(EventLog, live(options.root, options.limits))

  /** For who does not hold the root: a refused start, a command that looks. It appends and reads, and rotates nothing. */
  static readonly layerUnlocked = (options: {
    readonly root: string
  }): Layer.Layer<EventLog, never, FileSystem.FileSystem> =>
    Layer.effect(EventLog, live(options.root, Effect.succeed({ maxSize: Infinity, files: 1 })))

  static readonly layerMemory: Layer.Layer<EventLog> = Layer.sync(EventLog, () => EventLog.of(memory()))
}

/** The longest line, in bytes; what has more loses its longest texts. */
const longestLine = 64 * 1024
/** What is left of a text in a line that was too long, in characters. */
const longestText = 1_024

const isLogLine = Schema.is(LogLine)

const lineOf = ({ event, level, ...fields }: NewEvent, now: number): string => {
  const line = JSON.stringify({ ts: instant(now), event, level, ...fields })
  if (Buffer.byteLength(line) <= longestLine) return line
  const kept = Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]): ReadonlyArray<readonly [string, Schema.Json]> =>
      typeof value === "string"
        ? [
            [
              key,
              value.length > longestText ? `${firstCodePoints(value, longestText).toWellFormed()}…` : value
            ]
          ]
        : typeof value === "number" || typeof value === "boolean"
          ? [[key, value]]
          : []
    )
  )
  const short = JSON.stringify({ ts: instant(now), event, level, ...kept, shortened: true })
  return Buffer.byteLength(short) <= longestLine
    ? short
    : JSON.stringify({ ts: instant(now), event, level, shortened: true })
}

const parseLine = (line: string): ReadonlyArray<LogLine> => {
  try {
    const value: Schema.Json = JSON.parse(line)
    return isLogLine(value) ? [value] : []
  } catch {
    // A line that a crash tore.
    return []
  }
}

/** Counts lines by their names. */
const counting = () => {
  const counts = new Map<EventName, number>()
  return {
    add: (events: ReadonlyArray<NewEvent>) => {
      for (const { event } of events) counts.set(event, (counts.get(event) ?? 0) + 1)
    },
    of: (event: EventName) => Effect.sync(() => counts.get(event) ?? 0)
  }
}

const live = (root: string, limits: Effect.Effect<LineFile.Limits>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = yield* LineFile.make(files, root, "events")
    const counts = counting()
    const secrets = yield* Secrets
    let failing = false

    const append = Effect.fn("EventLog.append")(
      function* (...events: ReadonlyArray<NewEvent>) {
        if (events.length === 0) return
        const now = yield* Clock.currentTimeMillis
        counts.add(events)
        yield* file.append(
          secrets.redact(events.map((event) => lineOf(event, now)).join("\n")),
          yield* limits
        )
        failing = false
      },
      Effect.catchTag("DiskError", ({ message }) =>
        Effect.suspend(() => {
          if (failing) return Effect.void
          failing = true
          return Effect.logError(`${message}. Events are not recorded until that is mended`)
        })
      ),
      Effect.uninterruptible
    )

    return EventLog.of({
      append,
      count: counts.of,
      read: Effect.map(file.read, (lines) => lines.flatMap(parseLine)).pipe(Effect.withSpan("EventLog.read"))
    })
  })

const memory = (): EventLog["Service"] => {
  const lines: Array<LogLine> = []
  const counts = counting()
  return {
    count: counts.of,
    append: (...events) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        counts.add(events)
        for (const event of events) lines.push(...parseLine(lineOf(event, now)))
      }),
    read: Effect.sync(() => [...lines])
  }
}
