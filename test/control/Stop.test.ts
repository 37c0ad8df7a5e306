/** How long a stop waits, whatever the wall clock does meanwhile (G2.2). */
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { stop } from "../../src/control/Stop.ts"
import { type Probe, RunLock } from "../../src/disk/RunLock.ts"
import { withWallClock } from "../support/wallClock.ts"

/** A root that a command holds for ever: it is waited for, and not disturbed. */
const held = Layer.mock(RunLock, {
  probe: Effect.succeed<Probe>({
    _tag: "Held",
    holder: { pid: 4711, startTime: "1", bootId: "b", role: "command" }
  })
})

describe("stop", () => {
  for (const by of ["-1 day", "1 day"] as const) {
    it.effect(`waits for its time-out although the clock is moved by ${by}`, () =>
      withWallClock((move) =>
        Effect.gen(function* () {
          const timeout = Duration.seconds(30)
          const asking = yield* Effect.forkChild(
            Effect.flip(stop({ socket: undefined, pidfile: "heed.pid", timeout }))
          )
          yield* TestClock.adjust("1 second")
          yield* move(by)
          yield* TestClock.adjust("28 seconds")
          assert.isUndefined(asking.pollUnsafe())
          yield* TestClock.adjust("2 seconds")
          assert.strictEqual((yield* Fiber.join(asking)).reason, "TimedOut")
        })
      ).pipe(Effect.provide(held))
    )
  }
})
