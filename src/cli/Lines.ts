/**
 * Lines: one line of the event log as one line for people; the same text while the daemon runs and in `heed events`.
 */
import type { LogLine } from "../state/EventLog.ts"
import { shortRef, tone, type Page, type Tone } from "./Render.ts"
import { cut, oneLine, pad } from "./Text.ts"

/** Fields that a line shows by their place rather than by name. */
const placed = new Set(["ts", "event", "level", "source", "ref", "delivery", "message", "reason"])

const tones: { readonly [level: string]: Tone | undefined } = { error: "red", warn: "yellow", debug: "dim" }

const valueOf = (value: unknown): string =>
  typeof value === "string" ? oneLine(value) : oneLine(JSON.stringify(value))

const details = (line: LogLine): string => {
  const named = Object.entries(line)
    .filter(([name, value]) => !placed.has(name) && value !== undefined)
    .map(([name, value]) => `${oneLine(name)}=${valueOf(value)}`)
  const said = [line["message"], line["reason"]].filter((text) => typeof text === "string").map(oneLine)
  return [...said, ...named].join("  ")
}

/** `12:03:04  poll.comment_forwarded  acme/app#12  words=2`: cut to the page, in local time. */
export const line = (page: Pick<Page, "columns" | "colour">, event: LogLine): string => {
  const at = new Date(event.ts)
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":")
  const place = event.ref === undefined ? oneLine(event.source ?? "") : shortRef(event.ref)
  const text = [time, pad(event.event, 22), ...(place === "" ? [] : [place]), details(event)]
    .join("  ")
    .trimEnd()
  const shown = cut(text, page.columns)
  const colour = tones[event.level]
  return colour === undefined ? shown : tone(page, colour, shown)
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
