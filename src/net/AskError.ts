/**
 * AskError: why a request brought no usable answer, told apart as far as callers act on the difference.
 */
import * as Schema from "effect/Schema"

/**
 * Network: no connection. Unauthorized: no credential, or a refused one. Limited: a rate limit. Forbidden, Missing,
 * Gone, Moved: 403, 404, 410, 3xx. Refused: another 4xx. BadAnswer: not what was asked for. Unavailable: 5xx, or no
 * answer in time.
 */
export const AskReason = Schema.Literals([
  "Network",
  "Unauthorized",
  "Forbidden",
  "Limited",
  "Missing",
  "Gone",
  "Moved",
  "Refused",
  "BadAnswer",
  "Unavailable"
])
export type AskReason = typeof AskReason.Type

export class AskError extends Schema.TaggedError<AskError>()("AskError", {
  reason: AskReason,
  /** What happened, where, and the mend; never a secret. */
  message: Schema.String,
  /** What the server said, shortened and free of control characters; empty when it said nothing. */
  said: Schema.String,
  /** Milliseconds from now before which asking again is wrong. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  /** `Moved`: where to, as the server wrote it. */
  location: Schema.optionalKey(Schema.String)
}) {}

/** The failures that concern everyone who asks this host with this credential. */
export const concernsHost = (reason: AskReason): boolean =>
  reason === "Network" || reason === "Unauthorized" || reason === "Limited"
