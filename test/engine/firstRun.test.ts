/** The first run of a root: a backlog is counted before any of it starts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { repo, type World, world } from "../support/world.ts"

const few = { polling: { firstRun: { max: 2 } } }
const issues = (w: World, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, n) => w.issue(`say-${n}`))
const started = (w: World) => w.events().filter(({ event }) => event === "dispatch.queued").length

describe("the first run", () => {
  it.live("more than its maximum start nothing until told; start means all of them", () =>
    Effect.gen(function* () {
      const w = yield* world(few)
      const numbers = yield* issues(w, 4)
      assert.strictEqual((yield* w.run("start", "--once")).code, 0)
      const heed = yield* w.start("start")
      yield* w.untilListed(3)
      const status = yield* w.run("status")
      assert.include(status.out, "--accept-backlog")
      // Who comes later is no backlog.
      const later = yield* w.issue("say-later")
      yield* w.untilState(later, "live")
      yield* heed.stop
      assert.strictEqual(started(w), 1)
      assert.strictEqual((yield* w.run("start", "--once", "--wait", "--accept-backlog", "start")).code, 0)
      for (const number of numbers) yield* w.untilState(number, "live")
      assert.strictEqual(w.agent.runs().length, 5)
    }).pipe(Effect.scoped)
  )

  it.live("baseline means: only by command or a new label", () =>
    Effect.gen(function* () {
      const w = yield* world(few)
      const [one = 0, two = 0] = yield* issues(w, 4)
      assert.strictEqual((yield* w.run("start", "--once")).code, 0)
      const heed = yield* w.start("start", "--accept-backlog", "baseline")
      yield* w.say(one, "/heed start")
      yield* w.untilState(one, "live")
      yield* w.forge.unlabel({ repo, number: two, label: "agent", by: "alice" })
      yield* w.until("its absence is recorded", () => w.record(two)?.listed === false)
      yield* w.forge.label({ repo, number: two, label: "agent", by: "alice" })
      yield* w.untilState(two, "live")
      yield* w.untilListed(3)
      yield* heed.stop
      assert.strictEqual(w.agent.runs().length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("an item that fails at first holds nobody up, and is not forgotten over it", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { firstRun: { max: 25 } } })
      const numbers = yield* issues(w, 4)
      yield* w.forge.fault({
        match: { path: `/issues/${numbers[1]}$` },
        failure: { kind: "status", status: 403 },
        times: 1
      })
      assert.strictEqual((yield* w.run("start", "--once")).code, 75)
      assert.strictEqual(started(w), 3)
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      for (const number of numbers) yield* w.untilState(number, "live")
    }).pipe(Effect.scoped)
  )

  for (const [what, max] of [
    ["few", 25],
    ["many", 2]
  ] as const) {
    it.live(`killed or stopped in the middle of a first run of ${what}, heed counts anew`, () =>
      Effect.gen(function* () {
        const w = yield* world({ polling: { firstRun: { max }, concurrency: 1 } })
        const numbers = yield* issues(w, 6)
        yield* w.forge.fault({ match: { path: "/issues/\\d+$" }, failure: { kind: "delay", millis: 20 } })
        for (const [signal, recorded] of [
          ["SIGTERM", 1],
          ["SIGKILL", 3],
          ["SIGKILL", 6]
        ] as const) {
          const heed = yield* w.start("start")
          yield* w.until(`${recorded} are recorded`, () => w.records().length >= recorded)
          yield* heed.signal(signal)
          yield* heed.ended
        }
        yield* w.forge.liftFault({})
        const heed = yield* w.start("start")
        if (max > numbers.length) for (const number of numbers) yield* w.untilState(number, "live")
        else yield* w.untilListed(4)
        yield* heed.stop
        assert.strictEqual(w.agent.runs().length, max > numbers.length ? numbers.length : 0)
      }).pipe(Effect.scoped)
    )
  }

  it.live("a repository that is added later has a first run of its own", () =>
    Effect.gen(function* () {
      const w = yield* world(few)
      const one = yield* w.issue("say-one")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.forge.addRepo({ repo: "acme/web" })
      yield* w.forge.setRole({ repo: "acme/web", login: "alice", role: "admin" })
      for (const title of ["a", "b", "c"])
        yield* w.forge.openIssue({ repo: "acme/web", title, author: "alice", labels: ["agent"] })
      yield* w.age
      yield* w.configure({ ...few, source: { repos: [repo, "acme/web"] } })
      yield* w.until("they are recorded", () => w.records().length === 4)
      yield* w.say(one, "say-more")
      yield* w.untilGiven("say-more")
      yield* heed.stop
      assert.strictEqual(started(w), 1)
    }).pipe(Effect.scoped)
  )
})
