/** `heed sessions attach`, as a person runs it: a real terminal, a real tmux, a root on disk. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { inject } from "vitest"
import type { Session } from "../../src/domain/Record.ts"
import * as TmuxSink from "../../src/sink/tmux/TmuxSink.ts"
import { Ledger } from "../../src/state/Ledger.ts"
import { Root } from "../../src/state/Root.ts"
import { handOver } from "../sink/handOver.ts"
import { identityOf, record, session } from "../state/records.ts"

const makeRoot = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "heed-attach-" })
  const file = `${folder}/heed.yaml`
  const agents = "agents: { default: { sink: tmux, command: [sh], ready: { pattern: '^> $' } } }\n"
  yield* fs.writeFileString(
    file,
    `sources: [{ provider: github, repos: [acme/app] }]\naccess: { users: [alice] }\n${agents}`
  )
  const root = Root.layer({ path: `${folder}/.heed` })
  const { tmuxSocket, runs } = yield* Effect.provide(
    Effect.gen(function* () {
      return yield* Root
    }),
    root
  )
  const remember = (number: number, kept: Session) =>
    Ledger.use((ledger) =>
      ledger.modify(identityOf(number), () => [
        undefined,
        record(number, {
          sessions: { default: kept },
          waiting: [{ key: "start", agent: "default", at: kept.since, attempts: 0 }]
        })
      ])
    ).pipe(Effect.provide(Layer.provide(Ledger.layer, root)))
  const words = (ref: string) => [inject("heed"), "sessions", "attach", ref, "--config", file]
  return { folder, tmuxSocket, runs, remember, words }
})

describe("heed sessions attach", () => {
  it.live("puts a terminal on the open session of an item", () =>
    Effect.gen(function* () {
      const { folder, remember, runs, tmuxSocket, words } = yield* makeRoot
      const sink = yield* TmuxSink.make({
        runs,
        tmuxSocket,
        variables: process.env,
        config: "",
        heedFolder: "/opt/heed"
      })
      const tmux = (...args: ReadonlyArray<string>) =>
        execFileSync("tmux", ["-N", "-S", tmuxSocket, ...args], { encoding: "utf8" })
      yield* Effect.addFinalizer(() => Effect.sync(() => tmux("kill-server")))
      const one = handOver({
        sink: "tmux",
        command: ["sh", "-c", "printf '> '; exec cat > typed"],
        cwd: folder,
        ready: { delay: 10, pattern: "^> *$", timeout: 10_000 }
      })
      const seat = yield* sink.stays.seat
      yield* sink.prepare(one)
      yield* sink.stays.open(one)
      const { id } = one.session
      yield* remember(12, { ...session(id), plan: one.plan, seat })

      const elsewhere = spawnSync(process.execPath, words("acme/app#12"), { encoding: "utf8" })
      assert.strictEqual(elsewhere.status, 1)
      assert.match(elsewhere.stderr, /no terminal; in one, run: env -u TMUX .*attach-session/u)

      const line = [process.execPath, ...words("acme/app#12")].map((word) => `'${word}'`).join(" ")
      const terminal = spawn("script", ["-qec", line, "/dev/null"], {
        env: { ...process.env, TERM: "xterm" },
        stdio: ["pipe", "ignore", "ignore"]
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => terminal.kill("SIGKILL")))
      // It may leave while a key is being pressed.
      terminal.stdin.on("error", () => undefined)
      const left = Effect.callback<number | null>((resume) => {
        terminal.on("exit", (code) => resume(Effect.succeed(code)))
      })
      const attached = Effect.sync(() => tmux("list-sessions", "-F", "#{session_attached}").trim())
      yield* Effect.repeat(attached, {
        until: (count) => count === "1",
        schedule: Schedule.spaced("20 millis")
      })
      // A key that comes while the terminal is still being set up may be lost: a person presses it again.
      const pressing = (keys: string) =>
        Effect.sync(() => terminal.stdin.write(keys)).pipe(Effect.repeat(Schedule.spaced("1 second")))
      // What the person types reaches the agent; C-b d leaves it, and the agent lives.
      const fs = yield* FileSystem.FileSystem
      const typed = fs.readFileString(`${folder}/typed`).pipe(
        Effect.repeat({
          until: (text) => text.includes("typed by hand\n"),
          schedule: Schedule.spaced("20 millis")
        })
      )
      yield* Effect.raceFirst(typed, pressing("typed by hand\r"))
      assert.strictEqual(yield* Effect.raceFirst(left, pressing("\u0002d")), 0)
      assert.strictEqual((yield* sink.probe({ id, seat }))._tag, "Live")
    }).pipe(Effect.scoped, Effect.timeout("30 seconds"), Effect.provide(NodeServices.layer))
  )

  it.live("says plainly where there is nothing to attach to, and what there is instead", () =>
    Effect.gen(function* () {
      const { remember, runs, words } = yield* makeRoot
      const said = (ref: string) => {
        const { status, stderr } = spawnSync(process.execPath, words(ref), { encoding: "utf8" })
        assert.strictEqual(status, 1)
        return stderr
      }
      const { id } = handOver()
      const kept: Session = session("s")
      const claim = {
        id,
        try: 2,
        kind: "start",
        members: ["start"],
        conversation: "c",
        at: kept.since
      } as const
      yield* remember(1, { ...kept, claim })
      assert.include(said("acme/app#1"), `with sink process each hand-over is a run of its own`)
      assert.include(said("acme/app#1").replaceAll(/\s/gu, ""), `${runs}/${id}/2/stdout`)
      yield* remember(2, { ...kept, plan: { ...kept.plan, sink: "tmux" } })
      assert.include(said("acme/app#2"), "nothing of the session lives")
      yield* remember(3, { ...kept, state: "ended" })
      assert.include(said("acme/app#3"), "has no session")
      assert.include(said("acme/app#99"), "has no session")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
