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

const interrupted = Ref.makeUnsafe(130)

/** A second signal ends the process at once, whatever the first one still waits for. */
let signals = 0
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    signals += 1
    if (signals > 1) process.exit(Ref.getUnsafe(interrupted) || 1)
  })

// Whoever read our output has gone: there is nobody to tell, and for a daemon nothing to stop for.
process.stdout.on("error", () => process.exit(0))
process.stderr.on("error", () => {})

Cli.run(process.argv.slice(2)).pipe(
  Effect.provide(Layer.mergeAll(NodeServices.layer, Live.layer, Layer.succeed(Ending, { interrupted }))),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      onExit(
        Exit.isSuccess(exit)
          ? typeof exit.value === "number"
            ? exit.value
            : 0
          : Cause.hasInterruptsOnly(exit.cause)
            ? Ref.getUnsafe(interrupted)
            : 1
      )
  })
)
