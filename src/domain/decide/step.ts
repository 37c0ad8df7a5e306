/**
 * step: what each decision makes of a record. Pure, and the same whether `decide` looks ahead or `apply` records.
 */
import type { AgentPlan } from "../Agent.ts"
import type { Decision } from "../Decision.ts"
import { sessionId } from "../Ids.ts"
import { type Instant, instant, millis } from "../Item.ts"
import {
  isWord,
  type ItemRecord,
  type Outcome,
  resumeKey,
  type Session,
  startKey,
  type Waiting
} from "../Record.ts"
import { living, type Situation, unclaimed } from "./situation.ts"
import { compareWords, seenKey } from "./words.ts"

/** What a step needs of the situation. */
export type Judging = Pick<Situation, "policy" | "now">

type Of<Tag extends Decision["_tag"]> = Extract<Decision, { _tag: Tag }>
type Noting = Of<"Queue" | "Settle" | "Refuse">

/** The record after these decisions, in order. */
export const steps = (
  judging: Judging,
  record: ItemRecord,
  decisions: ReadonlyArray<Decision>
): ItemRecord => {
  let next = record
  let notes: Array<Noting> = []
  // Words come by the thousand, and noting them together keeps a long thread linear.
  const noteAll = () => {
    if (notes.length > 0) next = noted(next, notes)
    notes = []
  }
  for (const decision of decisions) {
    if (decision._tag === "Queue" || decision._tag === "Settle" || decision._tag === "Refuse") {
      notes.push(decision)
      continue
    }
    noteAll()
    next = step(judging, next, decision)
  }
  noteAll()
  return next
}

const step = (judging: Judging, record: ItemRecord, decision: Exclude<Decision, Noting>): ItemRecord => {
  switch (decision._tag) {
    case "Learn":
      return learned(record, decision, judging.now)
    case "Begin": {
      const plan = judging.policy.agents[decision.agent]
      return plan === undefined ? record : begun(record, decision, plan, judging.now)
    }
    case "Obey":
      return obeyed(judging, record, decision)
    case "End":
      return ended(record, decision.agent, decision.reason, judging.now)
    case "Rearm":
      return rearmed(record, decision.agent, decision.key, judging.now)
    case "Wait":
      return record
  }
}

const learned = (record: ItemRecord, { item }: Of<"Learn">, now: Instant): ItemRecord => {
  const { endedAt: _endedAt, ...rest } = record
  const aliases = [...(record.aliases ?? []).filter((alias) => alias !== item.ref), record.ref]
  return {
    ...rest,
    ...(record.ref === item.ref ? {} : { ref: item.ref, aliases }),
    url: item.url,
    repo: item.repo,
    title: item.title,
    state: item.state,
    labels: item.labels,
    ...(item.state === "open" ? {} : { endedAt: record.endedAt ?? now })
  }
}

/** The order of what waits: a start, then words by time of writing, then what was re-armed, as it came back. */
const inQueueOrder = (a: Waiting, b: Waiting): number => {
  const rank = ({ key, late }: Waiting) => (!isWord(key) ? 0 : late === undefined ? 1 : 2)
  const [here, there] = [rank(a), rank(b)]
  return here - there || (here === 1 ? compareWords(a, b) : 0)
}

