/**
 * forget: what is kept of an item that ended long ago (`state.keep`): a tombstone that knows its names and generations,
 * so that a reopened item goes on where it stopped and hears nothing twice (G4.2).
 */
import { type Instant, millis } from "./Item.ts"
import type { ItemRecord } from "./Record.ts"

/** Whether nothing of the item is at work or owed any more, and it ended longer than `keep` milliseconds ago. */
const isForgettable = (record: ItemRecord, now: Instant, keep: number): boolean =>
  record.state !== "open" &&
  record.endedAt !== undefined &&
  (record.forgotten === undefined || record.forgotten < record.endedAt) &&
  millis(record.endedAt) < millis(now) - keep &&
  record.look === undefined &&
  record.notices.every((notice) => notice.posted !== undefined) &&
  Object.values(record.sessions).every(
    (session) => session.state === "ended" && session.claim === undefined && session.seat === undefined
  )

/** The record's tombstone once its time has come; before that, the record itself. */
export const forgotten = (record: ItemRecord, now: Instant, keep: number): ItemRecord =>
  isForgettable(record, now, keep)
    ? {
        ...record,
        title: "",
        labels: [],
        waiting: [],
        seen: {},
        gaveUp: [],
        notices: [],
        handed: [],
        forgotten: record.endedAt ?? now
      }
    : record
