/**
 * A clock with two hands: the wall hand is moved by the test, as by a person, a time server or a flat battery, while the
 * monotonic one, by which sleepers wake, goes on as it did.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

/** Moves the wall hand; negative is back. */
export type Move = (by: Duration.Input) => Effect.Effect<void>

const start = Date.UTC(2026, 10, 30, 12)

/** The same clock, with its wall hand so many milliseconds ahead. */
export const shifted = (clock: Clock.Clock, moved: () => number): Clock.Clock => {
  const wall = () => clock.currentTimeMillisUnsafe() + moved()
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(moved()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: wall,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/**
 * Runs a test under a test clock whose wall hand it moves; at its beginning the two hands agree, in November 2026.
 * `steady` is the clock whose wall nobody moves.
 */
export const withWallClock = <A, E, R>(
  body: (move: Move, steady: Clock.Clock) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  TestClock.testClockWith((clock) =>
    Effect.suspend(() => {
      let moved = 0
      const move: Move = (by) =>
        Effect.sync(() => {
          moved += Duration.toMillis(by)
        })
      const jumping: TestClock.TestClock = { ...clock, ...shifted(clock, () => moved) }
      return Effect.andThen(clock.setTime(start), body(move, clock)).pipe(
        Effect.provideService(Clock.Clock, jumping)
      )
    })
  )
