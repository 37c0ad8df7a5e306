/**
 * The demo's stage: a forge, a folder for state and agent, and heed itself as a process of its own, that can be stopped
 * and killed like any other.
 */
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Forge } from "../../forge/Forge.ts"
import { type LogLine, LogLine as LogLineSchema } from "../../state/EventLog.ts"
import { refused } from "../Failure.ts"
import { agentProgram } from "./Agent.ts"

export const repo = "acme/app"
const token = "demo-token"

/** What the agent wrote down about its runs. */
const Note = Schema.Struct({
  run: Schema.String,
  began: Schema.optionalKey(Schema.Literal(true)),
  ended: Schema.optionalKey(Schema.Literal(true)),
  words: Schema.optionalKey(Schema.Array(Schema.String)),
  prompt: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Int)
})
export type Note = typeof Note.Type

/** How long the demo's agent takes for a run, in milliseconds: long enough to kill heed meanwhile. */
const work = 1500

const config = (forge: string, agent: string, inbox: string) => `version: 1
polling: { interval: 300ms }
sources:
  - { provider: github, apiUrl: "${forge}", auth: { env: DEMO_TOKEN }, repos: [${repo}] }
access: { users: [alice] }
agents:
  default:
    sink: process
    command: ["${process.execPath}", "${agent}"]
    env: { DEMO_INBOX: "${inbox}", DEMO_FORGE: "${forge}", DEMO_WORK: "${work}" }
    passEnv: [DEMO_TOKEN]
`

const decodeLines = <A>(schema: Schema.Codec<A, Schema.Json>, text: string): ReadonlyArray<A> =>
  text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => Schema.decodeUnknownSync(Schema.fromJsonString(schema))(line))

export const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const forge = yield* Forge.make()
  const folder = yield* files.makeTempDirectoryScoped({ prefix: "heed-demo-" })
  const at = (name: string) => path.join(folder, name)
  yield* files.writeFileString(at("agent.mjs"), agentProgram)
  yield* files.writeFileString(at("heed.yaml"), config(forge.url, at("agent.mjs"), at("inbox.jsonl")))
  for (const login of ["acme", "alice", "mallory", "heed-bot"]) yield* forge.addAccount({ login })
  yield* forge.addRepo({ repo })
  yield* forge.addToken({ token, login: "heed-bot" })
  yield* forge.setRole({ repo, login: "heed-bot", role: "write" })

  const read = (name: string) =>
    // Before the first line there is no file.
    files.readFileString(at(name)).pipe(Effect.orElseSucceed(() => ""))

  const notes = Effect.map(read("inbox.jsonl"), (text) => decodeLines(Note, text))
  const events = Effect.map(read(path.join(".heed", "events.jsonl")), (text) =>
    decodeLines(LogLineSchema, text)
  )

  const variables = yield* Effect.all({ PATH: Config.String("PATH"), HOME: Config.String("HOME") })
  const command = (args: ReadonlyArray<string>) =>
    ChildProcess.make(process.execPath, [process.argv[1] ?? "", ...args, "--config", at("heed.yaml")], {
      env: { ...variables, DEMO_TOKEN: token, NO_COLOR: "1" },
      stdin: "ignore",
      stderr: "ignore",
      forceKillAfter: "3 seconds"
    })

  /** Starts heed as a process of its own; closing the scope ends it. */
  const start = spawner.spawn(command(["start"]))

  /** What a command of heed's prints. */
  const ask = (...args: ReadonlyArray<string>) => spawner.string(command(args))

  /** Waits until something was seen; a demo that waits too long says for what. */
  const until = <A>(
    what: string,
    look: Effect.Effect<A | undefined>
  ): Effect.Effect<A, ReturnType<typeof refused>> =>
    look.pipe(
      Effect.repeat({ until: (seen) => seen !== undefined, schedule: Schedule.spaced("50 millis") }),
      Effect.flatMap((seen) => (seen === undefined ? Effect.never : Effect.succeed(seen))),
      Effect.timeoutOrElse({
        duration: "20 seconds",
        orElse: () =>
          Effect.fail(refused(`the demo waited 20 seconds for ${what}, in vain; its state is gone with it`))
      })
    )

  /** Waits for a line of the event log that came after `since`. */
  const event = (what: string, since: number, isIt: (line: LogLine) => boolean) =>
    until(
      what,
      Effect.map(events, (lines) => lines.find((line) => Date.parse(line.ts) >= since && isIt(line)))
    )

  return { forge, notes, start, ask, until, event, now: Clock.currentTimeMillis }
})
export type Stage = Effect.Success<typeof make>
