/** A tmux sink over a folder and a server of its own, and agents that are small sh scripts. */
import { it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { execFileSync, spawn } from "node:child_process"
import type { HandOver } from "../../../src/domain/HandOver.ts"
import * as TmuxSink from "../../../src/sink/tmux/TmuxSink.ts"
import type { SessionAt } from "../../../src/sink/Sink.ts"
import type { World } from "../contract.ts"
import { handOver } from "../handOver.ts"

/** A sink whose sessions stay open. */
export type TmuxSinkService = Effect.Success<ReturnType<typeof TmuxSink.make>>

export interface TmuxWorld extends World {
  readonly sink: TmuxSinkService
  /** A folder of the test's own, which is also the agents' working folder. */
  readonly folder: string
  readonly options: TmuxSink.TmuxSinkOptions
  /** A hand-over whose agent is this sh script. */
  readonly script: (text: string, changes?: Partial<HandOver>, plan?: Partial<HandOver["plan"]>) => HandOver
  readonly read: (file: string) => Effect.Effect<string>
  /** Asks the world's server something, as a person would. */
  readonly tmux: (...args: ReadonlyArray<string>) => string
  readonly touch: (file: string) => Effect.Effect<void>
  /** Of a session: its pane, its tmux session, and its pane's process. */
  readonly pane: (session: string) => string
  readonly home: (session: string) => string
  readonly pid: (session: string) => number
  /** Another heed over the same server and runs. */
  readonly another: (changes?: Partial<TmuxSink.TmuxSinkOptions>) => Effect.Effect<TmuxSinkService>
}

/** Takes bytes as they come, as an agent with a screen of its own does, and logs them. */
export const takesAll = (log: string) => `stty raw -echo; printf '\\033[?2004h> '; exec cat >> ${log}`

/** What was submitted to an agent that takes everything, one paste each. */
export const pastes = (log: string): ReadonlyArray<string> =>
  log.split("\u001b[200~").flatMap((part) => {
    const end = part.indexOf("\u001b[201~\r")
    return end === -1 ? [] : [part.slice(0, end)]
  })

/** The next hand-over of the same session. */
export const next = (one: HandOver, prompt: string, changes: Partial<HandOver> = {}): HandOver => ({
  ...one,
  id: handOver().id,
  kind: "words",
  opens: false,
  prompt,
  ...changes
})

/** Opens the session of a hand-over and answers with how it is asked about. */
export const opened = Effect.fnUntraced(function* (sink: TmuxSinkService, one: HandOver) {
  const seat = yield* sink.stays.seat
  yield* sink.prepare(one)
  yield* sink.stays.open(one)
  return { id: one.session.id, newest: one, seat } satisfies SessionAt
})

/** Waits until a file of the world's satisfies a condition. */
export const reads = (world: TmuxWorld, file: string, until: (text: string) => boolean) =>
  world.read(file).pipe(
    Effect.repeat({ until, schedule: Schedule.spaced("10 millis") }),
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.flatMap(world.read(file), (text) => Effect.die(new Error(`${file}: ${text}`)))
    })
  )

/** A `tmux` before the real one in the PATH, which does something else for the lists that match. */
export const shim = Effect.fnUntraced(
  function* (world: TmuxWorld, script: string) {
    const fs = yield* FileSystem.FileSystem
    const real = execFileSync("sh", ["-c", "command -v tmux"], { encoding: "utf8" }).trim()
    const folder = `${world.folder}/shim-${handOver().id}`
    yield* fs.makeDirectory(folder)
    yield* fs.writeFileString(`${folder}/tmux`, `#!/bin/sh\ntmux=${real}\n${script}\nexec $tmux "$@"\n`, {
      mode: 0o755
    })
    return { variables: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` } }
  },
  Effect.orDie,
  Effect.provide(NodeServices.layer)
)

/** A person's terminal on a session, until the scope ends or it is closed. */
export const attached = Effect.fnUntraced(function* (world: TmuxWorld, session: string) {
  const client = spawn("tmux", ["-C", "-S", world.options.tmuxSocket, "attach-session", "-t", session], {
    stdio: ["pipe", "ignore", "ignore"]
  })
  const close = Effect.callback<void>((resume) => {
    if (client.exitCode !== null) return resume(Effect.void)
    client.on("exit", () => resume(Effect.void))
    client.stdin.end()
  })
  yield* Effect.addFinalizer(() => close)
  const count = Effect.sync(() => world.tmux("display-message", "-p", "-t", session, "#{session_attached}"))
  yield* Effect.repeat(count, {
    until: (text) => text.trim() === "1",
    schedule: Schedule.spaced("10 millis")
  })
  return { close }
})

/** The agents of tests say when they are ready. */
export const soon = { delay: 20, pattern: "^> *$", timeout: 10_000 }

export const tmuxWorld: Effect.Effect<TmuxWorld, never, Scope.Scope> = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "heed-tmux-" })
  yield* fs.makeDirectory(`${folder}/root`)
  const options: TmuxSink.TmuxSinkOptions = {
    runs: `${folder}/root/runs`,
    tmuxSocket: `${folder}/root/tmux.sock`,
    config: `${folder}/heed.yaml`,
    heedFolder: "/opt/heed/bin",
    variables: process.env,
    grace: 300
  }
  const tmux = (...args: ReadonlyArray<string>) =>
    execFileSync("tmux", ["-u", "-N", "-S", options.tmuxSocket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 10_000
    })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      try {
        tmux("kill-server")
      } catch {
        // The test has ended it, or never began one.
      }
    })
  )
  const another: TmuxWorld["another"] = (changes = {}) =>
    TmuxSink.make({ ...options, ...changes }).pipe(Effect.provide(NodeServices.layer))
  const script: TmuxWorld["script"] = (text, changes = {}, plan = {}) =>
    handOver({ sink: "tmux", command: ["sh", "-c", text], cwd: folder, ready: soon, ...plan }, changes)
  const read = (file: string) => fs.readFileString(`${folder}/${file}`).pipe(Effect.orElseSucceed(() => ""))
  const { session, conversation } = handOver()
  const paneOf = (id: string) =>
    tmux("list-panes", "-a", "-F", "#{@heed-session} #{session_id} #{pane_pid} #{pane_id}")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([session]) => session === id) ?? []
  return {
    sink: yield* another(),
    folder,
    options,
    script,
    read,
    tmux,
    another,
    touch: (file) => Effect.orDie(fs.writeFileString(`${folder}/${file}`, "")),
    pane: (session) => paneOf(session)[3] ?? "",
    home: (session) => paneOf(session)[1] ?? "",
    pid: (session) => Number(paneOf(session)[2]),
    agent: (_behaviour, changes = {}) => script(takesAll("inbox"), { session, conversation, ...changes }),
    // What a terminal was given may reach its program a moment later.
    inbox: read("inbox").pipe(
      Effect.repeat({
        until: (text) => text === "" || text.endsWith("\r"),
        schedule: Schedule.spaced("10 millis")
      }),
      Effect.map(pastes)
    ),
    release: () => Effect.void
  } satisfies TmuxWorld
}).pipe(Effect.orDie, Effect.provide(NodeServices.layer))

/** A test in a tmux world of its own. */
export const test = (title: string, body: (world: TmuxWorld) => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(title, () => Effect.flatMap(tmuxWorld, body))
