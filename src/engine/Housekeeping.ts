/**
 * Housekeeping: what a sweep clears away: records of items that ended long ago, what old runs left behind, and words
 * that nobody waits for.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { forgotten } from "../domain/forget.ts"
import { instant, millis } from "../domain/Item.ts"
import { Sinks } from "../sink/Sink.ts"
import { Ledger } from "../state/Ledger.ts"
import { Running } from "./Running.ts"
import { Words } from "./Words.ts"

/** Answers with the effect that clears away; it never fails, and what it cannot do is a later sweep's. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const running = yield* Running
  const sinks = yield* Sinks
  const words = yield* Words

  /** Leaves a tombstone of what ended longer than `state.keep` ago. */
  const forget = Effect.gen(function* () {
    const { plan } = yield* running.get
    const now = instant(yield* Clock.currentTimeMillis)
    const cutoff = instant(millis(now) - plan.state.keep)
    const old = (yield* ledger.entries).filter(({ endedAt }) => endedAt !== undefined && endedAt < cutoff)
    yield* Effect.forEach(
      old,
      ({ identity }) =>
        ledger
          .modify(identity, (record) => [undefined, record && forgotten(record, now, plan.state.keep)])
          // A record that cannot be written now is forgotten at a later sweep.
          .pipe(Effect.catchTag("LedgerError", ({ message }) => Effect.logWarning(message))),
      { discard: true }
    )
  })

  /**
   * Removes what old runs left behind, but for those that a record still claims. What a frozen record claims nobody can
   * read, and it is the evidence by which an operator resolves it: until then every run stays.
   */
  const tidy = Effect.gen(function* () {
    const { plan } = yield* running.get
    const entries = yield* ledger.entries
    if (entries.some(({ frozen }) => frozen !== undefined)) return
    const busy = entries.filter((entry) => entry.busy)
    const records = yield* Effect.forEach(busy, ({ identity }) =>
      // What cannot be read now protects nothing that is young, and old runs of it are read by nobody.
      ledger.get(identity).pipe(Effect.catchTag("LedgerError", () => Effect.succeed(undefined)))
    )
    const claimed = new Set(
      records.flatMap((record) =>
        Object.values(record?.sessions ?? {}).flatMap(({ claim }) =>
          claim === undefined ? [] : [`${claim.id}/${claim.try}`]
        )
      )
    )
    yield* sinks.tidy({
      keep: plan.state.runs.keep,
      maxTotal: plan.state.runs.maxTotal,
      isProtected: (which) => claimed.has(`${which.id}/${which.try}`)
    })
  })

  /** Drops the words of items on which nothing waits any more. */
  const quieten = Effect.gen(function* () {
    yield* Effect.forEach(
      yield* words.held,
      (identity) =>
        Effect.gen(function* () {
          const memory = yield* words.get(identity)
          const record = yield* ledger.get(identity)
          yield* record === undefined ? words.forget(identity) : words.settle(record, memory)
        }).pipe(
          // A record that cannot be read now has nothing to hand over: its words are read again with it.
          Effect.catchTag("LedgerError", () => words.forget(identity))
        ),
      { discard: true }
    )
  })

  return Effect.andThen(tidy, Effect.andThen(forget, quieten)).pipe(Effect.withSpan("Housekeeping"))
})
