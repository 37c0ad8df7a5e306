/** G2.3, as far as the process goes: a signal is a stop, a second one ends at once, and the exit code tells which. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { daemon, finished, heed } from "../cli/process.ts"
import { folder, world } from "../cli/run.ts"

describe("G2.3", () => {
  it.live.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s stops the loop: exit 0, nothing left over",
    (signal) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* folder()
        const running = yield* daemon(path)
        running.kill(signal)
        const { code, err } = yield* running.ended
        assert.strictEqual(code, 0, err)
        assert.include(err, '"event":"poller.stopped"')
        assert.isFalse(yield* fs.exists(`${path}/.heed/heed.pid`))
        assert.isFalse(yield* fs.exists(`${path}/.heed/heed.sock`))
      }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live.each([
    ["a signal", "SIGTERM"],
    ["heed stop", undefined]
  ] as const)("a single cycle that %s interrupts is incomplete: exit 75", ([, signal]) =>
    Effect.gen(function* () {
      const path = yield* folder()
      const running = yield* heed(path, ["start", "--once"], { cycle: "hang" })
      yield* running.said("poller.started")
      if (signal === undefined) assert.strictEqual((yield* finished(path, ["stop"])).code, 0)
      else running.kill(signal)
      assert.strictEqual((yield* running.ended).code, 75)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("a second signal ends a stop that takes too long, and the lock is free", () =>
    Effect.gen(function* () {
      const path = yield* folder()
      const running = yield* daemon(path, { stopping: "never" })
      running.kill("SIGTERM")
      yield* running.said("poller.stopped")
      running.kill("SIGTERM")
      assert.strictEqual((yield* running.ended).code, 1)
      assert.strictEqual((yield* finished(path, ["start", "--once"])).code, 0)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("a signal during the start is honoured", () =>
    Effect.gen(function* () {
      const path = yield* folder()
      for (let round = 0; round < 3; round++) {
        const running = yield* heed(path, ["start"])
        yield* Effect.sleep(100 + 100 * round)
        running.kill("SIGTERM")
        const { code } = yield* running.ended
        // Before Node runs a line of ours the signal ends it as it ends anything.
        assert.include([0, 130, "SIGTERM"], code)
        assert.strictEqual((yield* finished(path, ["start", "--once"])).code, 0)
      }
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
