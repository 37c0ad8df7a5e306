/**
 * SlotNotice: whoever waits for an agent on an item is told there, once for each session, when all slots are taken for
 * longer than a moment. Nothing is wrong then, but nobody can see that from the item.
 */
import * as Effect from "effect/Effect"
import { startId } from "../domain/Ids.ts"
import { type ItemRecord, owed, startKey } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { Ledger } from "../state/Ledger.ts"
import { slotText } from "./Notice.ts"

/** How long a start waits for a slot before its item is told, in milliseconds. */
const patience = 60_000

/** The record that owes the item the news that its start waits for a slot; unchanged where it is no news, or not true. */
export const withSlotNotice = (record: ItemRecord, agent: string): ItemRecord => {
  const session = record.sessions[agent]
  const waits = record.waiting.some((entry) => entry.agent === agent && entry.key === startKey)
  if (session?.state !== "wanted" || session.claim !== undefined || !waits) return record
  const id = `slot-${startId(record.identity, agent, session.generation).slice(0, 12)}`
  return record.notices.some((notice) => notice.id === id)
    ? record
    : {
        ...record,
        notices: [...record.notices, { id, text: slotText(agent) }],
        look: record.look ?? owed
      }
}

/** Answers with how to wait for a slot: as `take` does, with a notice when that takes long. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger

  const owe = (identity: Identity, agent: string) =>
    ledger
      .modify(identity, (record) => [undefined, record && withSlotNotice(record, agent)])
      // A disk that cannot be written has worse to say elsewhere, and this is a courtesy.
      .pipe(Effect.catchTag("LedgerError", () => Effect.void))

  return (
    { agent, identity }: { readonly identity: Identity; readonly agent: string },
    take: Effect.Effect<void>
  ): Effect.Effect<void> =>
    Effect.raceFirst(
      take,
      Effect.sleep(patience).pipe(Effect.andThen(owe(identity, agent)), Effect.andThen(Effect.never))
    )
})
