/**
 * A chapter: one forge and one root through many lives of heed. Each round starts heed, cuts it down at a kill point or
 * at an instant, and people write before and meanwhile. At the end heed runs undisturbed until nothing is left to do, and
 * what arrived is held against what was written. All chance comes from the chapter's seed.
 */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type KillPoint, killPoints } from "../../src/disk/KillPoint.ts"
import { Forge } from "../../src/forge/Forge.ts"
import { compare, type Comparison } from "./compare.ts"
import * as Heeds from "./heeds.ts"
import * as People from "./people.ts"
import * as RandomOf from "./random.ts"
import type { KnifeSink } from "./sinks.ts"

export interface ChapterOptions {
  readonly sink: KnifeSink
  readonly seed: number
  readonly rounds: number
  /** The built command, and where its compiled code is kept. */
  readonly heed: string
  readonly cache: string
  /** Points at which heed is to die before any other. As long as one is missing, there are up to as many rounds again. */
  readonly wanted?: ReadonlyArray<KillPoint>
}

export interface Told {
  readonly round: number
  readonly what: string
}

export interface Outcome {
  /** Where it came from: points that were asked for first make another course than a seed alone. */
  readonly suite: "short" | "long"
  readonly seed: number
  readonly rounds: number
  readonly comparison: Comparison
  /** What else should not have been: a heed that left by itself, two holders of one lock, a root that never came to rest. */
  readonly troubles: ReadonlyArray<string>
  /** How often heed died at each point. */
  readonly struck: ReadonlyMap<KillPoint, number>
  /** How often it was killed at an instant instead. */
  readonly instants: number
  readonly words: number
  readonly handOvers: number
  /** What was done in each round. */
  readonly story: ReadonlyArray<Told>
  /** Everything of a chapter that failed; gone when it did not. */
  readonly folder: string
}

const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

/** Points at what is written once in a root's life: a chapter's first rounds alone come by. */
export const early = killPoints.filter((point) => point.startsWith("root.") || point.startsWith("file."))

/**
 * What a run's wrapper takes its claim with. While `full` stands in the chapter's folder it fails, as on a full disk; while
 * `slow` does it takes its time, so that the next heed comes before the claim of a run that the last one began.
 */
const ln = (folder: string) =>
  `#!/bin/sh\n[ ! -e '${folder}/full' ] || exit 1\n[ ! -e '${folder}/slow' ] || sleep 0.8\nexec /bin/ln "$@"\n`

/** The records; undefined while one is torn, which heed's never are. */
const recordsIn = (root: string): ReadonlyArray<Recorded> | undefined => {
  const items = join(root, "items")
  if (!existsSync(items)) return []
  try {
    return readdirSync(items)
      .filter((name) => name.endsWith(".json") && !name.startsWith("."))
      .map((name): Recorded => JSON.parse(readFileSync(join(items, name), "utf8")))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

interface Recorded {
  readonly look?: string
  readonly waiting: ReadonlyArray<unknown>
  readonly notices: ReadonlyArray<{ readonly posted?: string }>
  readonly sessions: { readonly [agent: string]: { readonly claim?: unknown } }
}

const isQuiet = ({ look, notices, sessions, waiting }: Recorded) =>
  look === undefined &&
  waiting.length === 0 &&
  notices.every(({ posted }) => posted !== undefined) &&
  Object.values(sessions).every(({ claim }) => claim === undefined)

/** Whoever is told to stop leaves well, or at once where nothing has begun yet; and of several on one root those leave who find it held. */
const mayLeave = ({ code, isTold, said }: Extract<Heeds.End, { _tag: "Left" }>, count: number) =>
  (isTold && (code === 0 || code === 130 || code === null)) ||
  (count > 1 && code === 1 && said.includes("this root is held by"))

const setUp = Effect.fn("knife.setUp")(function* (options: ChapterOptions) {
  let kept: "kept" | "gone" = "kept"
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), `heed-knife-${options.seed}-`))),
    (path) =>
      Effect.sync(() => {
        if (kept === "gone") rmSync(path, { recursive: true, force: true, maxRetries: 10 })
      })
  )
  const forget = () => {
    kept = "gone"
  }
  const forge = yield* Forge.make()
  for (const login of ["alice", "mallory"]) yield* forge.addAccount({ login })
  yield* forge.addToken({ token, login: "alice" })
  yield* forge.setRate({ login: "alice", remaining: 10_000_000, resetIn: 86_400_000 })
  yield* forge.addRepo({ repo: People.repo })
  yield* forge.setRole({ repo: People.repo, login: "alice", role: "admin" })
  const bin = join(folder, "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "ln"), ln(folder), { mode: 0o755 })
  const root = join(folder, "root")
  const agents = yield* options.sink.make({ folder, root })
  const config = join(folder, "heed.yaml")
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      version: 1,
      state: { root },
      polling: { interval: "20ms", attempts: 1, retryAfter: ["10ms"], firstRun: { max: 1000 } },
      sources: [
        { provider: "github", apiUrl: forge.url, auth: { env: "HEED_KNIFE_TOKEN" }, repos: [People.repo] }
      ],
      access: { users: ["alice"] },
      agents: { default: agents.entry },
      limits: { perItemPerHour: 1_000_000 }
    })
  )
  const place: Heeds.Place = { heed: options.heed, cache: options.cache, folder, root, bin, config, token }
  return { folder, forget, forge, agents, root, place }
})

