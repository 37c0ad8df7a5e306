/**
 * Seat: where a session that stays open sits: what opening, parking and losing it make of the record. Pure steps, as those
 * of the queue are.
 */
import type { Instant } from "./Item.ts"
import { overIfEnding, withSession } from "./queue.ts"
import { type ItemRecord, resumeKey } from "./Record.ts"

/** Says where a session is about to be opened: durable before it is, so that whatever is open can be found (G3.2). */
export const opening = (record: ItemRecord, agent: string, seat: string): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined) return record
  const why = session.state === "live" ? { why: "it was opened again" } : {}
  return withSession(record, agent, { ...session, seat, moving: "opening", ...why })
}

/** Takes back where a session sits: it could not be opened there. */
export const unseated = (record: ItemRecord, agent: string): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined) return record
  const { moving: _moving, seat: _seat, ...rest } = session
  return withSession(record, agent, rest)
}

/** Says that heed is about to close the session, which goes on with the next words. */
export const parking = (record: ItemRecord, agent: string, why: string): ItemRecord => {
  const session = record.sessions[agent]
  return session?.state === "live" && session.claim === undefined
    ? withSession(record, agent, { ...session, moving: "parking", why })
    : record
}

/** Why nothing of a session is open any more: its agent left, or what held it was lost. */
export interface Leaving {
  readonly _tag: "Left" | "Lost"
  readonly why: string
}

/**
 * Nothing of the session is open any more. One that ends is over. A conversation that was lost by no doing of its agent's
 * goes on at once; an agent that left is awaited when something waits for it, or is its session's end (`onExit`).
 */
export const closed = (record: ItemRecord, agent: string, how: Leaving, now: Instant): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined) return record
  const { moving, seat: _seat, ...shut } = session
  if (session.state !== "live" || session.claim !== undefined || moving !== undefined) {
    return withSession(record, agent, session.claim === undefined ? overIfEnding(shut, now) : shut)
  }
  if (how._tag === "Left") {
    // An ended session's reason is told on its item, where no agent's last words belong.
    return withSession(record, agent, {
      ...shut,
      ...(shut.plan.onExit === "end"
        ? { state: "ended", since: now, why: "its agent left (onExit: end)" }
        : { why: how.why })
    })
  }
  const next = withSession(record, agent, { ...shut, why: how.why })
  const waits = record.waiting.some((entry) => entry.agent === agent && entry.key === resumeKey)
  if (shut.conversation === undefined || waits) return next
  return {
    ...next,
    // Before any word that waits: those go with it.
    waiting: [{ key: resumeKey, agent, at: now, attempts: 0 }, ...record.waiting],
    look: "its session was lost and goes on: the item is to be read again"
  }
}
