/**
 * Walk: one listing of one source in one cycle: list, take each item that may have changed through its step, then
 * reconcile. The walk is a fiber's plain sequence, so that an interruption skips reconciliation by construction.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Decision } from "../domain/Decision.ts"
import { accepted } from "../domain/decide/step.ts"
import { instant, type Row } from "../domain/Item.ts"
import type { Observation } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { Backlog } from "../state/Backlog.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"
import { Validators, type Vouched } from "../state/Validators.ts"
import type { Provider } from "../tracker/Provider.ts"
import * as Reconcile from "./Reconcile.ts"
import { Running } from "./Running.ts"
import type { Place, Step } from "./Step.ts"
import type { Tally } from "./Tally.ts"
import { suffices, Words } from "./Words.ts"

/** One listing in a cycle. */
export interface Round {
  readonly provider: Provider
  readonly scope: string
  /** The known items of this listing, from the ledger's index. */
  readonly known: ReadonlyArray<Entry>
  /** A sweep trusts no cache. */
  readonly sweep: boolean
  readonly tally: Tally
}

export const make = (step: Step) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const validators = yield* Validators
    const backlog = yield* Backlog
    const words = yield* Words
    const running = yield* Running
    const reconcile = yield* Reconcile.make(step)
    /** Whether an item has to be looked at although its row did not change. */
    const isRestless = Effect.fn("Walk.isRestless")(function* (entry: Entry, sweep: boolean) {
      if (entry.look || (sweep && entry.busy)) return true
      const record = yield* ledger.get(entry.identity)
      return record !== undefined && !suffices(record, yield* words.get(entry.identity))
    })

    /** Takes one item through its step. A failure of its own is its own: reported, and looked at again. */
    const item = Effect.fn("Walk.item")(function* (place: Place, row: Row, tally: Tally) {
      const stepped = yield* step.take(place, row)
      tally.count(stepped)
      return stepped
    })

    /** Steps through rows; answers with the identities that are done, and those whose start was held back. */
    const through = Effect.fn("Walk.through")(function* (
      round: Round,
      place: Place,
      rows: ReadonlyArray<Row>
    ) {
      const { provider, tally } = round
      const { plan } = yield* running.get
      const done = new Set<Identity>()
      const held: Array<Observation> = []
      yield* Effect.forEach(
        rows,
        (row) =>
          item(place, row, tally).pipe(
            Effect.tap(({ decisions, observation }) =>
              Effect.sync(() => {
                done.add(row.identity)
                if (decisions.some((decision) => isHeld(decision, place.hold))) held.push(observation)
              })
            ),
            Effect.catch((error) => step.excuse(provider, row, error, tally))
          ),
        { concurrency: plan.polling.concurrency, discard: true }
      )
      return { done, held }
    })

    /** The first complete listing of a scope counts what it would start, and starts it only if that is few. */
    const firstRun = Effect.fn("Walk.firstRun")(function* (
      round: Round,
      place: Place,
      held: ReadonlyArray<Observation>
    ) {
      const { plan, policy } = yield* running.get
      const said = running.identification.backlog
      const at = instant(yield* Clock.currentTimeMillis)
      const listing = `${round.provider.source}/${round.scope}`
      const count = held.length
      const change = (f: (record: ItemRecord) => ItemRecord) =>
        Effect.forEach(held, ({ item: { identity } }) =>
          ledger.modify(identity, (record) => [undefined, record && f(record)])
        )
      if (said === "baseline") {
        yield* change((record) => accepted(record, policy.agent, "baseline"))
        return yield* backlog.set(listing, { state: "settled", at, count })
      }
      if (said === undefined && count > plan.polling.firstRun.max) {
        yield* change((record) => ({ ...record, held: true }))
        return yield* backlog.set(listing, { state: "held", at, count })
      }
      yield* backlog.set(listing, { state: "settled", at, count })
      yield* Effect.forEach(
        held,
        (observation) =>
          step.begin({ ...place, hold: undefined }, observation).pipe(
            Effect.tap((stepped) => Effect.sync(() => round.tally.count(stepped))),
            Effect.catch((error) => step.excuse(round.provider, observation.item, error, round.tally))
          ),
        { concurrency: plan.polling.concurrency, discard: true }
      )
    })

    /** Why starts of this listing are held now; undefined when they go as they come. */
    const holdOf = (listing: string) =>
      Effect.map(backlog.get(listing), (standing) =>
        standing === undefined ? "held: the first run counts what it would start" : undefined
      )

    /** Stores what vouches for a listing, once everything it vouches for is durable (traps P.35). */
    const vouch = (
      listing: string,
      rows: ReadonlyArray<Row>,
      pages: Vouched["pages"],
      done: (row: Row) => boolean
    ) => {
      const sure = rows.filter((row) => !row.fresh && done(row))
      return validators.set(listing, {
        pages: sure.length === rows.length ? pages : [],
        rows: Object.fromEntries(sure.map((row) => [row.identity, row.fingerprint]))
      })
    }

    return Effect.fn("Walk.walk")(function* (round: Round) {
      const { known, provider, scope, tally } = round
      const listing = `${provider.source}/${scope}`
      const before = yield* validators.get(listing)
      const hold = yield* holdOf(listing)
      const answer = yield* provider.list(scope, round.sweep || hold !== undefined ? [] : before.pages)
      const place: Place = { provider, scope, listed: "listed", hold }
      const restless = yield* Effect.filter(known.filter(mayBeRestless(round.sweep)), (entry) =>
        isRestless(entry, round.sweep)
      )
      const attention = new Set<string>(restless.map((entry) => entry.identity))

      if (answer._tag === "Unchanged") {
        tally.items += Object.keys(before.rows).length
        const listed = (identity: string) => before.rows[identity] !== undefined
        const rows = yield* rowsOf(restless.filter((entry) => listed(entry.identity)))
        yield* through(round, place, rows)
        yield* reconcile(round, listed, attention)
        return Object.keys(before.rows).length
      }

      const { rows } = answer
      tally.items += rows.length
      if (
        answer.complete &&
        rows.length === 0 &&
        Object.keys(before.rows).length > 1 &&
        before.doubted === undefined
      ) {
        yield* validators.set(listing, { ...before, pages: [], doubted: true })
        return rows.length
      }
      const changed = rows.filter(
        (row) =>
          // The count of a first run leaves nobody out, however often it had to begin.
          hold !== undefined ||
          row.fresh ||
          attention.has(row.identity) ||
          before.rows[row.identity] !== row.fingerprint
      )
      tally.changed += changed.length
      const { done, held } = yield* through(round, place, changed)
      const undone = new Set(changed.filter((row) => !done.has(row.identity)))
      if (hold !== undefined && answer.complete && undone.size === 0) yield* firstRun(round, place, held)
      yield* vouch(listing, rows, answer.complete ? answer.validators : [], (row) => !undone.has(row))
      if (!answer.complete) return rows.length
      const present = new Set<string>(rows.map((row) => row.identity))
      yield* reconcile(round, (identity) => present.has(identity), attention)
      return rows.length
    })

    /** Rows for items that are looked at without a listing's row. */
    function rowsOf(entries: ReadonlyArray<Entry>) {
      return Effect.map(
        Effect.forEach(entries, (entry) => ledger.get(entry.identity)),
        (records) =>
          records.flatMap((record) =>
            record === undefined
              ? []
              : [
                  {
                    ref: record.ref,
                    identity: record.identity,
                    kind: record.kind,
                    number: record.number,
                    repo: record.repo,
                    fingerprint: "",
                    fresh: true
                  }
                ]
          )
      )
    }
  })

/** What the index alone tells: most items are idle, and none of them costs a cycle more than this. */
const mayBeRestless =
  (sweep: boolean) =>
  (entry: Entry): boolean =>
    entry.frozen === undefined && (entry.look || (entry.busy && (sweep || entry.waits)))

const isHeld = (decision: Decision, hold: string | undefined): boolean =>
  hold !== undefined && decision._tag === "Wait" && decision.reason === hold
