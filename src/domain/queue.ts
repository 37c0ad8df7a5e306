/**
 * The queue of a session: what is handed over next, and what each outcome makes of the record. Pure steps along
 * `pending → claimed → resolved` (G3.2); a hand-over's evidence in between is its sink's.
 */
import { handOverId, deliveryId, resumeId, startId } from "./Ids.ts"
import { type Instant, instant, millis } from "./Item.ts"
import { seenKey } from "./decide/words.ts"
import type { Policy } from "./Policy.ts"
import {
  type Claim,
  isWord,
  type ItemRecord,
  type Notice,
  owed,
  resumeKey,
  type Session,
  startKey,
  type Waiting
} from "./Record.ts"

/** What a session may be given now: a start with the words its prompt can hold, or words. */
export interface Candidate {
  readonly kind: "start" | "words"
  readonly session: Session
  /** In order. A start has one member; its words become the baseline. A resumption goes before any word. */
  readonly members: ReadonlyArray<Waiting>
  /** Words that the prompt of a start may hold. */
  readonly thread: ReadonlyArray<Waiting>
  /** The highest number of failed attempts among the members, and one. */
  readonly attempt: number
}

/** The next thing for a session, or why there is none, and when that changes by itself. */
export type Next =
  | { readonly _tag: "Ready"; readonly candidate: Candidate }
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Held"; readonly why: string; readonly until?: Instant }

const hour = 3_600_000

/** The words handed over within the last hour. */
const lastHour = (record: ItemRecord, now: Instant): ReadonlyArray<Instant> => {
  const since = instant(millis(now) - hour)
  // A time that is still to come was written by a clock that has been set back since.
  return record.handed.filter((at) => at > since && at <= now)
}

/** Milliseconds of its grace that an ending session has left: never more than the whole, whatever the clock says. */
export const graceLeft = ({ endBy, plan }: Pick<Session, "endBy" | "plan">, now: Instant): number =>
  endBy === undefined ? 0 : Math.min(plan.endGrace, Math.max(0, millis(endBy) - millis(now)))

/** What this agent's session on the item is given next. */
export const next = (record: ItemRecord, agent: string, policy: Policy, now: Instant): Next => {
  const session = record.sessions[agent]
  const waiting = record.waiting.filter((entry) => entry.agent === agent)
  if (waiting.length === 0 || session === undefined) return { _tag: "Nothing" }
  if (session.claim !== undefined) {
    const why = session.seat === undefined ? "the agent is at work" : "the former words are being given to it"
    return { _tag: "Held", why }
  }
  if (record.paused !== undefined)
    return { _tag: "Held", why: `paused by ${record.paused.by}: ${record.paused.why}` }
  if (session.state !== "wanted" && session.state !== "live") {
    return { _tag: "Held", why: `the session is ${session.state}: ${session.why}` }
  }
  const start = waiting.find((entry) => entry.key === startKey)
  const words = waiting.filter((entry) => isWord(entry.key))
  const resume = waiting.filter((entry) => entry.key === resumeKey)
  const queue = [...resume, ...words]
  const members = start !== undefined ? [start] : session.plan.coalesce ? queue : queue.slice(0, 1)
  const until = members.reduce<Instant>(
    (latest, { notBefore = "" }) => (notBefore > latest ? notBefore : latest),
    ""
  )
  if (until > now) return { _tag: "Held", why: "its last attempt failed or was put off", until }
  const allowance = Math.max(0, policy.perItemPerHour - lastHour(record, now).length)
  const allowed = start === undefined ? members.slice(0, allowance + resume.length) : members
  if (allowed.length === 0) {
    return { _tag: "Held", why: `${policy.perItemPerHour} words within an hour: limits.perItemPerHour` }
  }
  return {
    _tag: "Ready",
    candidate: {
      kind: start === undefined ? "words" : "start",
      session,
      members: allowed,
      thread: start === undefined ? [] : words,
      attempt: 1 + Math.max(...allowed.map((member) => member.attempts))
    }
  }
}

/** Whether the item's words of this hour are used up while more wait: it is then paused, loudly. */
export const floods = (record: ItemRecord, agent: string, policy: Policy, now: Instant): boolean =>
  record.paused === undefined &&
  record.sessions[agent]?.state === "live" &&
  record.sessions[agent].claim === undefined &&
  record.waiting.some((entry) => entry.agent === agent && isWord(entry.key)) &&
  lastHour(record, now).length >= policy.perItemPerHour

