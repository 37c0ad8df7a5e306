/**
 * ProcessIdentity: a process that cannot be mistaken for another one that got its pid later: pid, start time and the
 * boot it belongs to (G2.1, traps B73).
 */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since boot on Linux, a date elsewhere: only ever compared with itself. */
  readonly startTime: string
  /** Changes with every boot of the kernel. */
  readonly bootId: string
}

const command = (file: string, args: ReadonlyArray<string>): string =>
  execFileSync(file, args, {
    encoding: "utf8",
    timeout: 5_000,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" }
  }).trim()

/** The state letter and start time in `/proc/<pid>/stat`; the name in parentheses before them may hold anything. */
const linuxStat = (pid: number): { readonly state: string; readonly startTime: string } => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0] ?? "", startTime: fields[19] ?? "" }
}

const readStartTime = (pid: number): string => {
  if (process.platform !== "linux") return command("ps", ["-o", "lstart=", "-p", String(pid)])
  const { state, startTime } = linuxStat(pid)
  return state === "Z" || state === "X" ? "" : startTime
}

const readBootId = (): string =>
  process.platform === "linux"
    ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    : command("sysctl", ["-n", "kern.bootsessionuuid"])

/** The process that has `pid` now; undefined when none has, when it is a zombie, or when that cannot be known. */
export const identify = Effect.fn("ProcessIdentity.identify")(function* (pid: number) {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined
  return yield* Effect.try((): ProcessIdentity | undefined => {
    const startTime = readStartTime(pid)
    return startTime === "" ? undefined : { pid, startTime, bootId: readBootId() }
  }).pipe(
    // No such process, or a system that does not tell: nobody is identified, so nobody is signalled.
    Effect.orElseSucceed(() => undefined)
  )
})

/** Whether exactly this process lives: same pid, same start, same boot. The question before every signal. */
export const isAlive = Effect.fn("ProcessIdentity.isAlive")(function* (known: ProcessIdentity) {
  const now = yield* identify(known.pid)
  return now !== undefined && now.startTime === known.startTime && now.bootId === known.bootId
})
