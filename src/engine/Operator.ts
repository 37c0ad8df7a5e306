/**
 * Operator: what a person may do to an item from the command line. The running daemon does it at the request of a
 * command; without a daemon the command does it itself, under the lock.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Ref } from "../domain/Ref.ts"

export class OperatorError extends Schema.TaggedError<OperatorError>()("OperatorError", {
  reason: Schema.Literals(["Unknown", "Nothing", "Frozen", "Unwritable"]),
  message: Schema.String
}) {}

export class Operator extends Context.Service<
  Operator,
  {
    /** Re-arms what was given up or settled on the item, and answers with what that was, in words. */
    readonly retry: (ref: Ref) => Effect.Effect<string, OperatorError>
    readonly pause: (ref: Ref) => Effect.Effect<string, OperatorError>
    readonly resume: (ref: Ref) => Effect.Effect<string, OperatorError>
    /** Ends the item's sessions for good; a run at work gets its grace. */
    readonly stop: (ref: Ref) => Effect.Effect<string, OperatorError>
  }
>()("heed/engine/Operator") {}
