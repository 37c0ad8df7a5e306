/**
 * rig: what every benchmark stands on: the built heed as real processes, and a forge in a process of its own, so that
 * its work is not counted as heed's.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Forge } from "../src/forge/Forge.ts"

const program = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The built command. */
export const heedFile = program("dist/heed.mjs")

/** A forge with one person, `acme`, whose token is `t`. */
export const forge: Effect.Effect<Forge["Service"], never, Scope.Scope> = Effect.gen(function* () {
  const child = yield* started(process.execPath, [program("src/forge/main.ts")], tmpdir())
  const line = yield* until(() => (child.out().includes("\n") ? child.out() : undefined))
  const { url }: { readonly url: string } = JSON.parse(line)
  const api = Forge.connect(url)
  yield* api.addAccount({ login: "acme" })
  yield* api.addToken({ token: "t", login: "acme" })
  yield* api.setRate({ login: "acme", remaining: 10_000_000, resetIn: 86_400_000 })
  return api
})

/** Repositories `acme/r0` and so on, each with so many issues that are labelled `agent`. Answers with their names. */
export const repositories = Effect.fn("bench.repositories")(function* (
  api: Forge["Service"],
  count: number,
  issues: number
) {
  const names = Array.from({ length: count }, (_, at) => `acme/r${at}`)
  for (const repo of names) yield* api.addRepo({ repo })
  yield* issuesIn(api, names, issues)
  return names
})

/** Opens so many labelled issues in each of these repositories. */
export const issuesIn = Effect.fn("bench.issuesIn")(function* (
  api: Forge["Service"],
  names: ReadonlyArray<string>,
  issues: number
) {
  yield* Effect.forEach(
    names,
    (repo) =>
      Effect.forEach(
        Array.from({ length: issues }, (_, at) => at),
        (at) => api.openIssue({ repo, title: `Issue ${at}`, body: "Please do it.", labels: ["agent"] })
      ),
    { concurrency: 8, discard: true }
  )
  // A row that changed a moment ago is looked at again: these did not.
  yield* api.advanceClock({ millis: 60_000 })
})

export interface Child {
  readonly pid: number
  readonly out: () => string
  readonly err: () => string
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Effect.Effect<void>
}

/** Starts a program; closing the scope kills it if it still runs. */
export const started = (
  file: string,
  args: ReadonlyArray<string>,
  cwd: string
): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(file, args, { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"] })
      const out: Array<string> = []
      const err: Array<string> = []
      child.stdout.on("data", (chunk) => out.push(String(chunk)))
      child.stderr.on("data", (chunk) => err.push(String(chunk)))
      return {
        pid: child.pid ?? 0,
        out: () => out.join(""),
        err: () => err.join(""),
        kill: (signal: NodeJS.Signals) => void child.kill(signal),
        ended: closed(child)
      }
    }),
    (child) =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        child.ended
      )
  )

const closed = (child: ChildProcess): Effect.Effect<void> => {
  let over = false
  const after: Array<() => void> = []
  child.on("close", () => {
    over = true
    for (const tell of after) tell()
  })
  return Effect.callback((resume) => {
    if (over) resume(Effect.void)
    else after.push(() => resume(Effect.void))
  })
}

/** What every process gets: the token, and no colours. */
export const environment = { ...process.env, HEED_BENCH_TOKEN: "t", NO_COLOR: "1" }

/** Waits until there is an answer, looking every few milliseconds; a benchmark that hangs says so after a minute. */
export const until = <A>(look: () => A | undefined): Effect.Effect<A> =>
  Effect.gen(function* () {
    for (const end = Date.now() + 60_000; Date.now() < end; yield* Effect.sleep(5)) {
      const found = look()
      if (found !== undefined) return found
    }
    return yield* Effect.die(new Error("nothing happened for a minute"))
  })

/** A folder with a heed.yaml whose state root is `<folder>/.heed`. */
export interface Place {
  readonly folder: string
  readonly root: string
}

/** What of a configuration benchmarks vary. */
export interface Setting {
  readonly url: string
  readonly repos: ReadonlyArray<string>
  readonly interval?: string
  readonly coalesce?: boolean
}

/** Writes the configuration: agents that print what they get, and nothing that holds them back. */
export const configure = (place: Place, { url, repos, interval = "60s", coalesce = true }: Setting): void =>
  writeFileSync(
    join(place.folder, "heed.yaml"),
    JSON.stringify({
      version: 1,
      polling: { interval, sweepEvery: "10h", firstRun: { max: 1_000_000 } },
      sources: [
        { provider: "github", host: "127.0.0.1", apiUrl: url, auth: { env: "HEED_BENCH_TOKEN" }, repos }
      ],
      access: { users: ["acme"] },
      agents: { default: { sink: "stdout", coalesce } },
      limits: { perItemPerHour: 1_000_000 },
      log: { level: "error" }
    })
  )

/** A folder that goes with the scope. */
export const place: Effect.Effect<Place, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "heed-bench-"))
    return { folder, root: join(folder, ".heed") }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Starts `heed` there. */
export const heed = ({ folder }: Place, ...args: ReadonlyArray<string>) =>
  started(process.execPath, [heedFile, ...args], folder)

/** Runs `heed start --once --wait` until its end, which has to be a good one. Answers with what it printed. */
export const once = (where: Place, ...args: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const child = yield* heed(where, "start", "--once", "--wait", ...args)
      yield* child.ended
      if (beatOf(where) === undefined) return yield* Effect.die(new Error(child.err()))
      return child.out()
    })
  )

interface Beat {
  readonly cycles: number
  readonly lastCycle: { readonly ms: number; readonly requests: number; readonly notModified: number }
}

/** The heartbeat. */
export const beatOf = ({ root }: Place): Beat | undefined => {
  const file = join(root, "heartbeat.json")
  if (!existsSync(file)) return undefined
  const beat: Beat = JSON.parse(readFileSync(file, "utf8"))
  return beat
}

/** Waits for the next so many cycles of a daemon and answers with their beats. */
export const cycles = Effect.fn("bench.cycles")(function* (where: Place, count: number) {
  const beats: Array<Beat> = []
  let last = -1
  while (beats.length < count) {
    const beat: Beat = yield* until(() => {
      const now = beatOf(where)
      return now === undefined || now.cycles === last ? undefined : now
    })
    last = beat.cycles
    beats.push(beat)
  }
  return beats
})

/** Resident memory of a process, in megabytes. */
export const resident = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
