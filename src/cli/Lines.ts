/**
 * Lines: one line of the event log as one line for people; the same text while the daemon runs and in `heed events`.
 */
import type * as Schema from "effect/Schema"
import type { LogLine } from "../state/EventLog.ts"
import { shortRef, tone, type Page, type Tone } from "./Render.ts"
import { cut, oneLine, pad, wrap } from "./Text.ts"

/** Fields that a line shows by their place rather than by name. */
const placed = new Set(["ts", "event", "level", "source", "ref", "delivery", "message", "reason", "why"])

/** Below the time. */
const indent = " ".repeat(10)

const tones: { readonly [level: string]: Tone | undefined } = { error: "red", warn: "yellow", debug: "dim" }

const valueOf = (value: Schema.Json): string =>
  typeof value === "string" ? oneLine(value) : oneLine(JSON.stringify(value))

const details = (line: LogLine): string => {
  const named = Object.entries(line)
    .filter(([name, value]) => !placed.has(name) && value !== undefined)
    .map(([name, value]) => `${oneLine(name)}=${valueOf(value)}`)
  const said = [line["reason"], line["message"], line["why"]]
    .filter((text) => typeof text === "string")
    .map(oneLine)
  return [...said, ...named].join("  ")
}

/**
 * `12:03:04  poll.comment_forwarded  acme/app#12  words=2`, in local time. What went wrong is said whole, on as many
 * lines as it takes; anything else on one, cut to the page.
 */
export const line = (page: Pick<Page, "columns" | "colour">, event: LogLine): string => {
  const at = new Date(event.ts)
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":")
  const place = event.ref === undefined ? oneLine(event.source ?? "") : shortRef(event.ref)
  const what = [pad(event.event, 22), ...(place === "" ? [] : [place]), details(event)].join("  ").trimEnd()
  const room = Math.max(20, page.columns - indent.length)
  const whole = event.level === "warn" || event.level === "error"
  const shown = whole ? wrap(what, room).join(`\n${indent}`) : cut(what, room)
  const colour = tones[event.level]
  const text = `${time}  ${shown}`
  return colour === undefined ? text : tone(page, colour, text)
}

/** A glob of event names, `poll.*`, as a test. `*` is any text, `?` one character, the rest itself. */
export const glob = (pattern: string): ((name: string) => boolean) => {
  const source = [...pattern]
    .map((character) =>
      character === "*" ? ".*" : character === "?" ? "." : character.replace(/[\\^$.|+()[\]{}]/u, "\\$&")
    )
    .join("")
    .replaceAll(/(?:\.\*)+/gu, ".*")
  const expression = new RegExp(`^${source}$`, "su")
  return (name) => expression.test(name)
}
