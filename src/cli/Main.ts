/**
 * Main: the command line as a process: its live layers, its signals, its exit code.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Cli from "./Cli.ts"
import { Ending } from "./Ending.ts"
import * as Live from "./Live.ts"
import type { Wiring } from "./Wiring.ts"

/**
 * Runs the process's own command line. Its first signal interrupts the command, which for a daemon is a stop; a second
 * one ends the process at once, whatever the first still waits for.
 */
export const main = (wiring: Wiring): void => {
  const interrupted = Ref.makeUnsafe(130)
  let signals = 0
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      signals += 1
      if (signals > 1) process.exit(Ref.getUnsafe(interrupted) || 1)
    })
  // A terminal that was closed is a stop as well; shell and kernel may both say so.
  process.on("SIGHUP", () => {
    if (signals === 0) process.emit("SIGTERM", "SIGTERM")
  })
  // Whoever read our output has gone: there is nobody to tell, and for a daemon nothing to stop for.
  process.stdout.on("error", () => process.exit(0))
  process.stderr.on("error", () => {})

  Cli.run(process.argv.slice(2)).pipe(
    Effect.provide(
      Layer.mergeAll(Live.layer(wiring), Layer.succeed(Ending, { interrupted })).pipe(
        Layer.provideMerge(NodeServices.layer)
      )
    ),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => onExit(codeOf(exit, Ref.getUnsafe(interrupted)))
    })
  )
}

const codeOf = <E, A>(exit: Exit.Exit<E, A>, interrupted: number): number => {
  if (Exit.isSuccess(exit)) return typeof exit.value === "number" ? exit.value : 0
  return Cause.hasInterruptsOnly(exit.cause) ? interrupted : 1
}
