/**
 * A world for tests with the real command: a folder with a configuration, a forge, an agent that writes down what it
 * gets, and heeds that are started, stopped and killed by their own pid.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync
} from "node:fs"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import { Forge } from "../../src/forge/Forge.ts"
import * as AgentOf from "./agent.ts"
import { smallDisk } from "./smallDisk.ts"
import { wallHand } from "./wallHand.ts"
import { until } from "./until.ts"

export const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
export const repo = "acme/app"

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Section = { readonly [key: string]: Json }

/** What a test wants otherwise than `configuration` has it: each section is merged into the world's own. */
export interface Changes {
  readonly polling?: Section
  readonly source?: Section
  readonly sources?: ReadonlyArray<Section>
  readonly access?: Section
  readonly agent?: Section
  readonly agents?: Section
  readonly limits?: Section
  readonly control?: Section
}

/** What a world stands on. */
export interface Ground {
  /** The state root lies on a disk of its own, as large as this; the named folders in it have disks of theirs. */
  /** Its heeds have a wall clock that the test moves. */
  readonly clock?: "moved"
  readonly disk?: { readonly size: string; readonly folders?: ReadonlyArray<string> }
}

/** One line of the event log. */
export interface Line {
  readonly event: string
  readonly ref?: string
  readonly [field: string]: unknown
}

