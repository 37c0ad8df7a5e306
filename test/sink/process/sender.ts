/**
 * A heed of its own for crash tests: prepares and sends the hand-overs of a file, one after the other, and kills itself
 * at the step it is told to, if it is. Arguments: options and hand-overs as a JSON file, times each is sent at once,
 * step.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync, writeSync } from "node:fs"
import { HandOver } from "../../../src/domain/HandOver.ts"
import * as ProcessSink from "../../../src/sink/process/ProcessSink.ts"

const Orders = Schema.fromJsonString(
  Schema.Struct({ runs: Schema.String, config: Schema.String, handOvers: Schema.Array(HandOver) })
)

const [, , file = "", times = "1", step = ""] = process.argv
const { runs, config, handOvers } = Schema.decodeSync(Orders)(readFileSync(file, "utf8"))

const dieAt = (point: string) =>
  Effect.sync(() => {
    if (point === step) process.kill(process.pid, "SIGKILL")
  })

const main = Effect.gen(function* () {
  const sink = yield* ProcessSink.make({
    runs,
    config,
    heedFolder: "/opt/heed",
    variables: process.env,
    maxPerRun: 1_000_000
  })
  writeSync(1, "ready\n")
  for (const one of handOvers) {
    yield* dieAt("before prepare")
    yield* sink.prepare(one)
    yield* dieAt("prepared")
    yield* Effect.forEach(
      Array.from({ length: Number(times) }),
      () =>
        sink.send(one).pipe(
          // Its own fiber goes on while the process is killed under it.
          Effect.raceFirst(
            step === "sending" ? Effect.andThen(Effect.sleep("2 millis"), dieAt("sending")) : Effect.never
          )
        ),
      { concurrency: "unbounded", discard: true }
    )
    yield* dieAt("sent")
  }
})

await Effect.runPromise(main.pipe(Effect.provide(NodeServices.layer)))
