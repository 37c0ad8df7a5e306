/**
 * What is alive of a process group, and signals to it. Effect starts processes but cannot ask about, or signal, one
 * that an earlier run of the program has started. Linux: it reads `/proc`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { identify, type ProcessIdentity } from "./ProcessIdentity.ts"

/** One living process of a group. */
export interface Member {
  readonly pid: number
  /** Its environment as it began, `NAME=value` each; undefined where it is another user's secret. */
  readonly environment: ReadonlySet<string> | undefined
}

interface Stat {
  readonly state: string
  readonly group: number
}

/** The command's name, the second field, may hold anything; the last `)` ends it. */
const parseStat = (text: string): Stat | undefined => {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, , group] = fields
  return state === undefined || group === undefined ? undefined : { state, group: Number(group) }
}

/** A zombie runs nothing and holds nothing; it only waits to be read. */
const isDead = (stat: Stat) => stat.state === "Z" || stat.state === "X"

export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem

  /** A process that ends while it is read is as good as none. */
  const readProc = (path: string) =>
    fs.readFileString(path).pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("")))
  const statOf = (pid: number) =>
    readProc(`/proc/${pid}/stat`).pipe(
      Effect.map(parseStat),
      // ESRCH while it is read: it has just ended.
      Effect.orElseSucceed(() => undefined)
    )

  const environmentOf = (pid: number): Effect.Effect<Member["environment"]> =>
    readProc(`/proc/${pid}/environ`).pipe(
      Effect.map((text) => new Set(text.split("\0"))),
      Effect.orElseSucceed(() => undefined)
    )

  const members = Effect.fn("ProcessGroup.members")(function* (leader: ProcessIdentity) {
    // Nothing outlives its boot, and our own process belongs to this one.
    if (leader.bootId !== (yield* identify(process.pid))?.bootId) return []
    const names = yield* fs.readDirectory("/proc").pipe(Effect.orDie)
    const found: Array<Member> = []
    for (const name of names) {
      if (!/^\d+$/u.test(name)) continue
      const pid = Number(name)
      const stat = yield* statOf(pid)
      if (stat === undefined || isDead(stat) || stat.group !== leader.pid) continue
      found.push({ pid, environment: yield* environmentOf(pid) })
    }
    return found
  })

  return {
    /** The living processes of the group that `leader` began, whether or not the leader itself is among them. */
    members,
    /** Signals a whole group. 0, 1 and the caller's own number name more than one group, and are refused. */
    signal: Effect.fn("ProcessGroup.signal")(function* (
      leader: ProcessIdentity,
      signal: "SIGTERM" | "SIGKILL"
    ) {
      if (leader.pid <= 1 || leader.pid === process.pid) {
        return yield* Effect.die(new Error(`no process group of ours has the number ${leader.pid}`))
      }
      yield* Effect.try({
        try: () => process.kill(-leader.pid, signal),
        catch: (cause) => cause
      }).pipe(
        Effect.catch((cause) =>
          // The group ended between the look and the signal, which is what the signal was for.
          cause instanceof Error && "code" in cause && cause.code === "ESRCH"
            ? Effect.void
            : Effect.logWarning(`process group ${leader.pid} does not take ${signal}: ${String(cause)}`)
        )
      )
    })
  } as const
})

export type ProcessGroup = Effect.Success<typeof make>
