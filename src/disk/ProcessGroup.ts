/**
 * What is alive of a process group, and signals to it. Effect starts processes but cannot ask about, or signal, one
 * that an earlier run of the program has started. Linux: it reads `/proc`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessMark {
  readonly pid: number
  /** Clock ticks since boot at which it began, as `/proc/<pid>/stat` tells. */
  readonly startTime: string
  readonly bootId: string
}

/** One living process of a group. `ours`: its environment carries the variable that was asked for. */
export interface Member {
  readonly pid: number
  /** `Unreadable`: it belongs to another user, so nobody can tell. */
  readonly carries: "Yes" | "No" | "Unreadable"
}

interface Stat {
  readonly state: string
  readonly group: number
  readonly startTime: string
}

/** The command's name, the second field, may hold anything; the last `)` ends it. */
const parseStat = (text: string): Stat | undefined => {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, , group] = fields
  const startTime = fields[19]
  if (state === undefined || group === undefined || startTime === undefined) return undefined
  return { state, group: Number(group), startTime }
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

  const bootId = fs.readFileString("/proc/sys/kernel/random/boot_id").pipe(
    Effect.map((text) => text.trim()),
    Effect.orDie
  )

  const isAlive = Effect.fn("ProcessGroup.isAlive")(function* (mark: ProcessMark) {
    if (mark.bootId !== (yield* bootId)) return false
    const stat = yield* statOf(mark.pid)
    return stat !== undefined && !isDead(stat) && stat.startTime === mark.startTime
  })

  const carriage = (pid: number, variable: string): Effect.Effect<Member["carries"]> =>
    readProc(`/proc/${pid}/environ`).pipe(
      Effect.map((text): Member["carries"] => (text.split("\0").includes(variable) ? "Yes" : "No")),
      Effect.orElseSucceed((): Member["carries"] => "Unreadable")
    )

  const members = Effect.fn("ProcessGroup.members")(function* (leader: ProcessMark, variable: string) {
    if (leader.bootId !== (yield* bootId)) return []
    const names = yield* fs.readDirectory("/proc").pipe(Effect.orDie)
    const found: Array<Member> = []
    for (const name of names) {
      if (!/^\d+$/u.test(name)) continue
      const pid = Number(name)
      const stat = yield* statOf(pid)
      if (stat === undefined || isDead(stat) || stat.group !== leader.pid) continue
      found.push({ pid, carries: yield* carriage(pid, variable) })
    }
    return found
  })

  return {
    /** Whether this very process lives. */
    isAlive,
    /** The living processes of the group that `leader` began, whether or not the leader itself is among them. */
    members,
    /** Signals a whole group. 0, 1 and the caller's own number name more than one group, and are refused. */
    signal: Effect.fn("ProcessGroup.signal")(function* (leader: ProcessMark, signal: "SIGTERM" | "SIGKILL") {
      if (leader.pid <= 1 || leader.pid === process.pid) {
        return yield* Effect.die(new Error(`no process group of ours has the number ${leader.pid}`))
      }
      yield* Effect.try({
        try: () => process.kill(-leader.pid, signal),
        catch: (cause) => cause
      }).pipe(
        // The group ended between the look and the signal, which is what the signal was for.
        Effect.ignore
      )
    })
  } as const
})

export type ProcessGroup = Effect.Success<typeof make>