/** Runs a chapter to its end. */
export const run = Effect.fn("knife.chapter")(function* (options: ChapterOptions) {
  const { agents, folder, forge, forget, place, root } = yield* setUp(options)
  const random = RandomOf.make(options.seed)
  const people = yield* People.make({
    forge,
    random,
    received: agents.received,
    failures: options.sink.failures
  })
  const start = Heeds.make(place)
  const wanted = [...(options.wanted ?? [])]
  const usual = killPoints.filter((point) => options.sink.passes(point) && !early.includes(point))
  const [full, slow] = [join(folder, "full"), join(folder, "slow")]
  const struck = new Map<KillPoint, number>()
  const story: Array<Told> = []
  const troubles: Array<string> = []
  /** Milliseconds from a start to its first request: instants are measured by it, so that they mean the same anywhere. */
  let startUp = 1000
  let instants = 0

  const choosePoint = (round: number): KillPoint | undefined => {
    const first = wanted.shift()
    if (first !== undefined) return first
    return random.chance(0.35) ? undefined : random.pick(round <= 3 ? early : usual)
  }

  /** Gives heed something to do that leads by a point. */
  const prepareFor = (point: KillPoint) => {
    if (point.startsWith("notice.")) return people.provoke
    if (point.startsWith("claim.")) writeFileSync(full, "")
    return people.say
  }

  const round = Effect.fn("knife.round")(function* (number: number) {
    people.beginRound(number)
    random.begin(number)
    const isWanted = wanted.length > 0
    const point = choosePoint(number)
    const knife = point && { point, occurrence: isWanted ? 1 : 1 + random.below(1 + random.below(4)) }
    const count = !isWanted && random.chance(0.15) ? 2 + random.below(2) : 1
    for (let acts = random.below(3); acts > 0; acts--) yield* people.act
    if (point !== undefined) yield* prepareFor(point)
    if (random.chance(0.15) || point === "run.spawned") writeFileSync(slow, "")
    const limit = startUp * (point === undefined ? 0.5 + 2 * random.fraction() : isWanted ? 10 : 3.5)
    // Some are told to stop first, and killed while they do.
    const stopAfter = point === undefined && random.chance(0.25) ? limit - random.below(100) : Infinity
    const times = Array.from({ length: random.below(4) }, () => random.fraction() * startUp * 3).sort(
      (a, b) => a - b
    )

    yield* forge.resetLog({})
    const heeds: Array<Heeds.Heed> = []
    const began = performance.now()
    for (let index = 0; index < count; index++) heeds.push(yield* start(knife))
    const living = () => heeds.filter((heed) => heed.end() === undefined)
    let answered = false
    while (living().length > 0) {
      const passed = performance.now() - began
      if (passed > limit) {
        for (const heed of living()) heed.kill()
      } else if (passed > stopAfter) {
        for (const heed of living()) heed.stop()
      } else if (times[0] !== undefined && times[0] < passed) {
        times.shift()
        yield* people.act
      }
      if (count > 1 && Heeds.holders(heeds, root) > 1)
        troubles.push(`round ${number}: two heeds hold ${root}`)
      if (count === 1 && !answered && (yield* forge.log({})).length > 0) {
        answered = true
        startUp = (startUp + Math.max(100, passed)) / 2
      }
      yield* Effect.sleep("4 millis")
    }
    for (const flag of [full, slow]) rmSync(flag, { force: true })
    for (; times.length > 0; times.shift()) yield* people.act

    const ends = heeds.map((heed) => heed.end())
    for (const end of ends) {
      if (end?._tag === "Struck") struck.set(end.point, (struck.get(end.point) ?? 0) + 1)
      else if (end?._tag === "Left" && !mayLeave(end, count))
        troubles.push(`round ${number}: heed left by itself, with code ${end.code}: ${end.said.slice(-2000)}`)
      else if (end?._tag === "Killed") instants += 1
    }
    if (isWanted && point !== undefined && !struck.has(point)) wanted.push(point)
    const cut =
      knife === undefined ? `an instant, ${Math.round(limit)} ms` : `${knife.point}:${knife.occurrence}`
    story.push({
      round: number,
      what: `${Math.round(performance.now() - began)} ms (start-up ${Math.round(startUp)}), ${count} × heed, ${cut}: ${ends.map((end) => end?._tag.toLowerCase()).join(", ")}`
    })
    return { isWanted, point }
  }, Effect.scoped)

  const sides = Effect.gen(function* () {
    return {
      written: people.written(),
      items: people.items(),
      received: agents.received(),
      owed: people.owed(),
      posted: yield* people.posted
    }
  })

  /** Lets heed work until nothing is left to do and nothing is missing, and then a little longer. */
  const rest = Effect.fn("knife.rest")(function* (when: string) {
    yield* people.settle
    const heed = yield* start()
    const listings = Effect.map(
      forge.log({}),
      (log) => log.filter(({ path }) => path.includes("/issues")).length
    )
    const deadline = performance.now() + 20_000
    let calmSince: number | undefined
    while (performance.now() < deadline && heed.end() === undefined) {
      yield* Effect.sleep("20 millis")
      const missing = compare(yield* sides).findings.some(({ fault }) => fault === "lost")
      if (missing || recordsIn(root)?.every(isQuiet) !== true) calmSince = undefined
      else {
        calmSince ??= yield* listings
        if ((yield* listings) > calmSince + 3) break
      }
    }
    if (calmSince === undefined) {
      // What is missing now may come with the next change of its item, and would not be missing in the end.
      const missing = compare(yield* sides).findings.flatMap(({ fault, token }) =>
        fault === "lost" ? token : []
      )
      troubles.push(`${when}: heed did not come to rest; missing: ${missing.join(", ") || "nothing"}`)
      const listed = execFileSync("ps", ["-ewwo", "pid,ppid,pgid,stat,wchan:20,lstart,args"])
      writeFileSync(join(folder, `processes ${when}`), listed)
    }
    heed.stop()
    while (heed.end() === undefined) yield* Effect.sleep("5 millis")
    const end = heed.end()
    if (end?._tag !== "Left" || end.code !== 0)
      troubles.push(`${when}: heed did not end well: ${JSON.stringify(end)}`)
  }, Effect.scoped)

  let rounds = 0
  while (rounds < options.rounds || (wanted.length > 0 && rounds < 2 * options.rounds)) {
    const { isWanted, point } = yield* round(++rounds)
    // Whatever has just become durable is believed by the next heed: nothing may be missing by it.
    const isBelieved = isWanted && point?.endsWith(".durable") === true
    // A root that has come to rest has written what it writes once.
    const isYoung = wanted.some((one) => early.includes(one))
    if (!isYoung && (isBelieved || random.chance(0.1))) yield* rest(`after round ${rounds}`)
  }
  yield* rest("at the end")
  const last = yield* sides
  const comparison = compare(last)
  const outcome: Outcome = {
    suite: options.wanted === undefined ? "long" : "short",
    seed: options.seed,
    rounds,
    comparison,
    troubles,
    struck,
    instants,
    words: last.written.length,
    handOvers: last.received.length,
    story,
    folder
  }
  if (isClean(outcome)) forget()
  else writeFileSync(join(folder, "sides.json"), JSON.stringify({ ...last, story }, undefined, 1))
  return outcome
}, Effect.scoped)

export const isClean = ({ comparison, troubles }: Outcome): boolean =>
  comparison.findings.length === 0 && comparison.repeated === 0 && troubles.length === 0
