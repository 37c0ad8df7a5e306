/**
 * apply: the record after its decisions. Pure, like `decide`; a look that decided nothing leaves the very same record,
 * so that nothing is written.
 */
import type { Decision } from "../Decision.ts"
import { type Gone, instant, type StreamReading } from "../Item.ts"
import { type ItemRecord, owed } from "../Record.ts"
import { sighted } from "./sighted.ts"
import { living, type Situation } from "./situation.ts"
import { type Judging, steps } from "./step.ts"
import { timely } from "./timely.ts"

/** The record that the decisions make of the situation's record; `undefined` while there is nothing to remember. */
export const apply = (situation: Situation, decisions: ReadonlyArray<Decision>): ItemRecord | undefined => {
  const before = situation.record
  if (before === undefined && !decisions.some((decision) => decision._tag === "Learn")) return undefined
  const { look: _look, ...after } = steps(situation, sighted(situation), decisions)
  const look = unfinished(after, decisions)
  const marked: ItemRecord = look === undefined ? after : { ...after, look }
  return before !== undefined && isSame(before, marked, decisions)
    ? timely(before, situation.policy, situation.now)
    : { ...timely(marked, situation.policy, situation.now), read: readings(situation, marked) }
}

/** The record of an item that is gone from its tracker, after what `decideGone` said. */
export const applyGone = (
  judging: Judging,
  record: ItemRecord,
  how: Gone,
  decisions: ReadonlyArray<Decision>
): ItemRecord => {
  const { edge, held: _held, look, ...rest } = steps(judging, record, decisions)
  const told = record.state === how && !record.listed && edge === undefined && look === undefined
  return told && decisions.length === 0
    ? record
    : { ...rest, state: how, listed: false, endedAt: record.endedAt ?? judging.now }
}

/** How far a stream was read is no reason to write: the next look merely reads a little more. */
const isSame = (before: ItemRecord, after: ItemRecord, decisions: ReadonlyArray<Decision>): boolean =>
  decisions.every((decision) => decision._tag === "Wait") &&
  before.edge === after.edge &&
  before.held === after.held &&
  before.look === after.look &&
  before.source === after.source &&
  before.scope === after.scope &&
  before.listed === after.listed

const unfinished = (record: ItemRecord, decisions: ReadonlyArray<Decision>): string | undefined => {
  const waiting = decisions.find((decision) => decision._tag === "Wait" && decision.look)
  if (waiting !== undefined) return waiting.reason
  return record.notices.some((notice) => notice.posted === undefined) ? owed : undefined
}

/** Whether a reading goes back to where the record left off, so that nothing lies unread between the two. */
export const reachesBack = (record: ItemRecord, stream: string, { since }: StreamReading): boolean => {
  const read = record.read[stream]
  return since === undefined || read === undefined || since <= read
}

const readings = ({ observation, policy }: Situation, record: ItemRecord): ItemRecord["read"] => {
  const read = { ...record.read }
  for (const [stream, reading] of Object.entries(observation.streams)) {
    if (reading.complete && reachesBack(record, stream, reading)) read[stream] = observation.at
    // Tried from its beginning and not read: what is in it was never closed to heed, and so is no baseline.
    else if (read[stream] === undefined && living(record, policy.agent)?.state !== "live") {
      read[stream] = instant(0)
    }
  }
  return read
}
