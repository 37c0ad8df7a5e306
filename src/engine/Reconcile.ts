/**
 * Reconcile: after a complete listing, what the listing does not say is asked. An item that was not listed is asked
 * about directly; a definite end closes it, any doubt leaves it (G4.1).
 */
import * as Effect from "effect/Effect"
import { type Check, millis } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"
import type { Agenda } from "./Agenda.ts"
import * as Missing from "./Missing.ts"
import { findingOf, type ListingName } from "./Missing.ts"
import { type Place, targetOf } from "./Place.ts"
import type { Step } from "./Step.ts"
import type { Round } from "./Round.ts"

/** Times have whole seconds: an item that changed this lately may change again without looking changed (traps B10). */
const certainAfter = 5000

/** How many items are asked about at once. */
const asksAtOnce = 4

/** What fails is an item's own, or fails the walk as its source's. */
export const make = (step: Step) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const elsewhereOf = yield* Missing.make
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

    /** Asks about an item itself, and takes in what its answer says. */
    const ask = Effect.fn("Reconcile.ask")(function* (
      round: Round,
      place: Place,
      entry: Entry,
      record: ItemRecord,
      isUrgent: boolean
    ) {
      const { identity } = entry
      const target = targetOf(record)
      const check = yield* round.provider.check(target, isUrgent ? undefined : vouching.get(identity))
      const finding = findingOf(entry, check, round.provider)
      switch (finding._tag) {
        case "Doubt":
          if (check._tag === "Present") vouch(identity, check, true)
          if (check._tag === "Unknown" && !entry.busy && !entry.look) silent.add(identity)
          return
        case "Gone":
          round.tally.closed += 1
          return yield* step.gone(place, record, finding.how)
        case "Absent":
          return yield* absent(identity)
        case "Look": {
          vouching.delete(identity)
          const { observation } = yield* step.take(place, target, round.tally)
          if (check._tag !== "Present") return
          vouch(identity, check, millis(check.item.updatedAt) < millis(observation.at) - certainAfter)
        }
      }
    })

    const vouch = (
      identity: Identity,
      { validator }: Extract<Check, { _tag: "Present" }>,
      isSure: boolean
    ) => {
      if (isSure && validator !== undefined) vouching.set(identity, validator)
    }

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
      if (silent.has(entry.identity) && !round.sweep && !isUrgent) return
      silent.delete(entry.identity)
      return yield* ask(round, place, entry, record, isUrgent)
    })

    return Effect.fn("Reconcile.reconcile")(function* (round: Round, { missing, restless }: Agenda) {
      const place: Place = { provider: round.provider, scope: round.scope, listed: "absent" }
      const still = new Set(missing.map(({ identity }) => identity))
      for (const { identity } of vouching.size + silent.size === 0 ? [] : round.known) {
        if (still.has(identity)) continue
        vouching.delete(identity)
        silent.delete(identity)
      }
      const elsewhere = yield* elsewhereOf(round, missing)
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
