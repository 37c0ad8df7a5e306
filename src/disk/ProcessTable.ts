/**
 * ProcessTable: the processes of this machine, as far as this user may look into them: to find those that nobody has a
 * handle of any more. Linux: it reads `/proc`.
 */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { isAlive, type ProcessIdentity } from "./ProcessIdentity.ts"

/** A living process. */
export interface ProcessRow {
  readonly pid: number
  /** As the kernel shows it, cut after 15 bytes. */
  readonly name: string
  readonly group: number
  /** As `ProcessIdentity` has it. */
  readonly startTime: string
}

/** What cannot be read belongs to somebody else, or has just left. */
const readProc = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const rowOf = (pid: number): ProcessRow | undefined => {
  const text = readProc(`/proc/${pid}/stat`)
  // The name may hold anything, parentheses too.
  const end = text.lastIndexOf(")")
  const fields = text.slice(end + 2).split(" ")
  const [state, , group] = fields
  const startTime = fields[19]
  if (startTime === undefined || state === "Z" || state === "X") return undefined
  return { pid, name: text.slice(text.indexOf("(") + 1, end), group: Number(group), startTime }
}

/** Everything that lives now. */
export const rows: Effect.Effect<ReadonlyArray<ProcessRow>> = Effect.sync(() =>
  readdirSync("/proc").flatMap((name) => {
    const row = /^\d+$/u.test(name) ? rowOf(Number(name)) : undefined
    return row === undefined ? [] : [row]
  })
)

const listAt = (path: string): ReadonlyArray<string> => readProc(path).split("\0")

/** `NAME=value` each, as it began; empty where nobody may look. */
export const environmentOf = (pid: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.sync(() => listAt(`/proc/${pid}/environ`))

/** What it was started with; empty where nobody may look. */
export const argumentsOf = (pid: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.sync(() => listAt(`/proc/${pid}/cmdline`))

/** Signals one process, if it still is the one that is meant. */
export const signal = Effect.fn("ProcessTable.signal")(function* (
  known: ProcessIdentity,
  name: "SIGTERM" | "SIGKILL" | "SIGUSR1"
) {
  if (known.pid <= 1 || known.pid === process.pid || !(yield* isAlive(known))) return
  yield* Effect.try({ try: () => process.kill(known.pid, name), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      // It ended between the look and the signal.
      cause instanceof Error && "code" in cause && cause.code === "ESRCH"
        ? Effect.void
        : Effect.logWarning(`process ${known.pid} does not take ${name}: ${String(cause)}`)
    )
  )
})