/** The delivery id of something that waits. */
export const deliveryOf = (record: ItemRecord, waiting: Pick<Waiting, "key" | "agent">): string => {
  if (!isWord(waiting.key)) {
    const idOf = waiting.key === startKey ? startId : resumeId
    return idOf(record.identity, waiting.agent, record.sessions[waiting.agent]?.generation ?? 1)
  }
  const slash = waiting.key.indexOf("/")
  const [stream, id] = [waiting.key.slice(0, slash), waiting.key.slice(slash + 1)]
  return deliveryId(record.space, { stream, id }, waiting.agent)
}

/** The claim that takes a candidate, or those of its members that fit. */
export const claimOf = (
  record: ItemRecord,
  candidate: Candidate,
  fits: { readonly members: number; readonly baseline: ReadonlyArray<string> },
  conversation: string,
  now: Instant
): Claim => {
  const members = candidate.members.slice(0, fits.members)
  return {
    id: handOverId(
      candidate.session.id,
      members.map((member) => deliveryOf(record, member))
    ),
    try: candidate.session.tries + 1,
    kind: candidate.kind,
    members: members.map((member) => member.key),
    ...(candidate.kind === "start" ? { baseline: fits.baseline } : {}),
    conversation,
    at: now
  }
}

/** The record with another state of an agent's session. */
export const withSession = (record: ItemRecord, agent: string, session: Session): ItemRecord => ({
  ...record,
  sessions: { ...record.sessions, [agent]: session }
})

/** Takes a claim: durable before anything is sent. */
export const claimed = (record: ItemRecord, agent: string, claim: Claim): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined) return record
  const { moving: _moving, ...rest } = session
  return withSession(record, agent, { ...rest, claim, tries: claim.try })
}

const unclaimedSession = (session: Session): Session => {
  const { claim: _claim, ...rest } = session
  return rest
}

/** An ending session without a claim is over, unless something of it is still open. */
export const overIfEnding = (session: Session, now: Instant): Session => {
  if (session.state !== "ending" || session.seat !== undefined) return session
  const { endBy: _endBy, ...rest } = session
  return { ...rest, state: "ended", since: now }
}

/** Resolves a claim whose run succeeded: every member, and the words that a start held. */
export const succeeded = (record: ItemRecord, agent: string, now: Instant): ItemRecord => {
  const session = record.sessions[agent]
  if (session?.claim === undefined) return record
  const { claim } = session
  const words = claim.members.filter(isWord)
  const baseline = claim.baseline ?? []
  const resolved = new Set([...claim.members, ...baseline])
  const {
    failure: _failure,
    fellBack: _fellBack,
    mayRepeat: _mayRepeat,
    ...rest
  } = overIfEnding(unclaimedSession(session), now)
  const confirmed: Session = {
    ...rest,
    conversation: claim.conversation,
    ...(session.state === "wanted" ? { state: "live", since: now, why: "its start was confirmed" } : {})
  }
  return {
    ...withSession(record, agent, confirmed),
    waiting: record.waiting.filter((entry) => entry.agent !== agent || !resolved.has(entry.key)),
    seen: {
      ...record.seen,
      ...Object.fromEntries(words.map((key) => [seenKey(key, agent), "handed over" as const])),
      ...Object.fromEntries(baseline.map((key) => [seenKey(key, agent), "baseline" as const]))
    },
    handed: [...lastHour(record, now), ...words.map(() => now)]
  }
}

/** Puts a claim's members off without spending an attempt: the agent said "not now". */
export const putOff = (record: ItemRecord, agent: string, until: Instant): ItemRecord => {
  const members = new Set(record.sessions[agent]?.claim?.members ?? [])
  const back = withdrawn(record, agent)
  return {
    ...back,
    waiting: back.waiting.map((entry) =>
      entry.agent === agent && members.has(entry.key) ? { ...entry, notBefore: until } : entry
    )
  }
}

/**
 * Takes a claim back that may have reached its agent, where nobody ever will know: its members go once more, and the
 * agent is told that they may repeat (G3.2). Nothing is spent.
 */
export const inDoubt = (record: ItemRecord, agent: string): ItemRecord => {
  const back = withdrawn(record, agent)
  const session = back.sessions[agent]
  return session === undefined || session.state === "ended"
    ? back
    : withSession(back, agent, { ...session, mayRepeat: true })
}

