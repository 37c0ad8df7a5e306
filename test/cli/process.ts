/** heed as a process of its own, with the tests' engine: what signals, locks and exit codes are about. */
import { afterAll } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { buildSync } from "esbuild"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Behaviour } from "./wiring.ts"

/** The binding cannot be bundled, and the program stands where it would not be found. */
const koffi = join(dirname(createRequire(import.meta.url).resolve("koffi")), "index.js")
const folder = mkdtempSync(join(tmpdir(), "heed-test-program-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The program in one file: loading all of Effect file by file, every process would take seconds on a busy machine. */
export const program = join(folder, "heed.mjs")
buildSync({
  entryPoints: [fileURLToPath(new URL("heed.ts", import.meta.url))],
  outfile: program,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  alias: { koffi },
  external: [koffi],
  banner: {
    js: "import{createRequire as heedRequire}from'node:module';const require=heedRequire(import.meta.url);"
  },
  logLevel: "error"
})

export const environment = { ...process.env, NO_COLOR: "1" }

export interface Ended {
  /** The exit code, or the signal that ended it. */
  readonly code: number | string
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  /** Waits until stderr holds the text. */
  readonly said: (text: string) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
}

/** Starts `file` in `cwd`; it is killed when the scope closes. */
export const run = (
  file: string,
  args: ReadonlyArray<string>,
  cwd: string
): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(file, args, { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"] })
      let out = ""
      let err = ""
      let end: Ended | undefined
      const waiting = new Set<() => void>()
      const changed = () => {
        for (const look of waiting) look()
      }
      child.stdout.on("data", (chunk) => {
        out += String(chunk)
      })
      child.stderr.on("data", (chunk) => {
        err += String(chunk)
        changed()
      })
      child.on("close", (code, signal) => {
        end = { code: code ?? signal ?? "?", out, err }
        changed()
      })
      const until = <A>(look: () => A | undefined): Effect.Effect<A> =>
        Effect.callback((resume) => {
          const check = () => {
            const found = look()
            if (found === undefined) return
            waiting.delete(check)
            resume(Effect.succeed(found))
          }
          waiting.add(check)
          check()
          return Effect.sync(() => waiting.delete(check))
        })
      const running: Running = {
        pid: child.pid ?? 0,
        kill: (signal) => {
          child.kill(signal)
        },
        said: (text) =>
          Effect.flatMap(
            until(() => (err.includes(text) ? true : end === undefined ? undefined : false)),
            (found) =>
              found ? Effect.void : Effect.die(new Error(`it ended without saying "${text}": ${err}`))
          ),
        ended: until(() => end)
      }
      return running
    }),
    (running) =>
      Effect.andThen(
        Effect.sync(() => running.kill("SIGKILL")),
        running.ended
      )
  )

/** `heed` in a folder that holds a heed.yaml. */
export const heed = (cwd: string, args: ReadonlyArray<string>, behaviour: Behaviour = {}) =>
  run(process.execPath, [program, JSON.stringify(behaviour), ...args], cwd)

/** Runs it to its end. */
export const finished = (cwd: string, args: ReadonlyArray<string>, behaviour: Behaviour = {}) =>
  Effect.scoped(Effect.flatMap(heed(cwd, args, behaviour), (running) => running.ended))

/** A daemon that has begun to run. */
export const daemon = Effect.fn("test.daemon")(function* (cwd: string, behaviour: Behaviour = {}) {
  const running = yield* heed(cwd, ["start"], behaviour)
  yield* running.said("poller.started")
  return running
})
