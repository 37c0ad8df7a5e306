/** G3.2 for the whole heed: a hand-over reaches its agent once, wherever heed is killed, and its result is taken in. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repo, world } from "../support/world.ts"

describe("G3.2", () => {
  it.live("kill -9 of heed while an agent runs: the next heed takes its result in", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 3, retryAfter: ["10ms"] } })
      const [succeeds, fails] = [yield* w.issue("say-good"), yield* w.issue("say-bad")]
      w.agent.behave(
        `${w.agent.waiting()}; case "$HEED_WORK_ITEM_KEY $HEED_ATTEMPT" in *#${fails}\\ 1) echo "it broke" >&2; exit 3;; esac`
      )
      const killed = yield* w.start("start")
      yield* w.until("both run", () => w.agent.runs().length === 2)
      yield* killed.kill
      // One result comes while nobody is there, the other while the next heed is.
      w.agent.release()
      const next = yield* w.start("start")
      yield* w.untilState(succeeds, "live")
      yield* w.untilState(fails, "live")
      yield* next.stop
      const runs = w.agent.runs()
      assert.deepStrictEqual(
        runs.filter(({ item }) => item === `${repo}#${succeeds}`).map(({ attempt }) => attempt),
        [1]
      )
      const failing = runs.filter(({ item }) => item === `${repo}#${fails}`)
      assert.deepStrictEqual(
        failing.map(({ attempt }) => attempt),
        [1, 2]
      )
      const handOver = failing[1]?.handOver ?? ""
      const prompt = w.prompt(handOver, 2)
      assert.include(prompt, "This is attempt 2")
      assert.include(prompt, "it broke")
      assert.isAtLeast(w.events().filter(({ event }) => event === "session.adopted").length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a graceful stop waits for no run: it ends before it, and the next heed adopts and resolves", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue("say-start")
      w.agent.behave(w.agent.waiting())
      const first = yield* w.start("start")
      yield* w.untilGiven("say-start")
      yield* first.stop
      assert.strictEqual(w.record(one)?.sessions["default"]?.state, "wanted")
      yield* w.say(one, "say-meanwhile")
      const next = yield* w.start("start")
      yield* w.untilEvent("session.adopted")
      yield* w.until("the word waits", () => (w.record(one)?.waiting.length ?? 0) > 1)
      w.agent.release()
      yield* w.untilGiven("say-meanwhile")
      yield* w.untilQuiet
      yield* next.stop
      assert.deepStrictEqual(w.agent.words(`${repo}#${one}`), ["say-start", "say-meanwhile"])
    }).pipe(Effect.scoped)
  )

  it.live("heed is killed again and again while it hands over: every word arrives once, in order", () =>
    Effect.gen(function* () {
      const w = yield* world({ agent: { coalesce: false } })
      const numbers = [yield* w.issue("one"), yield* w.issue("two"), yield* w.issue("three")]
      const words = ["a", "b", "c", "d", "e"]
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      for (const word of words) for (const number of numbers) yield* w.say(number, `say-${number}-${word}`)
      for (let kills = 1; kills <= 6; kills++) {
        const before = w.agent.runs().length
        const heed = yield* w.start("start")
        // Each time a little later: right after the claim, at the first run, after its result.
        yield* kills % 2 === 0
          ? w.until("a run begins", () => w.agent.runs().length > before)
          : w.until("a hand-over is claimed", () =>
              w.records().some(({ sessions }) => sessions["default"]?.claim !== undefined)
            )
        yield* heed.kill
      }
      const last = yield* w.start("start")
      for (const number of numbers) yield* w.untilGiven(`say-${number}-e`)
      yield* w.untilQuiet
      yield* last.stop
      for (const number of numbers) {
        assert.deepStrictEqual(
          w.agent.words(`${repo}#${number}`),
          words.map((word) => `say-${number}-${word}`)
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("evidence that cannot be read is no evidence of absence: nothing is handed over twice", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue("say-start")
      w.agent.behave(w.agent.waiting())
      const first = yield* w.start("start")
      yield* w.untilGiven("say-start")
      yield* first.kill
      const claim = w.record(one)?.sessions["default"]?.claim
      const file = join(w.root, "runs", claim?.id ?? "", String(claim?.try), "claim")
      assert.isTrue(existsSync(file))
      writeFileSync(file, "not what a wrapper writes")
      const next = yield* w.start("start")
      yield* w.untilListed(10)
      yield* next.stop
      w.agent.release()
      assert.strictEqual(w.agent.runs().length, 1)
      assert.deepStrictEqual(w.record(one)?.sessions["default"]?.claim, claim)
    }).pipe(Effect.scoped)
  )
})
