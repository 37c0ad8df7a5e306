/**
 * A signal to the holder of a lock, sent only to the very process that took it (G2.1).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isAlive } from "../disk/ProcessIdentity.ts"
import type { Holder } from "../disk/RunLock.ts"

export class TerminateError extends Schema.TaggedError<TerminateError>()("TerminateError", {
  /** Foreign: no such process, or another one with its number. Denied: it belongs to another user. */
  reason: Schema.Literals(["Foreign", "Denied"]),
  message: Schema.String
}) {}

/** SIGTERM to the holder. Only for a pid above 1: 0 and -1 name many processes, 1 is never heed's to end. */
export const terminate = Effect.fn("Terminate.terminate")(function* (holder: Holder) {
  if (holder.pid <= 1 || holder.pid === process.pid || !(yield* isAlive(holder)))
    return yield* new TerminateError({
      reason: "Foreign",
      message: `process ${holder.pid} is not the one that took the lock`
    })
  yield* Effect.try({
    try: () => process.kill(holder.pid, "SIGTERM"),
    catch: (cause) =>
      new TerminateError({
        reason: cause instanceof Error && "code" in cause && cause.code === "ESRCH" ? "Foreign" : "Denied",
        message: `process ${holder.pid} cannot be signalled: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })
})
