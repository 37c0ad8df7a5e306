/**
 * Agenda: which items of one listing a cycle looks at, and from where. It lists, and records nothing: the walk acts on
 * it, and a dry run shows it.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { accepted } from "../domain/decide/step.ts"
import { type Instant, millis, type Row, type Target } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import { Identity, type Ref } from "../domain/Ref.ts"
import { Backlog, type Standing } from "../state/Backlog.ts"
import { type Entry, Ledger, type LedgerError } from "../state/Ledger.ts"
import { Validators, type Vouched } from "../state/Validators.ts"
import type { Listing, Provider } from "../tracker/Provider.ts"
import { type Hold, targetOf } from "./Place.ts"
import { Running } from "./Running.ts"
import { type Memory, suffices } from "./Words.ts"

/** One listing that is asked. */
export interface Asked {
  readonly provider: Provider
  readonly scope: string
  /** The known items of this listing, from the ledger's index. */
  readonly known: ReadonlyArray<Entry>
  /** A sweep trusts no cache. */
  readonly sweep: boolean
}

/** An item to look at as one that the listing shows. */
export interface Subject {
  readonly identity: Identity
  readonly ref: Ref
  /** Undefined when the record that made it a subject is gone meanwhile. */
  readonly target: Effect.Effect<Target | undefined, LedgerError>
  readonly hold?: Hold | undefined
}

export interface Agenda {
  /** `<source>/<scope>` */
  readonly listing: string
  readonly before: Vouched
  readonly answer: Listing
  /** How many items the listing shows. */
  readonly items: number
  /** Those whose row changed, and those with unfinished business. */
  readonly subjects: ReadonlyArray<Subject>
  /** It has never had a complete first run: starts are counted before any goes. */
  readonly isFirst: boolean
  /** It dropped from many to none, and is believed only if it says so again. */
  readonly isDoubted: boolean
  /** Known items that a complete listing does not show, and that are asked about one by one. */
  readonly missing: ReadonlyArray<Entry>
  /** Items with unfinished business of their own. */
  readonly restless: ReadonlySet<string>
}

/** Stands for the fingerprint of an item that was left out because its record is frozen. */
export const leftOut = ""

const counting: Hold = {
  why: "held: the first run counts what it would start",
  mark: (record) => record
}

/** Whether starts of items that this listing shows for the first time are held, and what then becomes of them. */
const latecomers = ({ state }: Standing, agent: string): Hold =>
  state === "held"
    ? {
        why: "held: it belongs to a backlog that waits for --accept-backlog",
        mark: (record) => ({ ...record, held: true })
      }
    : {
        why: "it belongs to the accepted backlog",
        mark: (record) => accepted(record, agent, "baseline")
      }

const isIdentity = Schema.is(Identity)

/** What the index alone tells: most items are idle, and none of them costs a cycle more than this. */
const mayBeRestless =
  (sweep: boolean) =>
  (entry: Entry): boolean =>
    entry.frozen === undefined && (entry.look || (entry.busy && (sweep || entry.waits)))

/**
 * Whether the last sweep, of all listings, is longer ago than `polling.sweepEvery` milliseconds. One that is still to
 * come was made under a clock that has been set back since: nobody knows how long ago.
 */
export const isSweepDue = (sweptAt: Instant | undefined, now: number, every: number): boolean =>
  sweptAt === undefined || now < millis(sweptAt) || now - millis(sweptAt) >= every

