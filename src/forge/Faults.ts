/** What can be made to go wrong: for which requests, how often, and in which way. */
import * as Schema from "effect/Schema"
import { type Answer, refusal } from "./Answer.ts"
import type { ForgeClock } from "./ForgeClock.ts"

/** Which requests it is about. */
export const Match = Schema.Struct({
  method: Schema.optionalKey(Schema.String),
  /** A regular expression on the path; every path when absent. */
  path: Schema.optionalKey(Schema.String),
  /** A regular expression on the query as it came. */
  query: Schema.optionalKey(Schema.String),
  login: Schema.optionalKey(Schema.String)
})
export type Match = typeof Match.Type

export const Failure = Schema.Union([
  /** Answers in place of the resource; `body` is sent as it stands. */
  Schema.Struct({
    kind: Schema.Literal("status"),
    status: Schema.Int,
    body: Schema.optionalKey(Schema.String),
    headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  }),
  /**
   * The shapes of a limit: a wait in `retry-after`; nothing remaining, and when that ends; only a message; 429 or 403
   * that says nothing at all; a page of HTML.
   */
  Schema.Struct({
    kind: Schema.Literal("limit"),
    shape: Schema.Literals(["retry-after", "reset", "message", "bare", "html"]),
    status: Schema.optionalKey(Schema.Literals([403, 429])),
    /** Seconds to wait, 60 unless said otherwise; below zero for a reset in the past. */
    seconds: Schema.optionalKey(Schema.Int)
  }),
  /** 200 and half of the body. */
  Schema.Struct({ kind: Schema.Literal("broken-json") }),
  /** The whole answer's headers, half of its body, and then the connection is gone. */
  Schema.Struct({ kind: Schema.Literal("cut") }),
  /** Real milliseconds before the resource is looked at. */
  Schema.Struct({ kind: Schema.Literal("delay"), millis: Schema.Finite }),
  /** Waits, before the resource is looked at, until the fault is released. */
  Schema.Struct({ kind: Schema.Literal("hang") }),
  /** Closes the connection without an answer. */
  Schema.Struct({ kind: Schema.Literal("drop") }),
  /** Answers as usual, but does an operation first or afterwards, such as between two pages (traps B07). */
  Schema.Struct({
    kind: Schema.Literals(["before", "after"]),
    operation: Schema.String,
    input: Schema.Json
  })
])
export type Failure = typeof Failure.Type

export interface Fault {
  readonly id: number
  readonly meets: (request: Met) => boolean
  readonly failure: Failure
  /** How many requests it still meets; undefined for all until it is lifted. */
  left: number | undefined
  readonly held: Set<() => void>
}

export interface Met {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly login: string | undefined
}

/** Compiles what a fault is about; throws on a pattern that is none. */
const meeting = ({ method, path, query, login }: Match): Fault["meets"] => {
  const onPath = new RegExp(path ?? "", "u")
  const onQuery = new RegExp(query ?? "", "u")
  return (request) =>
    (method === undefined || method.toUpperCase() === request.method) &&
    onPath.test(request.path) &&
    onQuery.test(request.query) &&
    (login === undefined || login.toLowerCase() === request.login?.toLowerCase())
}

export class Faults {
  readonly #faults = new Map<number, Fault>()
  #last = 0

  add(match: Match, failure: Failure, times: number | undefined): number {
    const meets = meeting(match)
    this.#last += 1
    this.#faults.set(this.#last, { id: this.#last, meets, failure, left: times, held: new Set() })
    return this.#last
  }

  /** The faults that this request meets, oldest first; each is used up by one. */
  meet(request: Met): ReadonlyArray<Fault> {
    const met = [...this.#faults.values()].filter(
      (fault) => (fault.left === undefined || fault.left > 0) && fault.meets(request)
    )
    for (const fault of met) if (fault.left !== undefined) fault.left -= 1
    return met
  }

  /** Waits until the fault is released or lifted, or `signal` says that nobody waits for the answer any more. */
  hold(fault: Fault, signal: AbortSignal): Promise<void> {
    if (!this.#faults.has(fault.id) || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const go = () => {
        fault.held.delete(go)
        resolve()
      }
      fault.held.add(go)
      signal.addEventListener("abort", go, { once: true })
    })
  }

  /** Ends a fault, or all of them, and lets the requests go that it holds. */
  lift(id: number | undefined): void {
    for (const fault of id === undefined ? [...this.#faults.values()] : [this.#faults.get(id)]) {
      if (fault === undefined) continue
      this.#faults.delete(fault.id)
      for (const go of fault.held) go()
    }
  }
}

/** An answer that stands in place of the resource's. A limit's headers override those of the account's budget. */
export interface Refusal {
  readonly answer: Answer
  /** Whether the account's own rate headers are left out. */
  readonly withoutRate: boolean
}

const text = (status: number, body: string, headers: Answer["headers"]): Answer => ({
  status,
  headers,
  body: { json: body, digest: "" },
  tagged: false
})

const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."

const limited = (failure: Extract<Failure, { kind: "limit" }>, clock: ForgeClock): Refusal => {
  const status = failure.status ?? 403
  const seconds = failure.seconds ?? 60
  switch (failure.shape) {
    case "retry-after":
      return {
        answer: refusal(status, secondary, { "retry-after": String(seconds) }),
        withoutRate: false
      }
    case "reset":
      return {
        answer: refusal(status, "API rate limit exceeded for user ID 1000.", {
          "x-ratelimit-remaining": "0",
          "x-ratelimit-reset": String(Math.floor(clock.now() / 1000) + seconds)
        }),
        withoutRate: false
      }
    case "message":
      return { answer: refusal(status, secondary), withoutRate: false }
    case "bare":
      return { answer: refusal(status, "Please try again later."), withoutRate: true }
    case "html":
      return {
        answer: text(status, "<html><body><h1>Whoa there!</h1></body></html>", {
          "content-type": "text/html; charset=utf-8"
        }),
        withoutRate: true
      }
  }
}

/** What a fault answers by itself; undefined where the resource still answers. */
export const refusalOf = (failure: Failure, clock: ForgeClock): Refusal | undefined => {
  if (failure.kind === "limit") return limited(failure, clock)
  if (failure.kind !== "status") return undefined
  const headers = failure.headers ?? {}
  return {
    answer:
      failure.body === undefined
        ? refusal(failure.status, `Status ${failure.status}`, headers)
        : text(failure.status, failure.body, headers),
    withoutRate: false
  }
}
