/**
 * Whether a run is still at work. A wrapper that was killed leaves its agent behind, so it is the group that lives;
 * and a number says little, so a member is known by the hand-over's id in its environment (traps B76).
 */
import * as Effect from "effect/Effect"
import * as ProcessGroup from "../../disk/ProcessGroup.ts"
import { identify, isAlive, type ProcessIdentity } from "../../disk/ProcessIdentity.ts"
import type { HandOverTry } from "../../domain/HandOver.ts"
import { membership } from "./AgentEnvironment.ts"
import { clockMark } from "./Wrapper.ts"

export const make = Effect.gen(function* () {
  const group = yield* ProcessGroup.make
  return {
    /** A member that nobody can look into may be the agent under another user's name: it counts. */
    isRunning: Effect.fnUntraced(function* (which: HandOverTry, wrapper: ProcessIdentity) {
      if (yield* isAlive(wrapper)) return true
      const members = yield* group.members(wrapper)
      return members.some(
        ({ environment }) =>
          environment === undefined || (environment.has(membership(which.id)) && !environment.has(clockMark))
      )
    }),

    /** Whether a process of this group certainly is the hand-over's: only then may the group be signalled. */
    hasMembers: (which: HandOverTry, wrapper: ProcessIdentity) =>
      group
        .members(wrapper)
        .pipe(
          Effect.map((members) =>
            members.some(({ environment }) => environment?.has(membership(which.id)) === true)
          )
        ),

    isOfThisBoot: (wrapper: ProcessIdentity) =>
      Effect.map(identify(process.pid), (me) => me?.bootId === wrapper.bootId),

    signal: group.signal
  } as const
})
