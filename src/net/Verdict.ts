/**
 * Verdict: what a status, its headers and its text mean. Rate limits come in five shapes and are no denial (traps B26);
 * their waiting is computed on the server's own clock (traps B28).
 */
import { instant, type Instant } from "../domain/Item.ts"
import type { AskReason } from "./AskError.ts"

export type Headers = { readonly [name: string]: string | undefined }

export interface Verdict {
  readonly reason: AskReason
  /** `Limited`, where the server named a time: milliseconds. */
  readonly retryAfter?: number
}

/** The server's clock at the answer, in epoch milliseconds; the own clock where it did not say. */
export const serverTime = (headers: Headers, now: number): number => {
  const date = Date.parse(headers["date"] ?? "")
  return Number.isNaN(date) ? now : date
}

/** How much may still be asked. */
export interface Budget {
  readonly remaining: number
  readonly limit: number
  /** By the own clock. */
  readonly resetAt: Instant
}

/** The budget as an answer tells it; undefined where it does not. */
export const budgetOf = (headers: Headers, now: number): Budget | undefined => {
  const [remaining = NaN, limit = NaN, reset = NaN] = ["remaining", "limit", "reset"].map((name) =>
    Number(headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`] ?? NaN)
  )
  if (!Number.isFinite(remaining + limit + reset)) return undefined
  const left = Math.min(86_400_000, Math.max(0, reset * 1000 - serverTime(headers, now)))
  return { remaining, limit, resetAt: instant(now + left) }
}

/** Beyond the moment that a server names, for its whole seconds. */
const margin = 1000

const named = (headers: Headers, now: number): number | undefined => {
  const after = headers["retry-after"]
  if (after !== undefined && after.trim() !== "") {
    const seconds = Number(after)
    const span = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after) - serverTime(headers, now)
    if (!Number.isNaN(span)) return Math.max(0, span)
  }
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? "")
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"]
  if (remaining === "0" && Number.isFinite(reset) && reset > 0) {
    return Math.max(0, reset * 1000 - serverTime(headers, now)) + margin
  }
  return undefined
}

const limited = (status: number, headers: Headers, said: string): boolean =>
  status === 429 ||
  (status === 403 &&
    (headers["retry-after"] !== undefined ||
      headers["x-ratelimit-remaining"] === "0" ||
      /rate limit|abuse detection/iu.test(said)))

const byStatus: { readonly [status: number]: AskReason } = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Missing",
  408: "Unavailable",
  410: "Gone"
}

/** Judges an answer that is not 2xx and not 304. */
export const verdict = (status: number, headers: Headers, said: string, now: number): Verdict => {
  if (limited(status, headers, said)) {
    const retryAfter = named(headers, now)
    return retryAfter === undefined ? { reason: "Limited" } : { reason: "Limited", retryAfter }
  }
  if (status >= 300 && status < 400) return { reason: "Moved" }
  if (status >= 500) return { reason: "Unavailable" }
  return { reason: byStatus[status] ?? "Refused" }
}

/** A server's words, fit for an error: one line, bounded, without control characters and without the token. */
export const words = (text: string, token: string): string => {
  const plain = text
    .replaceAll(token, "[token]")
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
  return plain.length > 200 ? `${[...plain].slice(0, 200).join("")}…` : plain
}
