/**
 * Cycle: one pass over all sources, concurrently, each with its own failures.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import { forgotten } from "../domain/forget.ts"
import { instant, millis } from "../domain/Item.ts"
import { Breaker } from "../net/Breaker.ts"
import { Sinks } from "../sink/Sink.ts"
import { Backlog } from "../state/Backlog.ts"
import { EventLog } from "../state/EventLog.ts"
import { Heartbeat } from "../state/Heartbeat.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"
import { Validators } from "../state/Validators.ts"
import type { Provider } from "../tracker/Provider.ts"
import { Dispatcher } from "./Dispatcher.ts"
import * as HealthOf from "./Health.ts"
import type { CycleSummary } from "./Poller.ts"
import { Running } from "./Running.ts"
import * as Step from "./Step.ts"
import { Tally } from "./Tally.ts"
import * as Walk from "./Walk.ts"

/** How many listings are asked at once: requests per credential are few at a time (traps B31). */
const listingsAtOnce = 8

export const make = Effect.gen(function* () {
  const config = yield* ConfigReloader
  const heartbeat = yield* Heartbeat
  const ledger = yield* Ledger
  const log = yield* EventLog
  const validators = yield* Validators
  const backlog = yield* Backlog
  const running = yield* Running
  const sinks = yield* Sinks
  const dispatcher = yield* Dispatcher
  // Only providers that ask over the network have one.
  const breaker = yield* Effect.serviceOption(Breaker)
  const health = yield* HealthOf.make
  const walk = yield* Walk.make(yield* Step.make)
  const startedAt = instant(yield* Clock.currentTimeMillis)
  let cycles = 0
  let idleCycles = 0
  let rejected: string | undefined

  /** Puts a changed configuration in force, or says once what is wrong with it and keeps the running plan. */
  const reload = Effect.gen(function* () {
    const answer = yield* config.check
    switch (answer._tag) {
      case "Unchanged":
        return
      case "Rejected":
        rejected = `the configuration is rejected and the former one stays in force: ${answer.problems[0]?.message ?? ""}`
        if (!answer.first) return
        yield* log.append({
          event: "config.rejected",
          level: "error",
          problems: answer.problems.map(({ line, message, path }) => ({
            path,
            message,
            ...(line === undefined ? {} : { line })
          }))
        })
        return
      case "Reloaded":
        rejected = undefined
        yield* running.put(answer.plan)
        yield* dispatcher.refresh
        yield* log.append({ event: "config.reloaded", level: "info", need_restart: answer.needRestart })
    }
  })

  /** Asks one listing, unless it is left alone after a failure. */
  const visit = Effect.fn("Cycle.visit")(function* (round: Walk.Round, interval: number) {
    const { provider, scope, tally } = round
    if (!(yield* health.isDue(provider.source, scope))) {
      tally.leftAlone += 1
      return
    }
    yield* walk(round).pipe(
      Effect.flatMap((items) => health.well(provider.source, scope, items)),
      Effect.catchTags({
        SourceError: (error) => {
          tally.errors += 1
          return health.ill(provider, scope, interval, error)
        },
        LedgerError: (error) => {
          tally.errors += 1
          return log.append({
            event: "poll.item_failed",
            level: "error",
            source: provider.source,
            why: error.message
          })
        }
      })
    )
  })

  const usage = Effect.fn("Cycle.usage")(function* (providers: ReadonlyArray<Provider>) {
    const all = yield* Effect.forEach(providers, (provider) => provider.usage)
    return {
      requests: all.reduce((sum, one) => sum + one.requests, 0),
      notModified: all.reduce((sum, one) => sum + one.notModified, 0)
    }
  })

  /** A sweep yields when less than 30 % of what may be asked is left. */
  const canAfford = (provider: Provider) =>
    Effect.map(provider.usage, ({ budget }) => budget === undefined || budget.remaining >= 0.3 * budget.limit)

  const warnings = Effect.gen(function* () {
    const { plan } = yield* running.get
    const frozen = (yield* ledger.entries).filter((entry) => entry.frozen !== undefined)
    const held = Object.entries(yield* backlog.all).filter(([, standing]) => standing.state === "held")
    return [
      ...plan.warnings,
      ...(rejected === undefined ? [] : [rejected]),
      ...frozen.map(
        ({ frozen: why, slug }) =>
          `items/${slug}.json is frozen, and its item left alone: ${why}. Mend the file, or move it away to begin anew`
      ),
      ...held.map(
        ([listing, { count }]) =>
          `${listing}: ${count} items would start at once, more than polling.firstRun.max; none does until you say which: heed start --accept-backlog start, or baseline`
      )
    ]
  })

  const beat = Effect.fn("Cycle.beat")(function* (summary: CycleSummary) {
    const at = instant(yield* Clock.currentTimeMillis)
    const sweptAt = yield* validators.sweptAt
    yield* heartbeat.write({
      version: 1,
      pid: process.pid,
      heed: running.identification.version,
      at,
      startedAt,
      cycles,
      idleCycles,
      lastCycle: {
        at,
        ms: summary.ms,
        items: summary.items,
        changed: summary.changed,
        requests: summary.requests,
        notModified: summary.notModified,
        errors: summary.errors,
        interrupted: summary.interrupted
      },
      ...(sweptAt === undefined ? {} : { sweptAt }),
      sources: yield* health.all,
      ...(Option.isSome(breaker) ? { waits: yield* breaker.value.waits } : {}),
      warnings: yield* warnings
    })
  })

  /** The known items of each listing, so that an idle cycle looks through the index once and not once per listing. */
  const byListing = Effect.map(ledger.entries, (entries) => {
    const listings = new Map<string, Array<Entry>>()
    for (const entry of entries) {
      const key = `${entry.source}/${entry.scope}`
      const known = listings.get(key)
      if (known === undefined) listings.set(key, [entry])
      else known.push(entry)
    }
    return listings
  })

  const pass = Effect.fn("Cycle.pass")(function* (tally: Tally, providers: ReadonlyArray<Provider>) {
    const { plan } = yield* running.get
    const sweptAt = yield* validators.sweptAt
    const startsAt = yield* Clock.currentTimeMillis
    const due = sweptAt === undefined || startsAt - millis(sweptAt) >= plan.polling.sweepEvery
    const sweeping = new Set(yield* Effect.filter(due ? providers : [], canAfford))
    const listings = yield* byListing
    const rounds = providers.flatMap((provider) =>
      provider.scopes.map((scope): Walk.Round => ({
        provider,
        scope,
        known: listings.get(`${provider.source}/${scope}`) ?? [],
        sweep: sweeping.has(provider),
        tally
      }))
    )
    yield* health.keep(rounds.map(({ provider, scope }) => ({ source: provider.source, scope })))
    yield* Effect.forEach(rounds, (round) => visit(round, plan.polling.interval), {
      concurrency: listingsAtOnce,
      discard: true
    })
    if (!due) return
    yield* tidy
    yield* forget
    if (tally.errors + tally.leftAlone === 0) yield* validators.swept(instant(startsAt))
  })

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

  /** Removes what old runs left behind, but for those that a record still claims. */
  const tidy = Effect.gen(function* () {
    const { plan } = yield* running.get
    const busy = (yield* ledger.entries).filter((entry) => entry.busy)
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

  return Effect.gen(function* () {
    const tally = new Tally()
    const start = yield* Clock.monotonicTimeNanos
    yield* reload
    const { providers } = yield* running.get
    const before = yield* usage(providers)
    const conclude = Effect.fn("Cycle.conclude")(function* (interrupted: boolean) {
      const after = yield* usage(providers)
      const summary = tally.summary({
        interrupted,
        requests: after.requests - before.requests,
        notModified: after.notModified - before.notModified,
        ms: Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
      })
      cycles += 1
      if (tally.isEventful || interrupted)
        yield* log.append({ event: "poll.cycle", level: "info", ...summary })
      else idleCycles += 1
      yield* validators.flush
      yield* beat(summary)
      return summary
    })
    yield* pass(tally, providers).pipe(Effect.onInterrupt(() => conclude(true)))
    return yield* conclude(false)
  })
})
