/**
 * idle: a daemon with nothing to do on 5 repositories of 100 labelled issues, a single cycle on them, one new comment
 * among them, and the daemon's memory.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Rig from "./rig.ts"
import { atMost, exactly, ratio } from "./row.ts"

const delay = 100

/** Every file below a folder with its times and content. */
const snapshot = (root: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, encoding: "utf8" }).flatMap((name) => {
      const path = join(root, name)
      const stat = statSync(path, { bigint: true })
      if (!stat.isFile()) return []
      const content = createHash("sha256").update(readFileSync(path)).digest("hex")
      return [[name, `${stat.ino} ${stat.mtimeNs} ${content}`]]
    })
  )

const written = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .toSorted()
    .join(", ")

/** How long one request takes to who only waits for it: the delay, and what loopback adds. */
export const requestTime = Effect.fn("bench.requestTime")(function* (url: string) {
  const times: Array<number> = []
  for (let at = 0; at < 7; at++) {
    const start = performance.now()
    yield* Effect.promise(async () => (await fetch(`${url}/rate_limit`)).text())
    times.push(performance.now() - start)
  }
  return Rig.median(times)
})

const isListing = ({ path }: { readonly path: string }) => /^\/repos\/[^/]+\/[^/]+\/issues$/u.test(path)

export const idle = Effect.gen(function* () {
  const api = yield* Rig.forge
  const repos = yield* Rig.repositories(api, 5, 100)
  const where = yield* Rig.place
  Rig.configure(where, { url: api.url, repos, interval: "500ms" })
  // The second one stores what vouches for the listings; from then on nothing is new.
  yield* Rig.once(where)
  yield* Rig.once(where)
  yield* api.configure({ delay })
  const request = yield* requestTime(api.url)

  yield* api.resetLog({})
  const beforeOnce = snapshot(where.root)
  yield* Rig.once(where)
  const afterOnce = snapshot(where.root)
  const onceUsage = yield* api.usage({})
  const lastMs = () => Rig.beatOf(where)?.lastCycle.ms ?? Number.NaN
  const onceTimes = [lastMs()]
  for (let run = 1; run < 5; run++) {
    yield* Rig.once(where)
    onceTimes.push(lastMs())
  }
  const onceMs = Rig.median(onceTimes)

  const daemon = yield* Rig.heed(where, "start")
  yield* Rig.cycles(where, 2)
  const before = snapshot(where.root)
  const beats = yield* Rig.cycles(where, 9)
  const after = snapshot(where.root)
  const cycleMs = Rig.median(beats.map(({ lastCycle }) => lastCycle.ms))
  const requests = beats.map(
    ({ lastCycle }) => `${lastCycle.requests}, ${lastCycle.notModified} not modified`
  )

  // Between two cycles a minute apart: then the listing may be sure of the row, as with the default interval.
  yield* api.resetLog({})
  daemon.kill("SIGSTOP")
  yield* api.comment({ repo: "acme/r2", number: 50, body: "One more thing." })
  yield* api.advanceClock({ millis: 60_000 })
  daemon.kill("SIGCONT")
  yield* Rig.until(() => (daemon.out().includes("One more thing.") ? true : undefined))
  yield* Rig.cycles(where, 3)
  const beyond = (yield* api.log({})).filter((line) => !isListing(line))

  return {
    rows: [
      exactly(
        "idle cycle, 5 repositories × 100 issues: requests",
        [...new Set(requests)].join("; "),
        "5, 5 not modified"
      ),
      exactly("  files written", written(before, after), "heartbeat.json"),
      ratio("  time to one request's", cycleMs / request, 1.5, ms(cycleMs, request)),
      exactly(
        "the same with --once, a new process: requests",
        `${onceUsage.requests}, ${onceUsage.notModified} not modified`,
        "5, 5 not modified"
      ),
      exactly(
        "  files written (the log: that it began and ended)",
        written(beforeOnce, afterOnce),
        "events.jsonl, heartbeat.json"
      ),
      ratio("  time to one request's", onceMs / request, 1.5, ms(onceMs, request)),
      atMost("one new comment among 500 items: requests beyond the listings", beyond.length, 3, "requests")
    ]
  }
})

const ms = (one: number, other: number) => `${one.toFixed(0)} ms to ${other.toFixed(0)} ms`
