/**
 * SlotNotice: whoever waits for an agent on an item is told there, once for each session, when all slots are taken for
 * longer than a moment. Nothing is wrong then, but nobody can see that from the item.
 */
import * as Effect from "effect/Effect"
import { startId } from "../domain/Ids.ts"
import { type ItemRecord, owed, type Session, startKey } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { Ledger } from "../state/Ledger.ts"
import { slotText } from "./Notice.ts"

/** How long a start waits for a slot before its item is told, in milliseconds. */
const patience = 60_000

/** Whether a session's start waits, and is not claimed. */
const waits = (record: ItemRecord, agent: string, session: Session): boolean =>
  session.state === "wanted" &&
  session.claim === undefined &&
  record.waiting.some((entry) => entry.agent === agent && entry.key === startKey)

const noticeId = (record: ItemRecord, agent: string, { generation }: Session): string =>
  `slot-${startId(record.identity, agent, generation).slice(0, 12)}`

/** The record that owes the item the news that its start waits for a slot; unchanged where it is no news, or not true. */
export const withSlotNotice = (record: ItemRecord, agent: string): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined || !waits(record, agent, session)) return record
  const id = noticeId(record, agent, session)
  return record.notices.some((notice) => notice.id === id)
    ? record
    : {
        ...record,
        notices: [...record.notices, { id, text: slotText(agent) }],
        look: record.look ?? owed
      }
}

/** The record that no longer owes the news of a start that has got its slot since: nobody is told what is not so. */
export const withoutOldNews = (record: ItemRecord): ItemRecord => {
  const old = new Set(
    Object.entries(record.sessions).flatMap(([agent, session]) =>
      waits(record, agent, session) ? [] : [noticeId(record, agent, session)]
    )
  )
  const notices = record.notices.filter(({ id, posted }) => posted !== undefined || !old.has(id))
  if (notices.length === record.notices.length) return record
  const { look, ...rest } = record
  const isDone = look === owed && notices.every(({ posted }) => posted !== undefined)
  return { ...rest, ...(isDone || look === undefined ? {} : { look }), notices }
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
