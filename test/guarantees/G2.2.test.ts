/** G2.2: stop returns 0 only once the lock is free; past its time-out it says so and exits 1. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { daemon, finished } from "../cli/process.ts"
import { folder, world } from "../cli/run.ts"

describe("G2.2", () => {
  it.live("past the time-out it says so, and leaves the daemon alone", () =>
    Effect.gen(function* () {
      const path = yield* folder()
      const running = yield* daemon(path, { stopping: "never" })
      const { code, err, out } = yield* finished(path, ["stop", "--timeout", "300ms"])
      assert.deepStrictEqual([code, out], [1, ""])
      assert.include(err, `heed (pid ${running.pid}) was asked to stop and still holds`)
      assert.include(err, "after 300ms")
      // It still is there: its lock refuses another one.
      const second = yield* finished(path, ["start", "--once"])
      assert.strictEqual(second.code, 1)
      assert.include(second.err, `process ${running.pid}`)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("stop && start: what follows a stop is never refused", () =>
    Effect.gen(function* () {
      const path = yield* folder()
      for (let round = 0; round < 4; round++) {
        const running = yield* daemon(path)
        assert.strictEqual((yield* finished(path, ["stop"])).code, 0)
        const next = yield* finished(path, ["start", "--once"])
        assert.strictEqual(next.code, 0, next.err)
        assert.strictEqual((yield* running.ended).code, 0)
      }
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
