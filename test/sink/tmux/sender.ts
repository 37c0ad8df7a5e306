/**
 * A heed of its own for crash tests: prepares and sends one hand-over after the other, until it is killed. Argument: a
 * JSON file with the sink's places and the hand-overs.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync, writeSync } from "node:fs"
import { HandOver } from "../../../src/domain/HandOver.ts"
import * as TmuxSink from "../../../src/sink/tmux/TmuxSink.ts"

const Orders = Schema.fromJsonString(
  Schema.Struct({
    runs: Schema.String,
    tmuxSocket: Schema.String,
    config: Schema.String,
    handOvers: Schema.Array(HandOver)
  })
)

const [, , file = ""] = process.argv
const { handOvers, ...places } = Schema.decodeSync(Orders)(readFileSync(file, "utf8"))

const main = Effect.gen(function* () {
  const sink = yield* TmuxSink.make({ ...places, heedFolder: "/opt/heed", variables: process.env })
  writeSync(1, "ready\n")
  for (const one of handOvers) {
    yield* sink.prepare(one)
    yield* sink.send(one)
  }
})

await Effect.runPromise(main.pipe(Effect.provide(NodeServices.layer)))
