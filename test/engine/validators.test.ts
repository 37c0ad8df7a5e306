/** Validators are stored only after everything they vouch for is durable (traps P.35). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { repo, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

describe("validators", () => {
  it.live("killed while items are looked at: the listing is read again, and no word is lost", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { concurrency: 1 } })
      const numbers = yield* Effect.forEach([1, 2, 3], (n) => w.issue(`item ${n}`))
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      for (const number of numbers) yield* w.say(number, `say-${number}`)
      for (const signal of ["SIGKILL", "SIGTERM"] as const) {
        yield* w.forge.resetLog({})
        yield* w.forge.fault({ match: { path: `/issues/${numbers[0]}$` }, failure: { kind: "hang" } })
        const heed = yield* w.start("start")
        yield* w.forge.waitFor((log) => log.some(({ path }) => path.endsWith(`/issues/${numbers[0]}`)))
        yield* heed.signal(signal)
        yield* heed.ended
        yield* w.forge.liftFault({})
      }
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      for (const number of numbers) assert.deepStrictEqual(w.agent.words(item(number)), [`say-${number}`])
    }).pipe(Effect.scoped)
  )

  it.live("an item that fails is looked at again although its row does not change any more", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const [one, two] = [yield* w.issue("one"), yield* w.issue("two")]
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.untilState(two, "live")
      yield* w.forge.fault({
        match: { path: `/issues/${one}/comments$` },
        failure: { kind: "status", status: 500 },
        times: 3
      })
      yield* w.say(one, "say-1")
      yield* w.say(two, "say-2")
      yield* w.untilGiven("say-2")
      yield* w.untilGiven("say-1")
      yield* w.untilQuiet
      yield* heed.stop
    }).pipe(Effect.scoped)
  )

  it.live("an item that fails at first sight, of which there is no record yet, is looked at again", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue("one")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      const { number } = yield* w.forge.openIssue({ repo, title: "two", author: "alice", labels: [] })
      yield* w.forge.fault({
        match: { path: `/issues/${number}$` },
        failure: { kind: "status", status: 403 },
        times: 1
      })
      yield* w.forge.label({ repo, number, label: "agent", by: "alice" })
      yield* w.age
      yield* w.untilEvent("poll.item_failed")
      yield* w.untilState(number, "live")
      yield* heed.stop
    }).pipe(Effect.scoped)
  )

  it.live("an idle heed asks one conditional request a cycle and writes no line", () =>
    Effect.gen(function* () {
      const w = yield* world()
      yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-title")
      yield* w.untilQuiet
      yield* w.untilListed(3)
      const lines = w.events().length
      yield* w.forge.resetLog({})
      yield* w.untilListed(5)
      assert.strictEqual(w.events().length, lines)
      yield* heed.stop
      const answered = (yield* w.forge.log({})).filter(({ state }) => state === "answered")
      assert.deepStrictEqual(
        answered.filter(({ path, status }) => status !== 304 || path !== `/repos/${repo}/issues`),
        []
      )
    }).pipe(Effect.scoped)
  )
})
