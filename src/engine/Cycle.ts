/**
 * Cycle: one pass over all sources, concurrently, each with its own failures.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import { problemsText } from "../config/Problem.ts"
import { instant } from "../domain/Item.ts"
import { Breaker } from "../net/Breaker.ts"
import { Backlog } from "../state/Backlog.ts"
import { EventLog, type NewEvent } from "../state/EventLog.ts"
import { Heartbeat } from "../state/Heartbeat.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"
import { Validators } from "../state/Validators.ts"
import type { Provider } from "../tracker/Provider.ts"
import { Dispatcher } from "./Dispatcher.ts"
import * as FrozenItems from "./Frozen.ts"
import * as HealthOf from "./Health.ts"
import * as Housekeeping from "./Housekeeping.ts"
import { heldText } from "./Notice.ts"
import { isSweepDue } from "./Agenda.ts"
import { Running } from "./Running.ts"
import * as Step from "./Step.ts"
import { type CycleSummary, Tally } from "./Tally.ts"
import type { Round } from "./Round.ts"
import * as Walk from "./Walk.ts"

/** How many listings are asked at once: requests per credential are few at a time (traps B31). */
const listingsAtOnce = 8

/** Answers with one pass over all sources. It never fails: what fails is a source's or an item's own, and counted. */
export const make = Effect.gen(function* () {
  const config = yield* ConfigReloader
  const heartbeat = yield* Heartbeat
  const ledger = yield* Ledger
  const log = yield* EventLog
  const validators = yield* Validators
  const backlog = yield* Backlog
  const running = yield* Running
  const dispatcher = yield* Dispatcher
  // Only providers that ask over the network have one.
  const breaker = yield* Effect.serviceOption(Breaker)
  const health = yield* HealthOf.make
  const frozenItems = yield* FrozenItems.make
  const clearAway = yield* Housekeeping.make
  const walk = yield* Walk.make(yield* Step.make(frozenItems))
  const startedAt = instant(yield* Clock.currentTimeMillis)
  /** Deliveries that were given up since the process began: attendants say so, at any time. */
  const gaveUp = Effect.zipWith(
    log.count("poll.spawn_failed"),
    log.count("poll.comment_failed"),
    (a, b) => a + b
  )

  let cycles = 0
  let idleCycles = 0
  let toldGivenUp = yield* gaveUp
  let rejected: string | undefined

  /** Puts a changed configuration in force, or says once what is wrong with it and keeps the running plan. */
  const reload = Effect.gen(function* () {
    const answer = yield* config.check
    switch (answer._tag) {
      case "Unchanged":
        return
      case "Rejected":
        rejected = `the configuration is rejected and the former one stays in force: ${problemsText((yield* running.get).plan.file, answer.problems.slice(0, 1))}`
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

  /** Asks one listing, unless it is left alone after a failure; answers whether it came through. */
  const visit = Effect.fn("Cycle.visit")(function* (round: Round, interval: number) {
    const { provider, scope, tally } = round
    if (!(yield* health.isDue(provider.source, scope))) {
      tally.leftAlone += 1
      return false
    }
    return yield* walk(round).pipe(
      Effect.flatMap((items) => health.well(provider.source, scope, items)),
      Effect.as(true),
      Effect.catchTags({
        SourceError: (error) => {
          tally.errors += 1
          return Effect.as(health.ill(provider, scope, interval, error), false)
        },
        LedgerError: (error) => {
          tally.errors += 1
          return Effect.as(
            log.append({
              event: "poll.item_failed",
              level: "error",
              source: provider.source,
              why: error.message
            }),
            false
          )
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

  const budgets = Effect.gen(function* () {
    const { providers } = yield* running.get
    const told = yield* Effect.forEach(providers, ({ source, usage }) =>
      Effect.map(usage, ({ budget }) => (budget === undefined ? [] : [{ source, ...budget }]))
    )
    return told.flat()
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
      ...held.map(([listing, { count }]) => heldText(listing, count))
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
      budgets: yield* budgets,
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

  /** A listing whose sweep is due and was not made, owes it alone: its next cycles trust no cache until one was. */
  const owe = Effect.fn("Cycle.owe")(function* ({ provider, scope }: Round) {
    const listing = `${provider.source}/${scope}`
    const vouched = yield* validators.get(listing)
    yield* validators.set(listing, { ...vouched, owesSweep: true })
  })

  const pass = Effect.fn("Cycle.pass")(function* (tally: Tally, providers: ReadonlyArray<Provider>) {
    const { plan } = yield* running.get
    const sweptAt = yield* validators.sweptAt
    const startsAt = yield* Clock.currentTimeMillis
    const isDue = isSweepDue(sweptAt, startsAt, plan.polling.sweepEvery)
    const listings = yield* byListing
    const rounds = yield* Effect.forEach(
      providers.flatMap((provider) => provider.scopes.map((scope) => ({ provider, scope }))),
      Effect.fnUntraced(function* ({ provider, scope }) {
        const listing = `${provider.source}/${scope}`
        const wants = isDue || (yield* validators.get(listing)).owesSweep === true
        const round: Round = {
          provider,
          scope,
          known: listings.get(listing) ?? [],
          sweep: wants && (yield* canAfford(provider)),
          tally
        }
        return { round, wants }
      })
    )
    yield* health.keep(rounds.map(({ round }) => ({ source: round.provider.source, scope: round.scope })))
    yield* Effect.forEach(
      rounds,
      Effect.fnUntraced(function* ({ round, wants }) {
        const isThrough = yield* visit(round, plan.polling.interval)
        if (wants && !(round.sweep && isThrough)) yield* owe(round)
      }),
      { concurrency: listingsAtOnce, discard: true }
    )
    tally.frozen = yield* frozenItems.report
    if (!isDue) return
    yield* clearAway
    yield* validators.swept(instant(startsAt))
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
        gaveUp: (yield* gaveUp) - toldGivenUp,
        ms: Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
      })
      cycles += 1
      toldGivenUp += summary.gaveUp
      if (tally.isEventful || summary.gaveUp > 0 || interrupted) yield* log.append(lineOf(summary))
      else idleCycles += 1
      yield* validators.flush
      yield* beat(summary)
      return summary
    })
    yield* pass(tally, providers).pipe(Effect.onInterrupt(() => conclude(true)))
    return yield* conclude(false)
  })
})

/** A cycle's summary as the event log has it. */
const lineOf = ({ gaveUp, notModified, ...rest }: CycleSummary): NewEvent => ({
  event: "poll.cycle",
  level: "info",
  ...rest,
  gave_up: gaveUp,
  not_modified: notModified
})
