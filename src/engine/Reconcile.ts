/**
 * Reconcile: after a complete listing, what the listing does not say is asked. An item that was not listed is asked
 * about directly; a definite end closes it, any doubt leaves it (G4.1).
 */
import * as Effect from "effect/Effect"
import { type Check, millis } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"
import { Validators } from "../state/Validators.ts"
import type { Agenda } from "./Agenda.ts"
import { type Place, targetOf } from "./Place.ts"
import { Running } from "./Running.ts"
import type { Step } from "./Step.ts"
import type { Round } from "./Walk.ts"

/** Times have whole seconds: an item that changed this lately may change again without looking changed (traps B10). */
const certainAfter = 5000

/** How many items are asked about at once. */
const asksAtOnce = 4

interface ListingName {
  readonly source: string
  readonly scope: string
}

/** Needs ledger, validators and plan. What fails is an item's own, or fails the walk as its source's. */
export const make = (step: Step) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const validators = yield* Validators
    const running = yield* Running
    /** What vouches for the last look at an item that its listing does not show. */
    const vouching = new Map<Identity, string>()
    /** Items without a session that gave no answer: they are asked again by a sweep. */
    const silent = new Set<Identity>()

    /** The listing no longer holds the item: from now on, a label that is seen again is an edge (G4.2). */
    const absent = (identity: Identity) =>
      ledger.modify(identity, (record) => {
        if (record === undefined || !record.listed) return [undefined, record]
        const { edge: _edge, held: _held, ...rest } = record
        return [undefined, { ...rest, listed: false }]
      })

    /** An item that this listing lost and another one of the plan holds belongs to that one from now on. */
    const rehome = (identity: Identity, { scope, source }: ListingName) =>
      ledger.modify(identity, (record) => [undefined, record && { ...record, source, scope }])

    /** Which other listing of the plan holds each of these items. */
    const listingOf = Effect.fn("Reconcile.listingOf")(function* (
      round: Round,
      entries: ReadonlyArray<Entry>
    ) {
      const found = new Map<Identity, ListingName>()
      if (entries.length === 0) return found
      const { providers } = yield* running.get
      for (const { scopes, source } of providers) {
        for (const scope of scopes) {
          if (source === round.provider.source && scope === round.scope) continue
          const { rows } = yield* validators.get(`${source}/${scope}`)
          for (const { identity } of entries) {
            if (rows[identity] !== undefined) found.set(identity, { source, scope })
          }
        }
      }
      return found
    })

    /** An item at work, or with unfinished business: whatever its answer says is taken in. */
    const look = Effect.fn("Reconcile.look")(function* (
      round: Round,
      place: Place,
      record: ItemRecord,
      validator: string | undefined
    ) {
      const target = targetOf(record)
      const check = yield* round.provider.check(target, validator)
      switch (check._tag) {
        case "Unchanged":
        case "Unknown":
          return
        case "Gone":
          return yield* end(round, place, record, check)
        case "Present": {
          vouching.delete(record.identity)
          const { observation } = yield* step.take(place, target, round.tally)
          const sure = millis(check.item.updatedAt) < millis(observation.at) - certainAfter
          if (sure && check.validator !== undefined) vouching.set(record.identity, check.validator)
        }
      }
    })

    const end = (
      { tally }: Round,
      place: Place,
      record: ItemRecord,
      { how }: Extract<Check, { _tag: "Gone" }>
    ) => {
      tally.closed += 1
      return step.gone(place, record, how)
    }

    /** An item without a session: a listing may lag, so that its absence counts only when its own answer says so (B05). */
    const confirm = Effect.fn("Reconcile.confirm")(function* (
      round: Round,
      place: Place,
      record: ItemRecord
    ) {
      const { identity } = record
      if (silent.has(identity) && !round.sweep) return
      silent.delete(identity)
      const target = targetOf(record)
      const check = yield* round.provider.check(target, vouching.get(identity))
      switch (check._tag) {
        case "Unchanged":
          return
        case "Unknown":
          return void silent.add(identity)
        case "Gone":
          return yield* end(round, place, record, check)
        case "Present":
          if (check.item.state !== "open") return void (yield* step.take(place, target, round.tally))
          if (!round.provider.covers(check.item)) return yield* absent(identity)
          if (check.validator !== undefined) vouching.set(identity, check.validator)
      }
    })

    const settle = Effect.fn("Reconcile.settle")(function* (
      round: Round,
      place: Place,
      entry: Entry,
      elsewhere: ListingName | undefined,
      isUrgent: boolean
    ) {
      if (elsewhere !== undefined) return yield* rehome(entry.identity, elsewhere)
      const record = yield* ledger.get(entry.identity)
      // Another listing has shown it since this cycle began: it is that one's to ask about.
      if (record === undefined || record.source !== entry.source || record.scope !== entry.scope) return
      if (!entry.busy && !entry.look) return yield* confirm(round, place, record)
      return yield* look(round, place, record, isUrgent ? undefined : vouching.get(entry.identity))
    })

    return Effect.fn("Reconcile.reconcile")(function* (round: Round, { missing, restless }: Agenda) {
      const place: Place = { provider: round.provider, scope: round.scope, listed: "absent" }
      const still = new Set(missing.map(({ identity }) => identity))
      for (const { identity } of vouching.size + silent.size === 0 ? [] : round.known) {
        if (still.has(identity)) continue
        vouching.delete(identity)
        silent.delete(identity)
      }
      const elsewhere = yield* listingOf(round, missing)
      yield* Effect.forEach(
        missing,
        (entry) =>
          settle(round, place, entry, elsewhere.get(entry.identity), restless.has(entry.identity)).pipe(
            Effect.catch((error) => step.excuse(round.provider, entry, error, round.tally))
          ),
        { concurrency: asksAtOnce, discard: true }
      )
    })
  })
