/**
 * ExactJson: JSON text in and out without loss. An integer too large for a double keeps its digits, as a text with a
 * mark that no text in a file of ours begins with.
 */
import type * as Schema from "effect/Schema"

export type Json = Schema.Json
export interface JsonObject {
  readonly [key: string]: Json
}

const mark = "\u0000integer:"
/** A text, which is passed over, or a long integer that stands by itself. */
const tokens = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/gu
const marked = /"\\u0000integer:(-?\d+)"/gu

/** Parses JSON; undefined when it is none. */
export const parse = (text: string): Json | undefined => {
  const exact = /\d{16}/u.test(text)
    ? text.replaceAll(tokens, (token) =>
        token.startsWith('"') || String(Number(token)) === token ? token : JSON.stringify(mark + token)
      )
    : text
  try {
    const value: Json = JSON.parse(exact)
    return value
  } catch {
    // Whoever asks says what it is instead.
    return undefined
  }
}

/** Indented JSON with a newline at its end. */
export const render = (value: object): string => {
  const text = `${JSON.stringify(value, null, 2)}\n`
  return text.includes("\\u0000integer:") ? text.replaceAll(marked, "$1") : text
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether two values are the same JSON: an absent key is an undefined one, and the order of keys says nothing. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, at) => isSame(value, other[at]))
    )
  }
  const ours = new Map(Object.entries(one).filter(([, value]) => value !== undefined))
  const theirs = Object.entries(other).filter(([, value]) => value !== undefined)
  return (
    ours.size === theirs.length &&
    theirs.every(([key, value]) => ours.has(key) && isSame(ours.get(key), value))
  )
}
