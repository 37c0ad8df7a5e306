/** A real heed whose wall clock is moved, while it runs and between two runs. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { repo, world } from "../support/world.ts"

const hour = 3_600_000
const jumps = [24 * hour, -hour, -365 * 24 * hour, 365 * 24 * hour]

describe("a wall clock that jumps under a real heed", () => {
  it.live("while it runs: every word once, in order, and a source that failed is asked again", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { perItemPerHour: 2 } }, { clock: "moved" })
      const one = yield* w.issue("say-start")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      for (const [place, by] of jumps.entries()) {
        yield* w.forge.fault({ match: { path: "/issues$" }, failure: { kind: "status", status: 502 } })
        yield* w.untilEvent("poll.source_failed", () => true, place + 1)
        yield* w.moveClock(by)
        yield* w.forge.liftFault({})
        yield* w.untilHealthy
        yield* w.say(one, `say-${place}`)
        yield* w.untilGiven(`say-${place}`)
      }
      yield* w.untilQuiet
      assert.strictEqual((yield* w.run("stop")).code, 0)
      yield* heed.ended
      assert.deepStrictEqual(w.agent.words(`${repo}#${one}`), [
        "say-start",
        ...jumps.map((_, place) => `say-${place}`)
      ])
      assert.isUndefined(w.record(one)?.paused)
    }).pipe(Effect.scoped)
  )

  it.live("between two runs: what failed is tried again soon, and its sweep is not put off", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { retryAfter: ["1s"] } }, { clock: "moved" })
      const one = yield* w.issue("say-start")
      w.agent.behave(`[ "$HEED_ATTEMPT" != 1 ] || exit 3`)
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      assert.isDefined(w.record(one)?.waiting[0])
      yield* w.moveClock(-365 * 24 * hour)
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* heed.stop
      assert.deepStrictEqual(
        w.agent.runs().map(({ attempt }) => attempt),
        [1, 2]
      )
    }).pipe(Effect.scoped)
  )
})
