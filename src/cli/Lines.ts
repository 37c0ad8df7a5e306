/**
 * Lines: one line of the event log as one line for people: by its name and fields in `heed events`, in words while heed
 * runs.
 */
import type * as Schema from "effect/Schema"
import type { LogLine } from "../state/EventLog.ts"
import { shortRef, tone, type Page, type Tone } from "./Render.ts"
import { sentence } from "./Sentences.ts"
import { cut, oneLine, pad, wrap } from "./Text.ts"

/** Fields that a line shows by their place rather than by name. */
const placed = new Set(["ts", "event", "level", "source", "ref", "delivery", "message", "reason", "why"])

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

type Width = Pick<Page, "columns" | "colour">

const placeOf = (event: LogLine): string =>
  event.ref === undefined ? oneLine(event.source ?? "") : shortRef(event.ref)

/** Whole: on as many lines as it takes. */
type Extent = "whole" | "one line"

const timed = (
  page: Width,
  event: LogLine,
  time: string,
  parts: ReadonlyArray<string>,
  extent: Extent
): string => {
  const indent = " ".repeat(time.length + 2)
  const what = parts
    .filter((part) => part !== "")
    .join("  ")
    .trimEnd()
  const room = Math.max(20, page.columns - indent.length)
  const shown =
    extent === "whole"
      ? wrap(what, room)
          .map((part) => part.trim())
          .join(`\n${indent}`)
      : cut(what, room)
  const colour = tones[event.level]
  const text = `${time}  ${shown}`
  return colour === undefined ? text : tone(page, colour, text)
}

/** The time of day here: what happens now needs no date. */
const clock = ({ ts }: LogLine): string => {
  const at = new Date(ts)
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":")
}

const fields = (event: LogLine) => [pad(event.event, 22), placeOf(event), details(event)]

/** `2026-11-30T12:03:04Z  poll.comment_forwarded  acme/app#12  words=2`: UTC, as `heed explain` and the log have it. */
export const line = (page: Width, event: LogLine): string =>
  timed(page, event, event.ts.replace(/\.\d+Z$/u, "Z"), fields(event), "whole")

/** `12:03:04  acme/app#12  default has 2 comments and is at work`; undefined for what other lines say already. */
export const told = (page: Width, event: LogLine): string | undefined => {
  const words = sentence(event)
  if (words === "") return undefined
  const parts = words === undefined ? fields(event) : [placeOf(event), words]
  // What went wrong is said whole.
  const whole = event.level === "warn" || event.level === "error"
  return timed(page, event, clock(event), parts, whole ? "whole" : "one line")
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
