/** G3.1: an item's record is durable before the next one begins; SIGKILL neither repeats nor swallows anything. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { repo, world } from "../support/world.ts"

const count = 10

describe("G3.1", () => {
  it.live("kill -9 after item n: items 1 to n are durable, and no comment is repeated or swallowed", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { concurrency: 1 }, limits: { sessions: 50 } })
      const numbers = yield* Effect.forEach(Array.from({ length: count }), (_, n) => w.issue(`item ${n}`))
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      for (const number of numbers) {
        yield* w.say(number, `say-${number}-a`)
        yield* w.say(number, `say-${number}-b`)
      }
      yield* w.forge.fault({
        match: { path: "/issues/\\d+/comments$" },
        failure: { kind: "delay", millis: 20 }
      })
      const forwarded = () => w.events().filter(({ event }) => event === "poll.comment_forwarded")
      for (const after of [1, 6, 13]) {
        const heed = yield* w.start("start")
        yield* w.until(`${after} words are forwarded`, () => forwarded().length >= after)
        yield* heed.kill
        for (const { ref = "", key } of forwarded()) {
          const record = w.record(Number(ref.split("#")[1]))
          const known = [
            ...Object.keys(record?.seen ?? {}),
            ...(record?.waiting ?? []).map((entry) => `${entry.key}@default`)
          ]
          assert.include(
            known,
            `${String(key)}@default`,
            `${ref} was said to be forwarded and is not durable`
          )
        }
      }
      yield* w.forge.liftFault({})
      const last = yield* w.start("start")
      for (const number of numbers) yield* w.untilGiven(`say-${number}-b`)
      yield* w.untilListed(2)
      yield* w.untilQuiet
      yield* last.stop
      for (const number of numbers)
        assert.deepStrictEqual(w.agent.words(`${repo}#${number}`), [`say-${number}-a`, `say-${number}-b`])
    }).pipe(Effect.scoped)
  )

  it.live("kill -9 while items are seen for the first time: each starts once, with its whole thread", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { concurrency: 1 }, limits: { sessions: 50 } })
      const numbers = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) => w.issue(`item ${n}`))
      for (const number of numbers) yield* w.say(number, `say-${number}`)
      for (const after of [1, 4]) {
        yield* w.forge.fault({
          match: { path: "/issues/\\d+$" },
          failure: { kind: "delay", millis: 20 }
        })
        const heed = yield* w.start("start")
        yield* w.until(`${after} items are recorded`, () => w.records().length >= after)
        yield* heed.kill
      }
      yield* w.forge.liftFault({})
      const last = yield* w.start("start")
      for (const number of numbers) yield* w.untilGiven(`say-${number}`)
      yield* w.untilListed(2)
      yield* w.untilQuiet
      yield* last.stop
      for (const number of numbers)
        assert.deepStrictEqual(w.agent.words(`${repo}#${number}`), [`say-${number}`])
      assert.strictEqual(w.agent.runs().length, numbers.length)
    }).pipe(Effect.scoped)
  )
})
