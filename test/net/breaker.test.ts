/** Waiting that is shared, doubles, and survives a restart (traps B27, B28). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { Breaker } from "../../src/net/Breaker.ts"

const minute = 60_000
const network = { reason: "Network", message: "down" }
const bare = { reason: "Limited", message: "slow down", floor: minute }

const inBreaker = <A, E>(effect: Effect.Effect<A, E, Breaker>) =>
  effect.pipe(Effect.provide(Breaker.layer({ interval: Effect.succeed(10_000) })))

describe("Breaker", () => {
  it.effect("doubles from the interval to 15 minutes, and begins anew after a success", () =>
    inBreaker(
      Effect.gen(function* () {
        const breaker = yield* Breaker
        for (const doubled of [10, 20, 40, 80, 160, 320, 640, 900, 900]) {
          assert.isUndefined(yield* breaker.waiting("k"))
          const wait = yield* breaker.failed("k", network)
          assert.isTrue(wait > 0.74 * doubled * 1000 && wait <= doubled * 1000, `${wait} of ${doubled}`)
          assert.strictEqual((yield* breaker.waiting("k"))?.reason, "Network")
          assert.isUndefined(yield* breaker.waiting("another"))
          yield* TestClock.adjust(wait + 1)
        }
        yield* breaker.succeeded("k")
        assert.isBelow(yield* breaker.failed("k", network), 10_001)
      })
    )
  )

  it.effect("requests that fail together count as one failure", () =>
    inBreaker(
      Effect.gen(function* () {
        const breaker = yield* Breaker
        for (let n = 0; n < 8; n += 1) yield* breaker.failed("k", network)
        assert.strictEqual((yield* breaker.waiting("k"))?.failures, 1)
        assert.isBelow((yield* breaker.waiting("k"))?.left ?? 0, 10_001)
      })
    )
  )

  it.effect(
    "a limit without headers waits a minute at least, growing; a named time is kept, within an hour",
    () =>
      inBreaker(
        Effect.gen(function* () {
          const breaker = yield* Breaker
          const first = yield* breaker.failed("k", bare)
          assert.isTrue(first >= minute && first <= 1.25 * minute)
          yield* TestClock.adjust(first + 1)
          assert.isAtLeast(yield* breaker.failed("k", bare), 2 * minute)
          const named = yield* breaker.failed("n", { ...bare, retryAfter: 90_000 })
          assert.isTrue(named >= 90_000 && named < 95_000)
          const absurd = yield* breaker.failed("a", { ...bare, retryAfter: 10 * 365 * 86_400_000 })
          assert.isTrue(absurd >= 60 * minute && absurd < 64 * minute)
          assert.isAtLeast(yield* breaker.failed("z", { ...bare, retryAfter: 0 }), 1000)
        })
      )
  )

  it.effect("a limit outlives a restart; what a restart may mend does not", () =>
    Effect.gen(function* () {
      const kept = yield* inBreaker(
        Effect.gen(function* () {
          const breaker = yield* Breaker
          yield* breaker.failed("k", bare)
          yield* breaker.failed("refused", { reason: "Unauthorized", message: "no" })
          yield* TestClock.adjust(5000)
          return yield* breaker.waits
        })
      )
      assert.deepStrictEqual(
        kept.map(({ key, reason, failures }) => [key, reason, failures]),
        [
          ["k", "Limited", 1],
          ["refused", "Unauthorized", 1]
        ]
      )
      yield* inBreaker(
        Effect.gen(function* () {
          const breaker = yield* Breaker
          yield* breaker.restore(kept)
          assert.isAtLeast((yield* breaker.waiting("k"))?.left ?? 0, 54_000)
          assert.isUndefined(yield* breaker.waiting("refused"))
          yield* TestClock.adjust(70_000)
          assert.isUndefined(yield* breaker.waiting("k"))
        })
      )
    })
  )
})
