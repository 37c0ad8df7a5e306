/** The real command with an agent that fails everywhere: paused and said, over a kill, until its entry is mended. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { world } from "../support/world.ts"

describe("an agent that fails on every item", () => {
  it.live(
    "is paused over a kill, stands in heed status with the mend, and is resumed by an edit of its entry",
    () =>
      Effect.gen(function* () {
        const polling = { attempts: 9 }
        const w = yield* world({ polling })
        w.agent.behave("exit 3")
        const items: Array<number> = []
        for (let n = 0; n < 3; n += 1) items.push(yield* w.issue())
        const first = yield* w.start("start")
        const [paused] = yield* w.untilEvent("agent.paused")
        assert.deepInclude(paused, { agent: "default", failures: 5, level: "error" })
        yield* w.untilListed(2)
        yield* first.kill
        const lines = [yield* w.run("status")]
        const second = yield* w.start("start")
        yield* w.untilEvent("poller.started", () => true, 2)
        const runs = w.agent.runs().length
        const four = yield* w.issue("say-four")
        yield* w.until("the fourth item waits", () => w.record(four)?.waiting.length === 1)
        lines.push(yield* w.run("status"))
        for (const { out } of lines) {
          assert.match(out, /the agent default is paused: it failed 5 times in a row/u)
          assert.match(out, /heed retry/u)
        }
        assert.strictEqual(w.agent.runs().length, runs, "nothing is tried meanwhile")
        assert.isTrue(items.every((number) => (w.record(number)?.waiting[0]?.attempts ?? 9) < 9))

        w.agent.behave("exit 0")
        yield* w.configure({ polling, agent: { env: { MENDED: "yes" } } })
        for (const number of [...items, four]) yield* w.untilState(number, "live")
        yield* second.stop
        assert.strictEqual(w.events().filter(({ event }) => event === "agent.paused").length, 1)
        assert.strictEqual(w.events().filter(({ event }) => event === "agent.resumed").length, 1)
        assert.notInclude((yield* w.run("status")).out, "is paused")
      }).pipe(Effect.scoped)
  )
})