/** `memoryOf` answers with the words that are held of an item; without a daemon's memory, with undefined. */
export const make = (memoryOf: (identity: Identity) => Effect.Effect<Memory | undefined>) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const validators = yield* Validators
    const backlog = yield* Backlog
    const running = yield* Running

    /** Whether an item has to be looked at although its row did not change. */
    const isRestless = Effect.fn("Agenda.isRestless")(function* (entry: Entry, sweep: boolean) {
      if (entry.look || (sweep && entry.busy)) return true
      const memory = yield* memoryOf(entry.identity)
      return yield* ledger.get(entry.identity).pipe(
        Effect.map((record) => record !== undefined && !suffices(record, memory)),
        // Its own look will fail in the same way, and alone.
        Effect.catchTag("LedgerError", () => Effect.succeed(true))
      )
    })

    /**
     * What the validators and the ledger do not say alike. Amiss are items whose records are not as the validators left
     * them: moved away, lost, or mended after they were frozen. Orphans are items whose own listing is no longer in the
     * plan: from now on they are this one's to look after.
     */
    const compare = Effect.fn("Agenda.compare")(function* ({ rows }: Vouched, known: ReadonlyArray<Entry>) {
      const { providers } = yield* running.get
      const homes = new Set(
        providers.flatMap(({ scopes, source }) => scopes.map((scope) => `${source}/${scope}`))
      )
      const amiss = new Set<string>()
      const orphans: Array<Entry> = []
      const ours = new Set<string>()
      for (const { frozen, identity } of known) {
        ours.add(identity)
        if (frozen === undefined && rows[identity] === leftOut) amiss.add(identity)
      }
      for (const identity of Object.keys(rows)) {
        if (ours.has(identity)) continue
        // It may be another listing's, or frozen under a name that nobody can read.
        const entry = isIdentity(identity) ? yield* ledger.entry(identity) : undefined
        if (entry === undefined) amiss.add(identity)
        else if (entry.frozen === undefined && !homes.has(`${entry.source}/${entry.scope}`))
          orphans.push(entry)
      }
      return { amiss, orphans }
    })

    const isKnown = (identity: Identity) => Effect.map(ledger.entry(identity), (entry) => entry !== undefined)

    /** Asks the listing, conditionally unless something forbids that, and says what is to be looked at. */
    return Effect.fn("Agenda.draw")(function* ({ known: own, provider, scope, sweep }: Asked) {
      const listing = `${provider.source}/${scope}`
      const { policy } = yield* running.get
      const before = yield* validators.get(listing)
      const standing = yield* backlog.get(listing)
      const isFirst = standing === undefined
      const { amiss, orphans } = yield* compare(before, own)
      const known = [...own, ...orphans]
      const isAnew = sweep || isFirst || amiss.size > 0
      const answer = yield* provider.list(scope, isAnew ? [] : before.pages)
      const candidates = known.filter(mayBeRestless(sweep))
      const entries = yield* Effect.filter(candidates, (entry) => isRestless(entry, sweep))
      const restless = new Set<string>(entries.map(({ identity }) => identity))

      const holdOf = Effect.fnUntraced(function* (row: Row) {
        if (isFirst) return counting
        if (standing.unseen?.includes(row.identity) !== true || (yield* isKnown(row.identity)))
          return undefined
        return latecomers(standing, policy.agent)
      })

      const vouched = Object.keys(before.rows).length
      const rows = answer._tag === "Unchanged" ? [] : answer.rows
      const present = new Set<string>(rows.map(({ identity }) => identity))
      const isShown = (identity: string) =>
        answer._tag === "Unchanged" ? before.rows[identity] !== undefined : present.has(identity)
      const isComplete = answer._tag === "Unchanged" || answer.complete
      const isDoubted =
        isComplete &&
        answer._tag === "Listed" &&
        rows.length === 0 &&
        vouched > 1 &&
        before.doubted === undefined

      const changed = rows.filter(
        (row) =>
          // The count of a first run leaves nobody out, however often it had to begin.
          isFirst ||
          row.fresh ||
          restless.has(row.identity) ||
          amiss.has(row.identity) ||
          before.rows[row.identity] !== row.fingerprint
      )
      const subjects: ReadonlyArray<Subject> =
        answer._tag === "Unchanged"
          ? entries
              .filter(({ identity }) => isShown(identity))
              .map(({ identity, ref }) => ({
                identity,
                ref,
                target: Effect.map(ledger.get(identity), (record) => record && targetOf(record))
              }))
          : yield* Effect.forEach(changed, (row) =>
              Effect.map(holdOf(row), (hold) => ({
                identity: row.identity,
                ref: row.ref,
                target: Effect.succeed(row),
                hold
              }))
            )

      const agenda: Agenda = {
        listing,
        before,
        answer,
        items: answer._tag === "Unchanged" ? vouched : rows.length,
        subjects,
        isFirst,
        isDoubted,
        missing: isComplete && !isDoubted ? known.filter(isMissing(isShown)) : [],
        restless
      }
      return agenda
    })
  })

/** Of what a listing does not show, only that is asked about which is at work, unfinished, or was shown before. */
const isMissing =
  (isShown: (identity: string) => boolean) =>
  (entry: Entry): boolean =>
    !isShown(entry.identity) && entry.frozen === undefined && (entry.busy || entry.look || entry.listed)

/** The record of a start that a first run holds, because there are too many. */
export const heldBack = (record: ItemRecord): ItemRecord => ({ ...record, held: true })
