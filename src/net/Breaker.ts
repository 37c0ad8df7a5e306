/**
 * Breaker: waiting that is shared by everyone who asks the same host with the same credential. After a failure that
 * concerns them all nobody asks before a moment on the monotonic clock; the waiting doubles, and a success ends it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { Instant, instant, millis } from "../domain/Item.ts"
import { monotonicMillis } from "./Monotonic.ts"

/** One waiting, fit to be kept over a restart (traps B27). */
export const Waiting = Schema.Struct({
  key: Schema.String,
  /** The reason of the failure, as its error names it. */
  reason: Schema.String,
  message: Schema.String,
  /** In a row. */
  failures: Schema.Int,
  /** By the wall clock, for people and restarts; in a process the monotonic clock decides. */
  until: Instant
})
export type Waiting = typeof Waiting.Type

export interface Failure {
  readonly reason: string
  readonly message: string
  /** Milliseconds that the server asked for. */
  readonly retryAfter?: number | undefined
  /** The shortest wait where the server named none, in milliseconds. */
  readonly floor?: number | undefined
}

/** What is left of a waiting, in milliseconds. */
export type Left = Waiting & { readonly left: number }

interface State extends Failure {
  readonly failures: number
  readonly notBefore: number
}

/** The failure by which a server asks to be left alone. */
const limited = "Limited"

const minute = 60_000
/** GitHub's budgets refill hourly; a server that asks for more has a wrong clock (traps B28). */
const longest = 60 * minute

export class Breaker extends Context.Service<
  Breaker,
  {
    /** What this key waits for now; undefined when asking is fine. */
    readonly waiting: (key: string) => Effect.Effect<Left | undefined>
    /** Begins or prolongs a waiting and answers with its milliseconds. Failures of requests that were already under way count as one. */
    readonly failed: (key: string, failure: Failure) => Effect.Effect<number>
    readonly succeeded: (key: string) => Effect.Effect<void>
    /** All that waits now. */
    readonly waits: Effect.Effect<ReadonlyArray<Waiting>>
    /**
     * Takes up what a former process was told to wait for by a server. What else it waited for is tried at once: whoever
     * starts heed again may have mended it.
     */
    readonly restore: (waits: ReadonlyArray<Waiting>) => Effect.Effect<void>
  }
>()("heed/net/Breaker") {
  /** `interval` is the first wait in milliseconds, 60 s by default, read at each failure; `ceiling` the longest, 15 m. */
  static readonly layer = (options?: {
    readonly interval?: Effect.Effect<number>
    readonly ceiling?: number
  }) =>
    Layer.sync(Breaker, () => {
      const interval = options?.interval ?? Effect.succeed(minute)
      const ceiling = options?.ceiling ?? 15 * minute
      const states = new Map<string, State>()

      const described = (key: string, state: State, now: number, wall: number): Left => ({
        key,
        reason: state.reason,
        message: state.message,
        failures: state.failures,
        until: instant(wall + state.notBefore - now),
        left: state.notBefore - now
      })

      const waiting = Effect.fn("Breaker.waiting")(function* (key: string) {
        const state = states.get(key)
        if (state === undefined) return undefined
        const now = yield* monotonicMillis
        return now < state.notBefore ? described(key, state, now, yield* Clock.currentTimeMillis) : undefined
      })

      const span = Effect.fnUntraced(function* (failure: Failure, failures: number) {
        const random = yield* Random.next
        if (failure.retryAfter !== undefined) {
          return Math.min(longest, Math.max(1000, failure.retryAfter)) * (1 + 0.05 * random)
        }
        const first = Math.max(yield* interval, failure.floor ?? 0)
        const doubled = Math.min(Math.max(ceiling, first), first * 2 ** Math.min(failures - 1, 20))
        // A floor is a promise to the server, so jitter goes upwards from it; else it goes down, to keep the rhythm.
        return failure.floor === undefined ? doubled * (1 - 0.25 * random) : doubled * (1 + 0.25 * random)
      })

      const failed = Effect.fn("Breaker.failed")(function* (key: string, failure: Failure) {
        const now = yield* monotonicMillis
        const former = states.get(key)
        const underWay = former !== undefined && now < former.notBefore
        const failures = underWay ? former.failures : (former?.failures ?? 0) + 1
        const wait = yield* span(failure, failures)
        const notBefore = Math.max(underWay ? former.notBefore : 0, now + wait)
        states.set(key, { ...failure, failures, notBefore })
        return notBefore - now
      })

      const succeeded = (key: string) =>
        Effect.sync(() => {
          states.delete(key)
        })

      const waits = Effect.gen(function* () {
        const now = yield* monotonicMillis
        const wall = yield* Clock.currentTimeMillis
        return [...states]
          .filter(([, state]) => now < state.notBefore)
          .map(([key, state]): Waiting => {
            const { left: _, ...waiting } = described(key, state, now, wall)
            return waiting
          })
      })

      const restore = Effect.fn("Breaker.restore")(function* (waits: ReadonlyArray<Waiting>) {
        const now = yield* monotonicMillis
        const wall = yield* Clock.currentTimeMillis
        for (const { key, reason, message, failures, until } of waits) {
          const left = Math.min(longest, millis(until) - wall)
          if (left > 0 && reason === limited)
            states.set(key, { reason, message, failures, notBefore: now + left })
        }
      })
      return Breaker.of({ waiting, failed, succeeded, waits, restore })
    })
}
