/**
 * Narrator: tells on stderr what happens, as it happens: a line per event for people on a terminal, JSON elsewhere.
 * Quiet when nothing happens.
 */
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as References from "effect/References"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import type { Plan } from "../config/Plan.ts"
import { instant } from "../domain/Item.ts"
import { Secrets } from "../net/Secrets.ts"
import { EventLog, type Level, type LogLine, type NewEvent } from "../state/EventLog.ts"
import * as Lines from "./Lines.ts"
import { fold, lines as clean } from "./Text.ts"
import { columnsOf } from "./Width.ts"

export interface Narration {
  /** Whether people read it; else it is JSON. */
  readonly terminal: boolean
  readonly json: boolean
  readonly level: Level
  readonly columns: number
  readonly colour: boolean
  /** Writes one line to stderr. */
  readonly write: (line: string) => void
}

const ranks: { readonly [level in Level]: number } = { debug: 0, info: 1, warn: 2, error: 3 }
const minimum = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

const asked = (terminal: boolean, { format, level }: Plan["log"]) => ({
  json: format === "json" || !terminal,
  level
})

/** How a plan's `log` is to be told on this process's stderr. */
export const narration = Effect.fn("Narrator.narration")(function* (log: Plan["log"]) {
  const stdio = yield* Stdio.Stdio
  const console = yield* Console.Console
  const terminal = yield* stdio.stderrIsTerminal
  const noColor = yield* Config.option(Config.String("NO_COLOR")).pipe(
    Effect.catchTag("ConfigError", () => Effect.succeed(Option.none<string>()))
  )
  const how: Narration = {
    terminal,
    ...asked(terminal, log),
    columns: columnsOf(process.stderr),
    colour: terminal && Option.getOrElse(noColor, () => "") === "",
    write: (line) => console.error(line)
  }
  return how
})

/** Tells one line of the event log, as the running plan asks for. */
export const tell =
  (page: Narration) =>
  (line: LogLine, log: Plan["log"]): Effect.Effect<void> =>
    Effect.map(Secrets, ({ redact }) => {
      const how = { ...page, ...asked(page.terminal, log) }
      if (ranks[line.level] < ranks[how.level]) return
      const text = how.json ? JSON.stringify(line) : Lines.told(how, line)
      if (text !== undefined) how.write(redact(text))
    })

/** heed's own log messages, in the same form as the events. */
const logger = (how: Narration): Logger.Logger<unknown, void> =>
  Logger.make(({ cause, date, logLevel, message }) => {
    const parts = Array.isArray(message) ? message : [message]
    const said = parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
    const text = [...said, ...(cause.reasons.length === 0 ? [] : [Cause.pretty(cause)])].join(" ")
    how.write(
      how.json
        ? JSON.stringify({ ts: date.toISOString(), level: logLevel.toLowerCase(), message: text })
        : `${fold(`${date.toTimeString().slice(0, 8)}  ${clean(text)}`, how.columns)}`
    )
  })

/** Replaces Effect's own loggers, which write to stdout. */
export const layerLogger = (how: Narration): Layer.Layer<never> =>
  Layer.mergeAll(Logger.layer([logger(how)]), Layer.succeed(References.MinimumLogLevel, minimum[how.level]))

/** An event log that tells each line beside writing it. */
export const layer = (
  narrate: (line: LogLine, log: Plan["log"]) => Effect.Effect<void>
): Layer.Layer<EventLog, never, EventLog | ConfigReloader> =>
  Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const log = yield* EventLog
      const config = yield* ConfigReloader
      const append = Effect.fnUntraced(function* (...events: ReadonlyArray<NewEvent>) {
        yield* log.append(...events)
        const plan = yield* config.current
        const now = yield* Clock.currentTimeMillis
        yield* Effect.forEach(events, (event) => narrate(asLine(event, now), plan.log), { discard: true })
      })
      return EventLog.of({ read: log.read, count: log.count, append })
    })
  )

const asLine = (event: NewEvent, now: number): LogLine => {
  const { delivery, event: name, level, ref, source, ...rest } = event
  return {
    ts: instant(now),
    event: name,
    level,
    ...(source === undefined ? {} : { source }),
    ...(ref === undefined ? {} : { ref }),
    ...(delivery === undefined ? {} : { delivery }),
    ...Object.fromEntries(
      Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
    )
  }
}
