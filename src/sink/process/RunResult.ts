/**
 * How a run ended, judged from what lies in its folder and from what still lives of its group.
 */
import * as Effect from "effect/Effect"
import type { HandOverTry } from "../../domain/HandOver.ts"
import { oneLine } from "../../domain/PlainText.ts"
import { Secrets } from "../../net/Secrets.ts"
import type * as RunFolder from "../RunFolder.ts"
import type { Result } from "../Sink.ts"
import type * as RunLiveness from "./RunLiveness.ts"

/** sysexits' EX_TEMPFAIL: the agent says "not now", which costs no attempt. */
const notNow = 75

/** A `resume` that leaves this soon, in milliseconds, without a word on stdout had nothing to resume. */
const resumeTooShort = 5_000

/** Exit codes from here on tell of the signal that ended a process. */
const signalled = 128

const ended: Result = { _tag: "Failed", why: "heed ended the run" }

/** Looks for the result of a run; undefined while it is not over, or while the disk does not tell. */
export const make = (folder: RunFolder.RunFolder, liveness: RunLiveness.RunLiveness) => {
  /** What stderr, or else stdout, said last, for people. */
  const lastWords = Effect.fnUntraced(function* (which: HandOverTry) {
    const words = (yield* folder.tail(which, "stderr", 2_000)) || (yield* folder.tail(which, "stdout", 2_000))
    const line = [...(yield* Secrets).redact(oneLine(words))].slice(-500).join("")
    return line === "" ? "" : `: ${line}`
  })

  const judge = Effect.fnUntraced(function* (which: HandOverTry, exit: RunFolder.Exit) {
    if (exit.code === 0) return { _tag: "Done" } as const satisfies Result
    if (yield* folder.wasEnded(which)) return ended
    const words = yield* lastWords(which)
    if (exit.code === notNow) {
      return {
        _tag: "NotNow",
        why: `the agent says "not now" (exit ${notNow})${words}`
      } as const satisfies Result
    }
    const why = `the agent left with exit code ${exit.code}${words}`
    if (
      exit.code < signalled &&
      exit.took < resumeTooShort &&
      (yield* folder.tail(which, "stdout", 1)) === ""
    ) {
      const handOver = yield* folder.read(which)
      if (handOver !== undefined && !handOver.opens && handOver.plan.resume !== undefined) {
        return { _tag: "ConversationLost", why } as const satisfies Result
      }
    }
    return { _tag: "Failed", why } as const satisfies Result
  })

  return Effect.fnUntraced(
    function* (which: HandOverTry) {
      const exit = yield* folder.exit(which)
      if (exit !== undefined) return yield* judge(which, exit)
      const claim = yield* folder.claimState(which)
      if (claim._tag === "Unreadable") return undefined
      if (claim._tag !== "Taken") {
        return { _tag: "Failed", why: `no run began in ${folder.folderOf(which)}` } as const satisfies Result
      }
      if (yield* liveness.isRunning(which, claim.by)) return undefined
      // It may have left between the first look and the second.
      const late = yield* folder.exit(which)
      if (late !== undefined) return yield* judge(which, late)
      if (yield* folder.wasEnded(which)) return ended
      const handOver = yield* folder.read(which)
      const words = yield* lastWords(which)
      if (yield* folder.timedOut(which)) {
        const why = `the run was ended after its time-out of ${(handOver?.plan.timeout ?? 0) / 1000} s`
        return { _tag: "Failed", why: `${why}${words}` } as const satisfies Result
      }
      // An agent that breaks leaves its wrapper, and with it an exit code.
      const why = (yield* liveness.isOfThisBoot(claim.by))
        ? "the run vanished without an exit code"
        : "the machine went down while the agent was at work"
      return { _tag: "Failed", why: `${why}${words}`, vanished: true } as const satisfies Result
    },
    // Unreadable is not over: the next tick asks again.
    Effect.orElseSucceed((): Result | undefined => undefined)
  )
}