const queued = (waiting: ReadonlyArray<Waiting>, newcomers: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> =>
  [...waiting, ...newcomers].sort(inQueueOrder)

const noted = (record: ItemRecord, notes: ReadonlyArray<Noting>): ItemRecord => {
  const outcomes = notes.flatMap((note): ReadonlyArray<readonly [string, Outcome]> =>
    note._tag === "Settle"
      ? [[note.key, note.outcome]]
      : note._tag === "Refuse"
        ? [[note.word, `settled: ${note.reason}`]]
        : []
  )
  const newcomers = notes.flatMap((note): ReadonlyArray<Waiting> =>
    note._tag === "Queue" ? [{ key: note.word, agent: note.agent, at: note.at, attempts: 0 }] : []
  )
  const settled = new Set(outcomes.map(([key]) => key))
  const waiting = newcomers.length === 0 ? record.waiting : queued(record.waiting, newcomers)
  const noted: ItemRecord = {
    ...record,
    waiting: waiting.filter(({ agent, key }) => !settled.has(seenKey(key, agent))),
    // A resumption is no word that somebody would ask after.
    seen: {
      ...record.seen,
      ...Object.fromEntries(outcomes.filter(([key]) => !key.startsWith(`${resumeKey}@`)))
    }
  }
  return outcomes.some(([key]) => key.startsWith(`${startKey}@`)) ? judged(noted) : noted
}

/** Its start was judged, one way or the other: nothing calls for it any more. */
const judged = (record: ItemRecord): ItemRecord => {
  const { edge: _edge, held: _held, ...rest } = record
  return rest
}

const begun = (
  record: ItemRecord,
  { agent, at, generation, reason }: Of<"Begin">,
  plan: AgentPlan,
  now: Instant
): ItemRecord => {
  const { [seenKey(startKey, agent)]: _refused, ...seen } = record.seen
  const isStart = (entry: { readonly key: string; readonly agent: string }) =>
    entry.key === startKey && entry.agent === agent
  const session: Session = {
    id: sessionId(record.identity, agent, generation),
    generation,
    state: "wanted",
    since: now,
    why: reason,
    plan,
    tries: 0
  }
  return {
    ...judged(record),
    seen,
    sessions: { ...record.sessions, [agent]: session },
    gaveUp: record.gaveUp.filter((entry) => !isStart(entry)),
    waiting: queued(
      record.waiting.filter((entry) => !isStart(entry)),
      [{ key: startKey, agent, at, attempts: 0 }]
    )
  }
}

const obeyed = (
  { now, policy }: Judging,
  record: ItemRecord,
  { by, command, word }: Of<"Obey">
): ItemRecord => {
  const noted: ItemRecord = { ...record, seen: { ...record.seen, [word]: "command" } }
  switch (command) {
    case "start":
      return living(noted, policy.agent) === undefined ? { ...noted, edge: "commanded" } : noted
    case "stop":
      return stopped(noted, policy.agent, `${by} commanded it`, now)
    case "pause":
      return { ...noted, paused: { at: now, by, why: "commanded" } }
    case "resume":
      return resumed(noted)
    case "retry":
      return retried(noted, now)
    case "status":
      return noted
  }
}

/** Ends an agent's session; a run at work gets the session's grace. */
const ended = (record: ItemRecord, agent: string, why: string, now: Instant): ItemRecord => {
  const session = living(record, agent)
  if (session === undefined) return record
  const over: Session =
    session.claim === undefined && session.seat === undefined
      ? { ...session, state: "ended", since: now, why }
      : { ...session, state: "ending", since: now, why, endBy: instant(millis(now) + session.plan.endGrace) }
  return { ...record, sessions: { ...record.sessions, [agent]: over } }
}

/** `stop`: settles what waits, ends the session, and is remembered where there was none yet. */
export const stopped = (record: ItemRecord, agent: string, why: string, now: Instant): ItemRecord => {
  const dropped = new Set(unclaimed(record).filter((waiting) => waiting.agent === agent))
  const keys = [
    ...[...dropped].filter(({ key }) => key !== resumeKey).map(({ key }) => seenKey(key, agent)),
    ...(record.sessions[agent] === undefined ? [seenKey(startKey, agent)] : [])
  ]
  return {
    ...judged(ended(record, agent, why, now)),
    waiting: record.waiting.filter((waiting) => !dropped.has(waiting)),
    seen: { ...record.seen, ...Object.fromEntries(keys.map((key) => [key, `settled: ${why}` as const])) }
  }
}

/** Lets a paused item go on. Whoever resumes it has seen the flood, so the hour is counted anew. */
export const resumed = (record: ItemRecord): ItemRecord => {
  if (record.paused === undefined) return record
  const { paused: _paused, ...rest } = record
  return { ...rest, handed: [] }
}

/**
 * Re-arms one delivery that was given up: it goes last, marked late, with a full budget. A start goes first, and only
 * while its session is still blocked for want of it.
 */
const rearmed = (record: ItemRecord, agent: string, key: string, now: Instant): ItemRecord => {
  const given = record.gaveUp.find((entry) => entry.key === key && entry.agent === agent)
  const gaveUp = record.gaveUp.filter((entry) => entry !== given)
  const at = given?.at ?? now
  if (key !== startKey) {
    if (given === undefined) return record
    const { [seenKey(key, agent)]: _outcome, ...seen } = record.seen
    const again: Waiting = { key, agent, at, attempts: 0, late: true }
    return { ...record, seen, gaveUp, waiting: queued(record.waiting, [again]) }
  }
  const session = record.sessions[agent]
  if (session?.state !== "blocked") return { ...record, gaveUp }
  return {
    ...record,
    gaveUp,
    sessions: {
      ...record.sessions,
      [agent]: { ...session, state: "wanted", since: now, why: "its start was re-armed" }
    },
    waiting: queued(record.waiting, [{ key, agent, at, attempts: 0 }])
  }
}

const isSettled = (outcome: Outcome): boolean => outcome.startsWith("settled: ")

/** What was put off after a failed attempt goes at once; the attempt stays spent. */
const hastened = (record: ItemRecord): ItemRecord =>
  record.waiting.every(({ notBefore }) => notBefore === undefined)
    ? record
    : { ...record, waiting: record.waiting.map(({ notBefore: _notBefore, ...waiting }) => waiting) }

/**
 * Re-arms all that was given up, has what was put off go at once, and lets what was settled be judged anew: for that,
 * the whole thread has to be read again.
 */
export const retried = (before: ItemRecord, now: Instant): ItemRecord => {
  const record = hastened(before)
  const again = record.gaveUp.reduce((next, given) => rearmed(next, given.agent, given.key, now), record)
  const outcomes = Object.entries(again.seen)
  const forgotten = outcomes.filter(([, outcome]) => isSettled(outcome))
  if (forgotten.length === 0) return again
  const start = forgotten.some(([key]) => key.startsWith(`${startKey}@`))
  return {
    ...again,
    seen: Object.fromEntries(outcomes.filter(([, outcome]) => !isSettled(outcome))),
    // Without its label nothing calls for a start: the label that comes back will.
    ...(start && again.listed && again.edge === undefined ? { edge: "first sight" as const } : {}),
    read: Object.fromEntries(Object.keys(again.read).map((stream) => [stream, instant(0)])),
    look: "somebody asked to judge it again"
  }
}

/** A start of a held backlog once a person has said what becomes of it. */
export const accepted = (record: ItemRecord, agent: string, how: "start" | "baseline"): ItemRecord => {
  const { edge, held: _held, ...rest } = record
  return how === "start"
    ? { ...rest, ...(edge === undefined ? {} : { edge }), look: "its start was accepted" }
    : {
        ...rest,
        seen: { ...rest.seen, [seenKey(startKey, agent)]: "settled: it belonged to the accepted backlog" }
      }
}
