/** Real processes around a lock: started by a test, waited for, and gone when it ends. */
import * as Effect from "effect/Effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"

const script = join(import.meta.dirname, "holder.ts")

export interface Running {
  readonly pid: number
  /** The line with which it said that it is ready. */
  readonly said: string
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  /** Sends a signal and waits for the end. */
  readonly end: (name: NodeJS.Signals) => Effect.Effect<void>
}

const gone = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

/** Starts a command for the scope's life and waits for its first line. */
export const started = (file: string, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] })),
      (child) =>
        Effect.suspend(() => {
          child.kill("SIGKILL")
          return gone(child)
        })
    )
    const said = yield* Effect.callback<string, Error>((resume) => {
      createInterface({ input: child.stdout }).once("line", (line) => resume(Effect.succeed(line)))
      child.once("error", (failure) => resume(Effect.fail(failure)))
      child.once("exit", (code, signal) => resume(Effect.fail(new Error(`${file} ended: ${code ?? signal}`))))
    })
    const signal = (name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
    return {
      pid: child.pid ?? 0,
      said,
      signal,
      end: (name) => Effect.andThen(signal(name), gone(child))
    } satisfies Running
  })

/** The command that runs `holder.ts` in a mode of its own. */
export const holderCommand = (mode: string, root: string, argument = ""): ReadonlyArray<string> => [
  process.execPath,
  script,
  mode,
  root,
  argument
]

/** Starts `holder.ts`. */
export const holder = (mode: string, root: string, argument = "") => {
  const [file = "", ...args] = holderCommand(mode, root, argument)
  return started(file, args)
}

/** The exit code of a command that ends soon. */
export const exitCode = (file: string, args: ReadonlyArray<string>): number => {
  try {
    execFileSync(file, args, { stdio: "ignore", timeout: 20_000 })
    return 0
  } catch (failure) {
    return failure instanceof Error && "status" in failure && typeof failure.status === "number"
      ? failure.status
      : -1
  }
}
