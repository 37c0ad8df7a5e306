/** A process sink over a folder of its own, and agents that are small sh scripts. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { HandOver } from "../../../src/domain/HandOver.ts"
import * as ProcessSink from "../../../src/sink/process/ProcessSink.ts"
import type { Behaviour, World } from "../contract.ts"
import { handOver } from "../handOver.ts"

export interface ProcessWorld extends World {
  /** A folder of the test's own, which is also the agents' working folder. */
  readonly folder: string
  readonly runs: string
  readonly options: ProcessSink.ProcessSinkOptions
  /** A hand-over whose agent is this sh script. */
  readonly script: (text: string, changes?: Partial<HandOver>, plan?: Partial<HandOver["plan"]>) => HandOver
  readonly read: (file: string) => Effect.Effect<string>
}

/** Takes the prompt in as one line, appended at once. */
const takeIn = 'printf "%s\\n" "$(cat)" >> inbox'

const scripts: { readonly [behaviour in Behaviour]: string } = {
  succeeds: takeIn,
  fails: `${takeIn}; echo "it broke" >&2; exit 3`,
  "says not now": `${takeIn}; exit 75`,
  waits: `${takeIn}; while ! [ -e "release-$HEED_DELIVERY_ID" ]; do sleep 0.05; done`
}

export const behaviours: ReadonlyArray<Behaviour> = ["succeeds", "fails", "says not now", "waits"]

export const processWorld = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "heed-sink-" })
  const runs = `${folder}/root/runs`
  yield* fs.makeDirectory(`${folder}/root`)
  const options = {
    runs,
    config: `${folder}/heed.yaml`,
    heedFolder: "/opt/heed/bin",
    variables: process.env,
    maxPerRun: 1_000_000,
    grace: 300
  }
  const sink = yield* ProcessSink.make(options)
  const script: ProcessWorld["script"] = (text, changes = {}, plan = {}) =>
    handOver({ command: ["sh", "-c", text], cwd: folder, ...plan }, changes)
  const read = (file: string) => fs.readFileString(`${folder}/${file}`).pipe(Effect.orElseSucceed(() => ""))
  // One agent behaves differently from try to try, yet the hand-over stays the same.
  const id = handOver().id
  const world: ProcessWorld = {
    sink,
    folder,
    runs,
    options,
    script,
    read,
    agent: (behaviour, changes = {}) => script(scripts[behaviour], { id, ...changes }),
    inbox: read("inbox").pipe(Effect.map((text) => text.split("\n").filter((line) => line !== ""))),
    release: (one) => fs.writeFileString(`${folder}/release-${one.id}`, "").pipe(Effect.orDie)
  }
  return world
}).pipe(Effect.orDie, Effect.provide(NodeServices.layer))
