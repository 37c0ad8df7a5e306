/**
 * Api: GitHub's REST interface through the gateway: decoded replies, walks over pages, and the errors of a source.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AskError, AskReason } from "../../net/AskError.ts"
import type { Answer } from "../../net/Exchange.ts"
import type { Door } from "../../net/Gateway.ts"
import { SourceError } from "../Provider.ts"

/** Headers of every request; this media type carries raw markdown in `body` (traps B21). */
export const headers = {
  accept: "application/vnd.github+json",
  "x-github-api-version": "2022-11-28"
}

/** One walk's bound; a listing with more is said to be incomplete. */
export const mostPages = 100

const reasons: { readonly [Reason in AskReason]: SourceError["reason"] } = {
  Network: "Network",
  Unauthorized: "Unauthorized",
  Forbidden: "Forbidden",
  Limited: "Limited",
  Missing: "Missing",
  Gone: "Missing",
  Moved: "Moved",
  Refused: "BadAnswer",
  BadAnswer: "BadAnswer",
  Unavailable: "Unavailable"
}

/** The source's error; `message` where the place makes more of it than the gateway could know. */
export const sourceError = (error: AskError, message = error.message): SourceError =>
  new SourceError({
    reason: reasons[error.reason],
    message,
    ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter })
  })

export const badAnswer = (what: string) =>
  new SourceError({ reason: "BadAnswer", message: `GitHub's answer about ${what} was not as documented.` })

/** Decodes one reply. */
export const decodeAnswer = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  answer: Answer,
  what: string
) =>
  Option.match(Schema.decodeUnknownOption(schema)(answer.body), {
    onNone: () => Effect.fail(badAnswer(what)),
    onSome: (value) => Effect.succeed(value)
  })

/** The rows of a page one by one: one that is not as documented loses itself alone (traps B23). */
export const decodeRows = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  answer: Answer,
  what: string
) => {
  const decode = Schema.decodeUnknownOption(schema)
  if (!Array.isArray(answer.body)) return Effect.fail(badAnswer(what))
  const decoded = answer.body.map((row: Schema.Json) => decode(row))
  const rows = decoded.flatMap((row) => (Option.isSome(row) ? [row.value] : []))
  return rows.length === 0 && decoded.length > 0
    ? Effect.fail(badAnswer(what))
    : Effect.succeed({ rows, lost: decoded.length - rows.length })
}

/** What a walk read: whole unless it failed on its way, was capped, or lost a row. */
export interface Walk<A> {
  readonly rows: ReadonlyArray<A>
  readonly complete: boolean
  /** What stopped it, where that concerns this list alone. */
  readonly stopped?: AskError
}

const ofThisList = (error: AskError) =>
  error.reason === "Forbidden" ||
  error.reason === "Missing" ||
  error.reason === "Gone" ||
  error.reason === "Unavailable"

/**
 * Reads a list to its end by `rel="next"` alone (traps B08). A failure of this list alone ends the walk and is told in
 * it; any other fails the walk.
 */
export const walk = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  door: Door,
  path: string,
  schema: S,
  what: string
) {
  const rows: Array<S["Type"]> = []
  let complete = true
  let next: string | undefined = path
  for (let page = 1; next !== undefined; page += 1) {
    if (page > mostPages) return { rows, complete: false } satisfies Walk<S["Type"]>
    const answer: Answer | AskError = yield* door
      .ask({ method: "GET", path: next })
      .pipe(Effect.catchIf(ofThisList, (error) => Effect.succeed(error)))
    if ("_tag" in answer) {
      return { rows, complete: false, stopped: answer } satisfies Walk<S["Type"]>
    }
    const read: { rows: ReadonlyArray<S["Type"]>; lost: number } = yield* decodeRows(schema, answer, what)
    rows.push(...read.rows)
    complete &&= read.lost === 0
    next = answer.links["next"]
  }
  return { rows, complete } satisfies Walk<S["Type"]>
})
