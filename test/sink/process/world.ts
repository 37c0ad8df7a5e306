/** A process sink over a folder of its own, and agents that are small sh scripts. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schedule from "effect/Schedule"
import { readdirSync, readFileSync } from "node:fs"
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

/** Whether anything but a run's clock still works for this world: a wrapper that lost, one that is about to leave. */
const isBusy = (config: string) =>
  Effect.sync(() =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name))
      .some((pid) => {
        try {
          const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
          return environment.includes(`HEED_CONFIG=${config}`) && !environment.includes("HEED_WRAPPER=clock")
        } catch {
          // It has left meanwhile, or is somebody else's.
          return false
        }
      })
  )

export const processWorld = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "heed-sink-" })
  const runs = `${folder}/root/runs`
  yield* Effect.addFinalizer(() =>
    isBusy(`${folder}/heed.yaml`).pipe(
      Effect.repeat({ while: (busy) => busy, schedule: Schedule.spaced("10 millis") }),
      Effect.timeoutOption("10 seconds"),
      Effect.interruptible
    )
  )
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
