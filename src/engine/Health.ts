/**
 * Health: how each listing is doing, and how long a failing one is left alone. A source that fails, fails alone: its
 * waiting doubles from `polling.interval` to 15 minutes, jittered.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { instant } from "../domain/Item.ts"
import { monotonicMillis } from "../net/Monotonic.ts"
import { EventLog } from "../state/EventLog.ts"
import type { Health as Line } from "../state/Heartbeat.ts"
import type { Provider, SourceError } from "../tracker/Provider.ts"

/** The longest that a failing source is left alone, in milliseconds. */
const longest = 900_000

/** Needs the event log; never fails. Kept in memory: a new process asks every listing once. */
export const make = Effect.gen(function* () {
  const log = yield* EventLog
  const lines = new Map<string, Line>()
  /** When a failing listing is asked again, in monotonic milliseconds: a wall clock that is set back would put it off. */
  const dueAt = new Map<string, number>()

  const keyOf = (source: string, scope: string) => `${source}/${scope}`

  const line = (source: string, scope: string): Line =>
    lines.get(keyOf(source, scope)) ?? { source, scope, state: "unknown", failures: 0, items: 0 }

  /** Whether the listing is asked now, or still left alone after a failure. */
  const isDue = Effect.fn("Health.isDue")(function* (source: string, scope: string) {
    const due = dueAt.get(keyOf(source, scope))
    return due === undefined || due <= (yield* monotonicMillis)
  })

  /** The listing came through, with so many items. */
  const well = Effect.fn("Health.well")(function* (source: string, scope: string, items: number) {
    const okAt = instant(yield* Clock.currentTimeMillis)
    dueAt.delete(keyOf(source, scope))
    lines.set(keyOf(source, scope), { source, scope, state: "ok", okAt, failures: 0, items })
  })

  /** The listing failed: it is left alone for a while, which is said, and its reason too where that is news. */
  const ill = Effect.fn("Health.ill")(function* (
    { source }: Provider,
    scope: string,
    interval: number,
    error: SourceError
  ) {
    const before = line(source, scope)
    const failures = before.failures + 1
    const doubled = Math.min(longest, interval * 2 ** Math.min(failures - 1, 20))
    const jittered = doubled * (0.9 + 0.2 * (yield* Random.next))
    const wait = Math.round(Math.max(jittered, error.retryAfter ?? 0))
    const nextAt = instant((yield* Clock.currentTimeMillis) + wait)
    dueAt.set(keyOf(source, scope), (yield* monotonicMillis) + wait)
    const { okAt } = before
    lines.set(keyOf(source, scope), {
      source,
      scope,
      state: error.reason,
      message: error.message,
      ...(okAt === undefined ? {} : { okAt }),
      failures,
      nextAt,
      items: before.items
    })
    if (before.state !== error.reason) {
      yield* log.append({
        event: "poll.source_failed",
        level: "error",
        source,
        scope,
        reason: error.reason,
        why: error.message
      })
    }
    yield* log.append({
      event: "poll.backoff",
      level: "warn",
      source,
      scope,
      failures,
      wait_ms: wait,
      until: nextAt
    })
  })

  /** Forgets listings that the plan no longer has. */
  const keep = (present: ReadonlyArray<{ readonly source: string; readonly scope: string }>) =>
    Effect.sync(() => {
      const wanted = new Set(present.map(({ scope, source }) => keyOf(source, scope)))
      for (const key of lines.keys()) {
        if (wanted.has(key)) continue
        lines.delete(key)
        dueAt.delete(key)
      }
    })

  return { isDue, well, ill, keep, all: Effect.sync((): ReadonlyArray<Line> => [...lines.values()]) }
})
export type Health = Effect.Success<typeof make>
