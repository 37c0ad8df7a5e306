/** A forge in a process of its own: prints `{"url":…,"pid":…}` and runs until a signal. `node src/forge/main.ts [PORT]` */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { Forge } from "./Forge.ts"

const program = Effect.gen(function* () {
  const port = Number(process.argv[2] ?? "0")
  const { url } = yield* Forge.make({ port })
  process.stdout.write(`${JSON.stringify({ url, pid: process.pid })}\n`)
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(program))
