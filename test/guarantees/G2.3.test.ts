/** G2.3: a signal is a stop: what is in hand is finished, nothing else starts, and nothing is reconciled. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { repo, type World, world } from "../support/world.ts"

const photograph = (w: World): ReadonlyMap<string, string> => {
  const items = join(w.root, "items")
  return new Map(readdirSync(items).map((name) => [name, readFileSync(join(items, name), "utf8")]))
}

const slow = { match: { path: "/issues/\\d+/comments$" }, failure: { kind: "delay", millis: 60 } } as const

describe("G2.3", () => {
  it.live("a stop in the middle of 50 items with slow requests closes no session below the cut", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { sessions: 50 } })
      const numbers = yield* Effect.forEach(Array.from({ length: 50 }), (_, n) => w.issue(`item ${n}`))
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      yield* w.untilQuiet
      const ended = numbers.slice(20, 24)
      for (const number of ended) yield* w.forge.close({ repo, number, by: "alice" })
      const spoken = numbers.filter((number) => number % 4 === 0 && !ended.includes(number))
      for (const number of numbers.filter((number) => !ended.includes(number))) {
        yield* spoken.includes(number)
          ? w.say(number, `say-${number}`)
          : w.forge.edit({ repo, number, title: "another title" })
      }
      yield* w.age
      const before = photograph(w)
      yield* w.forge.resetLog({})
      yield* w.forge.fault(slow)

      const heed = yield* w.start("start")
      yield* w.untilEvent("poll.comment_forwarded", () => true, 3)
      yield* heed.stop
      const cycle = w.events().findLast(({ event }) => event === "poll.cycle")
      assert.strictEqual(cycle?.["interrupted"], true)
      const stored = [...photograph(w)].filter(([name, text]) => before.get(name) !== text)
      assert.isBelow(stored.length, 40, "the stop came in the middle")
      const states = w.records().map(({ sessions }) => sessions["default"]?.state)
      assert.deepStrictEqual(
        states,
        states.map(() => "live")
      )
      assert.deepStrictEqual(
        w.events().filter(({ event }) => event === "poll.closure_detected"),
        []
      )
      const observed = (yield* w.forge.log({})).filter(
        ({ path, state }) => /\/issues\/\d+\/comments$/u.test(path) && state === "answered"
      ).length
      assert.isAtMost(stored.length, observed, "nothing is decided that was not observed to its end")

      yield* w.forge.liftFault({})
      const next = yield* w.start("start")
      yield* w.untilEvent("session.ended", () => true, ended.length)
      for (const number of spoken) yield* w.untilGiven(`say-${number}`)
      yield* w.untilQuiet
      yield* next.stop
      for (const number of spoken)
        assert.deepStrictEqual(w.agent.words(`${repo}#${number}`), [`say-${number}`])
    }).pipe(Effect.scoped)
  )

  for (const [signal, args, code] of [
    ["SIGTERM", ["start"], 0],
    ["SIGINT", ["start"], 0],
    ["SIGTERM", ["start", "--once"], 75]
  ] as const) {
    it.live(`${signal} ends heed ${args.join(" ")} that waits for an answer, with ${code}`, () =>
      Effect.gen(function* () {
        const w = yield* world()
        const number = yield* w.issue()
        yield* w.forge.fault({ match: { path: `/issues/${number}$` }, failure: { kind: "hang" } })
        const heed = yield* w.start(...args)
        yield* w.forge.waitFor((log) => log.some(({ path }) => path.endsWith(`/issues/${number}`)))
        yield* heed.signal(signal)
        assert.strictEqual((yield* heed.ended).code, code)
        assert.deepStrictEqual(w.records(), [])
        assert.strictEqual(w.events().at(-1)?.event, "poller.stopped")
        const cycle = w.events().find(({ event }) => event === "poll.cycle")
        assert.strictEqual(cycle?.["interrupted"], true)
      }).pipe(Effect.scoped)
    )
  }

  it.live("an item whose observation is complete is durable before heed ends", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { concurrency: 2 } })
      const [done, hung] = [yield* w.issue(), yield* w.issue()]
      yield* w.forge.fault({ match: { path: `/issues/${hung}$` }, failure: { kind: "hang" } })
      const heed = yield* w.start("start")
      yield* w.until("the first item is recorded", () => w.record(done) !== undefined)
      yield* heed.stop
      assert.strictEqual(w.record(hung), undefined)
      assert.strictEqual(w.record(done)?.state, "open")
    }).pipe(Effect.scoped)
  )
})
