/**
 * Whether a run is still at work. A wrapper that was killed leaves its agent behind, so it is the group that lives;
 * and a number says little, so a member is known by the hand-over's id in its environment (traps B76).
 */
import * as Effect from "effect/Effect"
import * as ProcessGroup from "../../disk/ProcessGroup.ts"
import { identify, isAlive, type ProcessIdentity } from "../../disk/ProcessIdentity.ts"
import type { HandOverTry } from "../../domain/HandOver.ts"
import { membership } from "../AgentEnvironment.ts"
import { clockMark } from "./Wrapper.ts"

/** Answers about the runs of this machine; needs Linux's `/proc`. */
export const make = Effect.gen(function* () {
  const group = yield* ProcessGroup.make
  const hasMembers = (which: HandOverTry, wrapper: ProcessIdentity) =>
    group
      .members(wrapper)
      .pipe(
        Effect.map((members) =>
          members.some(({ environment }) => environment?.has(membership(which.id)) === true)
        )
      )

  /**
   * A number is given to a new process only once nothing of the group is left that bears it: where another one leads, the
   * run is over. A member that nobody can look into may be the agent under another user's name: it counts.
   */
  const isAtWork = Effect.fnUntraced(function* (which: HandOverTry, wrapper: ProcessIdentity) {
    const leader = yield* identify(wrapper.pid)
    if (leader !== undefined) {
      return leader.startTime === wrapper.startTime && leader.bootId === wrapper.bootId
    }
    const members = yield* group.members(wrapper)
    return members.some(
      ({ environment }) =>
        environment === undefined || (environment.has(membership(which.id)) && !environment.has(clockMark))
    )
  })

  return {
    /** Looks twice before it says no: a process that is just replacing its program shows no environment. */
    isRunning: Effect.fnUntraced(function* (which: HandOverTry, wrapper: ProcessIdentity) {
      if (yield* isAtWork(which, wrapper)) return true
      yield* Effect.sleep("50 millis")
      return yield* isAtWork(which, wrapper)
    }),

    /** Whether a process of this group certainly is the hand-over's: only then may the group be signalled. */
    hasMembers,

    /** Whether anything of the run is left. A process that is just leaving has lost its environment already. */
    isPresent: Effect.fnUntraced(function* (which: HandOverTry, wrapper: ProcessIdentity) {
      return (yield* isAlive(wrapper)) || (yield* hasMembers(which, wrapper))
    }),

    isOfThisBoot: (wrapper: ProcessIdentity) =>
      Effect.map(identify(process.pid), (me) => me?.bootId === wrapper.bootId),

    signal: group.signal
  } as const
})

/** What `make` answers with. */
export type RunLiveness = Effect.Success<typeof make>
