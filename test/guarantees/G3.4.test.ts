/** G3.4: a stop waits for sends and never for runs; what it leaves behind is pending as if it had never been taken. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { repo, world } from "../support/world.ts"

describe("G3.4", () => {
  it.live("a comment queued and abandoned by a stop keeps its whole budget and is not baselined", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { sessions: 1 }, polling: { attempts: 1 } })
      const [busy, queued] = [yield* w.issue("busy"), yield* w.issue("queued")]
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      yield* w.until("both sessions live", () =>
        [busy, queued].every((number) => w.record(number)?.sessions["default"]?.state === "live")
      )
      yield* Effect.sync(() => w.agent.behave(w.agent.waiting()))
      yield* w.say(busy, "say-busy")
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-busy")
      yield* w.say(queued, "say-queued")
      yield* w.untilEvent("poll.comment_forwarded", ({ ref }) => ref?.endsWith(`#${queued}`) === true)
      yield* heed.stop
      yield* w.untilEvent("dispatch.abandoned", ({ ref }) => ref?.endsWith(`#${queued}`) === true)
      const untouched = () => {
        const record = w.record(queued)
        assert.deepStrictEqual(
          record?.waiting.map(({ attempts }) => attempts),
          [0]
        )
        assert.strictEqual(record?.sessions["default"]?.claim, undefined)
        assert.notInclude(Object.values(record?.seen ?? {}), "baseline")
      }
      untouched()

      // Restarts spend nothing, and the run at work is nobody's to end.
      for (let restart = 1; restart <= 8; restart++) {
        const again = yield* w.start("start")
        yield* w.untilEvent("session.adopted", ({ ref }) => ref?.endsWith(`#${busy}`) === true, restart)
        yield* w.untilListed(1)
        yield* again.stop
        untouched()
      }
      const last = yield* w.start("start")
      yield* w.untilListed(1)
      yield* Effect.sync(() => w.agent.release())
      yield* w.untilGiven("say-queued")
      yield* w.untilQuiet
      yield* last.stop
      assert.deepStrictEqual(w.agent.words(`${repo}#${busy}`), ["say-busy"])
      assert.deepStrictEqual(w.agent.words(`${repo}#${queued}`), ["say-queued"])
      assert.isTrue(w.agent.runs().every(({ attempt }) => attempt === 1))
    }).pipe(Effect.scoped)
  )

  it.live("a start abandoned by a stop begins later, with every word that came meanwhile", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { sessions: 1 }, polling: { attempts: 1 } })
      w.agent.behave(w.agent.waiting())
      const first = yield* w.issue("first")
      const heed = yield* w.start("start")
      yield* w.until("the first runs", () => w.agent.runs().length === 1)
      const second = yield* w.issue("say-second")
      yield* w.say(second, "say-1")
      yield* w.untilEvent("dispatch.queued", ({ ref }) => ref?.endsWith(`#${second}`) === true)
      yield* heed.stop
      yield* w.untilEvent("dispatch.abandoned", ({ ref }) => ref?.endsWith(`#${second}`) === true)
      yield* w.say(second, "say-2")
      w.agent.release()
      const next = yield* w.start("start")
      yield* w.untilGiven("say-2")
      yield* w.untilQuiet
      yield* next.stop
      assert.deepStrictEqual(w.agent.words(`${repo}#${second}`), ["say-second", "say-1", "say-2"])
      assert.strictEqual(w.agent.runs().filter(({ item }) => item === `${repo}#${first}`).length, 1)
    }).pipe(Effect.scoped)
  )
})
