/** Runs a command line in this process, with the tests' house in a folder of its own. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as TestConsole from "effect/testing/TestConsole"
import * as Cli from "../../src/cli/Cli.ts"
import { Ending } from "../../src/cli/Ending.ts"
import * as Live from "../../src/cli/Live.ts"
import { type Behaviour, wiring } from "./wiring.ts"

export const heedYaml = `sources: [{ provider: github, repos: [acme/app] }]
access: { users: [alice] }
agents: { default: { sink: process, command: [agent] } }
`

const capabilities = Layer.succeed(TerminalCapabilities.TerminalCapabilities, {
  canColor: false,
  canAnimate: false,
  canPrompt: false
})

export const world = Layer.mergeAll(NodeServices.layer, capabilities)

/** A folder with a heed.yaml in it, gone with the scope. */
export const folder = Effect.fn("test.folder")(function* (yaml: string = heedYaml) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* fs.makeTempDirectoryScoped({ prefix: "heed-cli-" })
  yield* fs.writeFileString(`${path}/heed.yaml`, yaml)
  return path
})

/** Runs it and answers with its exit code and what it wrote. */
export const heed = Effect.fn("test.heed")(function* (
  args: ReadonlyArray<string>,
  behaviour: Behaviour = {}
) {
  const interrupted = yield* Ref.make(130)
  const fiber = yield* Cli.run(args).pipe(
    Effect.provide(
      Layer.mergeAll(Live.layer(wiring(behaviour)), Layer.succeed(Ending, { interrupted })).pipe(
        Layer.provideMerge(world)
      )
    ),
    Effect.forkChild
  )
  const code = yield* Fiber.join(fiber)
  const text = (lines: ReadonlyArray<unknown>) => lines.map(String).join("\n")
  return { code, out: text(yield* TestConsole.logLines), err: text(yield* TestConsole.errorLines) }
}, Effect.provide(TestConsole.layer))
