/**
 * Monotonic: the clock for waiting. The wall clock is set by people, servers and flat batteries; this one only ever goes
 * forward, and stands still while the machine sleeps.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since some moment of this process's own: only ever compared with one another. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) =>
  Number(nanos / 1_000_000n)
)
