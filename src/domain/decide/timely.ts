/**
 * timely: brings the times of a record back into what its own delays allow. They were written by a wall clock that may
 * have been set back since, and nothing may wait longer than its own longest delay: not for the year that a flat battery
 * once added.
 */
import { type Instant, instant, millis } from "../Item.ts"
import type { Policy } from "../Policy.ts"
import type { ItemRecord, Session, Waiting } from "../Record.ts"

const earlier = (one: Instant, other: Instant): Instant => (one < other ? one : other)

/** The record with no time further ahead of `now` than its delay is long; the very same one where none was. */
export const timely = (
  record: ItemRecord,
  { retryAfter }: Pick<Policy, "retryAfter">,
  now: Instant
): ItemRecord => {
  const longest = instant(millis(now) + Math.max(...(retryAfter.length === 0 ? [minute] : retryAfter)))
  const waiting = record.waiting.map((entry): Waiting =>
    entry.notBefore === undefined || entry.notBefore <= longest ? entry : { ...entry, notBefore: longest }
  )
  const sessions = Object.entries(record.sessions).map(([agent, session]): readonly [string, Session] => {
    const { endBy, plan } = session
    if (endBy === undefined) return [agent, session]
    const latest = earlier(endBy, instant(millis(now) + plan.endGrace))
    return [agent, latest === endBy ? session : { ...session, endBy: latest }]
  })
  // A word that is handed over only in the future was not handed over within the last hour.
  const handed = record.handed.filter((at) => at <= now)
  const isTimely =
    waiting.every((entry, place) => entry === record.waiting[place]) &&
    sessions.every(([agent, session]) => session === record.sessions[agent]) &&
    handed.length === record.handed.length
  return isTimely ? record : { ...record, waiting, sessions: Object.fromEntries(sessions), handed }
}

/** What an agent that says "not now" is left alone for where the configuration has no delay. */
const minute = 60_000
