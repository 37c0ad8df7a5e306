/**
 * Failure: why a command did not do what was asked: one clear text and the exit code that scripts rely on.
 */
import * as Schema from "effect/Schema"

/** What each reason means to a script (docs/operations.md). */
const codes = {
  /** Refused or failed: a held lock, nothing to stop, a stop that timed out, bad usage. */
  Refused: 1,
  /** A `--once` in which a source or an item failed, is frozen, or which was interrupted. */
  Incomplete: 75,
  /** The configuration is invalid. */
  Invalid: 78,
  /** No source, or no agent's sink, can work at all. */
  Unusable: 69
} as const

export class Failure extends Schema.TaggedError<Failure>()("Failure", {
  reason: Schema.Literals(["Refused", "Incomplete", "Invalid", "Unusable"]),
  /** What happened, where, and the mend; no stack, and nothing that a terminal would obey. */
  message: Schema.String
}) {}

/** The exit code of a failure. */
export const exitCode = (failure: Failure): number => codes[failure.reason]

/** A refusal: exit code 1. */
export const refused = (message: string): Failure => new Failure({ reason: "Refused", message })