/** The session's conversation is gone: its next hand-over opens a new one with the whole thread, once. */
export const conversationLost = (record: ItemRecord, agent: string): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined) return record
  if (session.state === "ending") return withdrawn(record, agent)
  const { conversation: _conversation, ...rest } = unclaimedSession(session)
  return {
    ...withSession(record, agent, { ...rest, fellBack: true }),
    look: "the conversation is lost: the thread is to be read again"
  }
}

/** What the item is told when a delivery is given up: it names the comment and quotes nothing. */
export type GiveUpText = (given: {
  readonly key: string
  readonly agent: string
  readonly why: string
}) => string

/**
 * A failed attempt: each member spends one and returns; one that has none left is given up, alone, and the item is owed
 * a comment about it. A start that is given up leaves the session blocked and its words pending.
 */
export const failed = (
  record: ItemRecord,
  agent: string,
  why: string,
  {
    giveUpText,
    now,
    policy
  }: { readonly policy: Policy; readonly now: Instant; readonly giveUpText: GiveUpText }
): ItemRecord => {
  const session = record.sessions[agent]
  if (session?.claim === undefined) return record
  const members = new Set(session.claim.members)
  if (session.state === "ending") return withdrawn(record, agent)
  const spent = record.waiting.map((entry) =>
    entry.agent !== agent || !members.has(entry.key)
      ? entry
      : {
          ...entry,
          attempts: entry.attempts + 1,
          notBefore: instant(millis(now) + delay(policy.retryAfter, entry.attempts + 1))
        }
  )
  const over = spent.filter(
    (entry) => entry.agent === agent && members.has(entry.key) && entry.attempts >= policy.attempts
  )
  const notices = over.map(({ key }): Notice => ({
    id: `gave-up-${deliveryOf(record, { key, agent }).slice(0, 12)}-${session.claim?.try ?? 0}`,
    text: giveUpText({ key, agent, why })
  }))
  const base: Session = { ...unclaimedSession(session), failure: why }
  const blocked = over.some(({ key }) => key === startKey)
  return {
    ...withSession(
      record,
      agent,
      blocked ? { ...base, state: "blocked", since: now, why: `its start failed: ${why}` } : base
    ),
    waiting: spent.filter((entry) => !over.includes(entry)),
    seen: {
      ...record.seen,
      ...Object.fromEntries(
        over.filter(({ key }) => isWord(key)).map(({ key }) => [seenKey(key, agent), "gave up" as const])
      )
    },
    gaveUp: [
      ...record.gaveUp,
      ...over.map(({ at, key }) => ({ key, agent, at, version: policy.version, why }))
    ],
    notices: [...record.notices, ...notices],
    ...(notices.length === 0 ? {} : { look: owed })
  }
}

/** Milliseconds before the attempt that follows `failures` failed ones. */
const delay = (retryAfter: ReadonlyArray<number>, failures: number): number =>
  retryAfter[Math.min(failures, retryAfter.length) - 1] ?? 0

/**
 * Gives a claim back as if it had never been taken (G3.4): nothing is spent, nothing is baselined. When its session is
 * ending there is nobody left to give it to: the claim is settled, never retried, and the session is gone.
 */
export const withdrawn = (record: ItemRecord, agent: string): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined) return record
  if (session.state !== "ending") return withSession(record, agent, unclaimedSession(session))
  const claim = new Set([...(session.claim?.members ?? []), ...(session.claim?.baseline ?? [])])
  const isOver = (entry: Waiting) => entry.agent === agent && claim.has(entry.key)
  return {
    ...withSession(record, agent, overIfEnding(unclaimedSession(session), session.since)),
    waiting: record.waiting.filter((entry) => !isOver(entry)),
    seen: {
      ...record.seen,
      ...Object.fromEntries(
        record.waiting
          .filter((entry) => isOver(entry) && entry.key !== resumeKey)
          .map(({ key }) => [seenKey(key, agent), `settled: ${session.why}` as const])
      )
    }
  }
}

/** Pauses an item whose hour is used up, and owes it a comment that says so. */
export const flooded = (record: ItemRecord, policy: Policy, now: Instant, text: string): ItemRecord => ({
  ...record,
  paused: {
    at: now,
    by: "heed",
    why: `${policy.perItemPerHour} words within an hour (limits.perItemPerHour)`
  },
  notices: [...record.notices, { id: `flood-${millis(now)}`, text }],
  look: owed
})
