/**
 * Reconcile: after a complete listing, what the listing does not say is asked. A live session whose item was not listed
 * is asked about directly; a definite end closes it, any doubt leaves it (G4.1).
 */
import * as Effect from "effect/Effect"
import { millis, type Target } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"
import { Validators } from "../state/Validators.ts"
import { Running } from "./Running.ts"
import type { Place, Step } from "./Step.ts"
import type { Round } from "./Walk.ts"

/** Times have whole seconds: an item that changed this lately may change again without looking changed (traps B10). */
const certainAfter = 5000

interface ListingName {
  readonly source: string
  readonly scope: string
}

const targetOf = (record: ItemRecord): Target => ({
  ref: record.ref,
  identity: record.identity,
  kind: record.kind,
  number: record.number,
  repo: record.repo
})

export const make = (step: Step) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const validators = yield* Validators
    const running = yield* Running
    /** What vouches for the last look at an item that its listing does not show. */
    const vouching = new Map<Identity, string>()

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

    const ask = Effect.fn("Reconcile.ask")(function* (
      round: Round,
      place: Place,
      entry: Entry,
      urgent: boolean
    ) {
      const record = yield* ledger.get(entry.identity)
      // Another listing has shown it since this cycle began: it is that one's to ask about.
      if (record === undefined || record.source !== entry.source || record.scope !== entry.scope) return
      const target = targetOf(record)
      const check = yield* round.provider.check(target, urgent ? undefined : vouching.get(entry.identity))
      switch (check._tag) {
        case "Unchanged":
        case "Unknown":
          return
        case "Gone":
          round.tally.closed += 1
          return yield* step.gone(place, record, check.how)
        case "Present": {
          vouching.delete(entry.identity)
          const observation = yield* step.observe(place, target)
          const stepped = yield* step.record(place, observation)
          round.tally.count(stepped)
          yield* step.pay(place, stepped)
          const sure = millis(check.item.updatedAt) < millis(observation.at) - certainAfter
          if (sure && check.validator !== undefined) vouching.set(entry.identity, check.validator)
          return
        }
      }
    })

    return Effect.fn("Reconcile.reconcile")(function* (
      round: Round,
      listed: (identity: string) => boolean,
      attention: ReadonlySet<string>
    ) {
      const place: Place = { provider: round.provider, scope: round.scope, listed: "absent", hold: undefined }
      const missing = round.known.filter(
        (entry) =>
          !listed(entry.identity) && entry.frozen === undefined && (entry.busy || entry.look || entry.listed)
      )
      const elsewhere = yield* listingOf(round, missing)
      yield* Effect.forEach(
        missing,
        (entry) => {
          const other = elsewhere.get(entry.identity)
          const taken =
            other !== undefined
              ? rehome(entry.identity, other)
              : entry.busy || entry.look
                ? ask(round, place, entry, attention.has(entry.identity))
                : absent(entry.identity)
          return taken.pipe(Effect.catch((error) => step.excuse(round.provider, entry, error, round.tally)))
        },
        { concurrency: 4, discard: true }
      )
    })
  })