/** What is read of a record. */
export interface Recorded {
  readonly ref: string
  readonly state: string
  readonly look?: string
  readonly listed: boolean
  readonly paused?: { readonly by: string }
  readonly seen: { readonly [key: string]: string }
  readonly waiting: ReadonlyArray<{ readonly key: string; readonly attempts: number }>
  readonly gaveUp: ReadonlyArray<{ readonly key: string }>
  readonly notices: ReadonlyArray<{ readonly id: string; readonly posted?: string }>
  readonly sessions: {
    readonly [agent: string]: {
      readonly state: string
      readonly tries: number
      readonly generation: number
      readonly claim?: { readonly id: string; readonly try: number; readonly members: ReadonlyArray<string> }
    }
  }
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Heed {
  readonly pid: number
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
  /** SIGKILL, and gone. */
  readonly kill: Effect.Effect<void>
  /** SIGTERM, and gone; fails the test when that was not clean. */
  readonly stop: Effect.Effect<void>
}

export const world = Effect.fn("test.world")(function* (changes: Changes = {}, ground: Ground = {}) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "heed-world-"))),
    // A run may still leave something there while its folder goes.
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
  )
  const forge = yield* Forge.make()
  for (const login of ["alice", "bob"]) yield* forge.addAccount({ login })
  yield* forge.addToken({ token, login: "alice" })
  yield* forge.addRepo({ repo })
  yield* forge.setRole({ repo, login: "alice", role: "admin" })
  const agent = AgentOf.make(folder)
  const place = join(folder, "root")
  if (ground.disk !== undefined) mkdirSync(place)
  const disk = ground.disk && (yield* smallDisk(place, ground.disk.size, ground.disk.folders))
  /** Where this process sees the state root. */
  const root = disk?.outside ?? place
  const [command = "", ...before] = [...(disk?.enter ?? []), process.execPath]
  const file = join(folder, "heed.yaml")

  const source = (more: Section = {}): Section => ({
    provider: "github",
    apiUrl: forge.url,
    auth: { env: "HEED_TEST_TOKEN" },
    repos: [repo],
    label: "agent",
    ...more
  })
  /** JSON is YAML. */
  const configure = (next: Changes) =>
    Effect.sync(() =>
      writeFileSync(
        file,
        JSON.stringify({
          version: 1,
          state: { root: place },
          polling: { interval: "20ms", retryAfter: ["10ms"], firstRun: { max: 1000 }, ...next.polling },
          sources: next.sources ?? [source(next.source)],
          access: { users: ["alice"], ...next.access },
          control: { ...next.control },
          agents: {
            default: { sink: "process", command: agent.command, cwd: folder, ...next.agent },
            ...next.agents
          },
          limits: { ...next.limits }
        })
      )
    )
  yield* configure(changes)

  /** Starts a command; whatever happens, it is gone at the end of the test. */
  const start = Effect.fn("test.start")(function* (...args: ReadonlyArray<string>) {
    const log = join(folder, `heed-${Math.random()}`)
    const [out, err] = [openSync(`${log}.out`, "w"), openSync(`${log}.err`, "w")]
    const child = spawn(
      command,
      [...before, inject("heed"), ...args, ...(args.includes("--config") ? [] : ["--config", file])],
      {
        cwd: folder,
        stdio: ["ignore", out, err],
        env: {
          PATH: process.env["PATH"],
          HOME: folder,
          XDG_CACHE_HOME: join(dirname(inject("heed")), "cache"),
          HEED_TEST_TOKEN: token,
          ...(ground.clock === undefined ? {} : wallHand(folder).environment)
        }
      }
    )
    closeSync(out)
    closeSync(err)
    let how: Ended | undefined
    child.once("exit", (code, signal) => {
      const said = (name: string) => readFileSync(`${log}.${name}`, "utf8")
      how = { code, signal, out: said("out"), err: said("err") }
    })
    const ended = until(
      `heed ${args.join(" ")} has ended`,
      () => how,
      () => readFileSync(`${log}.err`, "utf8")
    )
    const signal = (name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
    const kill = Effect.andThen(signal("SIGKILL"), Effect.asVoid(ended))
    yield* Effect.addFinalizer(() => kill)
    return {
      pid: child.pid ?? 0,
      signal,
      ended,
      kill,
      stop: Effect.gen(function* () {
        yield* signal("SIGTERM")
        const { code, err } = yield* ended
        assert.strictEqual(code, 0, err)
      })
    } satisfies Heed
  })

  const events = (): ReadonlyArray<Line> => {
    const log = join(root, "events.jsonl")
    if (!existsSync(log)) return []
    return readFileSync(log, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line): Line => JSON.parse(line))
  }

  const records = (): ReadonlyArray<Recorded> => {
    const items = join(root, "items")
    if (!existsSync(items)) return []
    return readdirSync(items)
      .filter((name) => name.endsWith(".json") && !name.startsWith("."))
      .map((name): Recorded => JSON.parse(readFileSync(join(items, name), "utf8")))
  }

  const record = (number: number): Recorded | undefined =>
    records().find(({ ref }) => ref.endsWith(`#${number}`))

  const report = () =>
    [
      "events:",
      ...events()
        .filter(({ event }) => event !== "poll.cycle")
        .slice(-40)
        .map((line) => JSON.stringify(line)),
      "runs:",
      ...agent.runs().map((run) => JSON.stringify(run))
    ].join("\n")

  /** Old enough that the rows are no longer "too fresh to be sure of". */
  const age = forge.advanceClock({ millis: 20_000 })

  return {
    folder,
    root,
    /** Moves the wall clock of the heeds of now and later, by so many milliseconds in all. */
    moveClock: (by: number) => Effect.sync(() => wallHand(folder).move(by)),
    /** The state root's own disk; undefined where it has none. */
    disk,
    file,
    forge,
    agent,
    source,
    configure,
    start,
    /** Runs a command to its end. */
    run: (...args: ReadonlyArray<string>) => Effect.flatMap(start(...args), ({ ended }) => ended),
    events,
    records,
    record,
    until: <A>(what: string, look: () => A | undefined | false) => until(what, look, report),
    /** The prompt of one try of a hand-over. */
    prompt: (handOver: string, attempt: number) =>
      readFileSync(join(root, "runs", handOver, String(attempt), "prompt"), "utf8"),
    /** A file of the world's folder; empty while there is none. */
    read: (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : ""),
    /** The number of the item's last try. */
    tryOf: (number: number) => record(number)?.sessions["default"]?.tries ?? 0,
    /** Waits for a line of the event log, counted from its beginning. */
    untilEvent: (event: string, holds: (line: Line) => boolean = () => true, count = 1) =>
      until(
        `the event log has ${count} × ${event}`,
        () => {
          const found = events().filter((line) => line.event === event && holds(line))
          return found.length >= count && found
        },
        report
      ),
    /** Waits until every source was asked with success since its last failure. */
    untilHealthy: until(
      "every source is well",
      () => {
        const beat = join(root, "heartbeat.json")
        if (!existsSync(beat)) return false
        const told: { readonly sources: ReadonlyArray<{ readonly state: string }> } = JSON.parse(
          readFileSync(beat, "utf8")
        )
        return told.sources.length > 0 && told.sources.every(({ state }) => state === "ok")
      },
      report
    ),
    /** Waits until an item's session is in a state, durably. */
    untilState: (number: number, state: string) =>
      until(
        `the session of #${number} is ${state}`,
        () => record(number)?.sessions["default"]?.state === state,
        report
      ),
    /** Waits until the agent of an item was given a token. */
    untilGiven: (word: string, item?: string) =>
      until(
        `the agent was given ${word}`,
        () => agent.runs().some((run) => run.words.includes(word) && (item ?? run.item) === run.item),
        report
      ),
    /** Waits until nothing waits, nothing runs and the listing was looked at since. */
    untilQuiet: Effect.gen(function* () {
      yield* until(
        "nothing waits and nothing runs",
        () =>
          records().every(
            ({ look, sessions, waiting }) =>
              waiting.length === 0 &&
              look === undefined &&
              Object.values(sessions).every(({ claim }) => claim === undefined)
          ),
        () => `${report()}\n${JSON.stringify(records(), undefined, 1)}`
      )
    }),
    /** Opens a labelled issue of alice's. */
    issue: (title = "something to do", more: { readonly author?: string; readonly body?: string } = {}) =>
      Effect.tap(
        Effect.map(
          forge.openIssue({ repo, title, author: "alice", labels: ["agent"], ...more }),
          ({ number }) => number
        ),
        () => age
      ),
    /** Comments, as alice unless somebody else is named. */
    say: (number: number, body: string, by = "alice") =>
      Effect.tap(
        Effect.map(forge.comment({ repo, number, by, body }), ({ id }) => id),
        () => age
      ),
    age,
    /** What happened so far, for failures. */
    report,
    /** Waits for as many further listings of the repository as are named: a state that should not change was looked at. */
    untilListed: (times = 2) =>
      Effect.gen(function* () {
        const listings = (log: ReadonlyArray<{ readonly path: string }>) =>
          log.filter(({ path }) => path === `/repos/${repo}/issues`).length
        const before = listings(yield* forge.log({}))
        yield* forge.waitFor((log) => listings(log) >= before + times)
      }).pipe(
        Effect.timeoutOrElse({
          duration: "25 seconds",
          orElse: () => Effect.die(new Error(`nobody lists\n${report()}`))
        })
      )
  }
})
export type World = Effect.Success<ReturnType<typeof world>>
