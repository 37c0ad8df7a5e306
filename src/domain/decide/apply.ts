/**
 * apply: the record after its decisions. Pure, like `decide`; a look that decided nothing leaves the very same record,
 * so that nothing is written.
 */
import type { AgentPlan } from "../Agent.ts"
import type { Decision } from "../Decision.ts"
import { sessionId } from "../Ids.ts"
import { type Gone, type Instant, instant, millis, type WorkItem } from "../Item.ts"
import { type ItemRecord, owed, recordVersion, type Session, startKey, type Waiting } from "../Record.ts"
import { edgeOf, type Situation } from "./decide.ts"
import { seenKey } from "./words.ts"

/** What a step needs of the situation. */
type Judging = Pick<Situation, "policy" | "now">

const born = (situation: Situation, item: WorkItem): ItemRecord => ({
  version: recordVersion,
  identity: item.identity,
  ref: item.ref,
  source: situation.source,
  scope: situation.scope,
  tracker: item.tracker,
  space: item.space,
  kind: item.kind,
  number: item.number,
  ...(item.key === undefined ? {} : { key: item.key }),
  url: item.url,
  repo: item.repo,
  title: item.title,
  state: item.state,
  labels: item.labels,
  listed: situation.listed === "listed",
  read: {},
  sessions: {},
  waiting: [],
  seen: {},
  gaveUp: [],
  notices: [],
  handed: []
})

/** The record that the decisions make of the situation's record; `undefined` while there is nothing to remember. */
export const apply = (situation: Situation, decisions: ReadonlyArray<Decision>): ItemRecord | undefined => {
  const before = situation.record
  const first = decisions.find((decision) => decision._tag === "Learn")
  if (before === undefined && first === undefined) return undefined
  const base = before ?? born(situation, situation.observation.item)
  const after = decisions.reduce((record, decision) => step(situation, record, decision), base)
  return remember(situation, before, after, decisions)
}

/** The record of an item that is gone from its tracker, after what `decideGone` said. */
export const applyGone = (
  judging: Judging,
  record: ItemRecord,
  how: Gone,
  decisions: ReadonlyArray<Decision>
): ItemRecord => {
  const {
    edge: _edge,
    held: _held,
    look: _look,
    ...rest
  } = decisions.reduce((next, decision) => step(judging, next, decision), record)
  return { ...rest, state: how, listed: false, endedAt: record.endedAt ?? judging.now }
}

/** What the look itself leaves behind: edges, the listing's word, unfinished business, how far streams were read. */
const remember = (
  situation: Situation,
  before: ItemRecord | undefined,
  after: ItemRecord,
  decisions: ReadonlyArray<Decision>
): ItemRecord => {
  const { edge: _edge, held: _held, look: _look, ...rest } = after
  const kept = decisions.find((decision) => decision._tag === "Wait" && decision.edge !== undefined)
  const edge = kept?._tag === "Wait" ? kept.edge : decisions.some(judgesStart) ? undefined : edgeOf(situation)
  const held = edge !== undefined && before?.held === true
  const look = unfinished(after, decisions)
  const marked: ItemRecord = {
    ...rest,
    ...(edge === undefined ? {} : { edge }),
    ...(held ? { held: true } : {}),
    ...(look === undefined ? {} : { look }),
    ...(situation.listed === "listed" ? { source: situation.source, scope: situation.scope } : {}),
    listed: listedAfter(situation, before, after)
  }
  const same =
    before !== undefined &&
    decisions.every((decision) => decision._tag === "Wait") &&
    before.edge === marked.edge &&
    before.held === marked.held &&
    before.look === marked.look &&
    before.source === marked.source &&
    before.scope === marked.scope &&
    before.listed === marked.listed
  return same ? before : { ...marked, read: readings(situation, after.read) }
}

/** An item that was reopened out of the listing's sight counts as unlisted, so that its next listing is an edge. */
const listedAfter = (situation: Situation, before: ItemRecord | undefined, after: ItemRecord): boolean => {
  if (situation.listed !== "unknown") return situation.listed === "listed"
  const reopened = before !== undefined && before.state !== "open" && after.state === "open"
  return !reopened && after.listed
}

const judgesStart = (decision: Decision): boolean =>
  decision._tag === "Begin" ||
  (decision._tag === "Settle" && decision.key.startsWith(`${startKey}@`)) ||
  (decision._tag === "Obey" && decision.command === "stop")

const unfinished = (record: ItemRecord, decisions: ReadonlyArray<Decision>): string | undefined => {
  const waiting = decisions.find((decision) => decision._tag === "Wait" && decision.look)
  if (waiting !== undefined) return waiting.reason
  return record.notices.some((notice) => notice.posted === undefined) ? owed : undefined
}

const readings = (situation: Situation, read: ItemRecord["read"]): ItemRecord["read"] => {
  const { at, streams } = situation.observation
  const complete = Object.keys(streams).filter((stream) => streams[stream]?.complete === true)
  return { ...read, ...Object.fromEntries(complete.map((stream) => [stream, at])) }
}

const step = (situation: Judging, record: ItemRecord, decision: Decision): ItemRecord => {
  switch (decision._tag) {
    case "Learn":
      return learned(record, decision.item, situation.now)
    case "Begin": {
      const plan = situation.policy.agents[decision.agent]
      return plan === undefined ? record : begun(record, decision, plan, situation.now)
    }
    case "Queue":
      return {
        ...record,
        waiting: placed(record.waiting, {
          key: decision.word,
          agent: decision.agent,
          at: decision.at,
          attempts: 0
        })
      }
    case "Settle":
      return settled(record, decision.key, decision.outcome)
    case "Refuse":
      return settled(record, decision.word, `settled: ${decision.reason}`)
    case "Obey":
      return obeyed(situation, record, decision)
    case "End":
      return ended(record, decision.agent, decision.reason, situation.now)
    case "Rearm":
      return rearmed(record, decision.agent, decision.key, situation.now)
    case "Wait":
      return record
  }
}

const learned = (record: ItemRecord, item: WorkItem, now: Instant): ItemRecord => {
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

const begun = (
  record: ItemRecord,
  { agent, at, generation, reason }: Extract<Decision, { _tag: "Begin" }>,
  plan: AgentPlan,
  now: Instant
): ItemRecord => {
  const { [seenKey(startKey, agent)]: _refused, ...seen } = record.seen
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
    ...record,
    seen,
    sessions: { ...record.sessions, [agent]: session },
    waiting: [
      { key: startKey, agent, at, attempts: 0 },
      ...record.waiting.filter((waiting) => waiting.key !== startKey || waiting.agent !== agent)
    ]
  }
}

/** Where a newcomer stands among the waiting: by time, but before what was re-armed, which goes last. */
const placed = (waiting: ReadonlyArray<Waiting>, newcomer: Waiting): ReadonlyArray<Waiting> => {
  const later = waiting.findIndex(
    (other) => other.key !== startKey && (other.late === true || other.at > newcomer.at)
  )
  const at = newcomer.late === true || later === -1 ? waiting.length : later
  return [...waiting.slice(0, at), newcomer, ...waiting.slice(at)]
}

const settled = (record: ItemRecord, key: string, outcome: ItemRecord["seen"][string]): ItemRecord => ({
  ...record,
  waiting: record.waiting.filter((waiting) => seenKey(waiting.key, waiting.agent) !== key),
  seen: { ...record.seen, [key]: outcome }
})

const obeyed = (
  { now, policy }: Judging,
  record: ItemRecord,
  { by, command, word }: Extract<Decision, { _tag: "Obey" }>
): ItemRecord => {
  const noted: ItemRecord = { ...record, seen: { ...record.seen, [word]: "command" } }
  switch (command) {
    case "stop":
      return stopped(noted, policy.agent, `${by} commanded it`, now)
    case "pause":
      return { ...noted, paused: { at: now, by, why: "commanded" } }
    case "resume":
      return resumed(noted)
    case "retry":
      return retried(noted, now)
    case "start":
    case "status":
      return noted
  }
}

/** Ends an agent's session; a run at work gets the session's grace. */
export const ended = (record: ItemRecord, agent: string, why: string, now: Instant): ItemRecord => {
  const session = record.sessions[agent]
  if (session === undefined || session.state === "ended" || session.state === "ending") return record
  const over: Session =
    session.claim === undefined
      ? { ...session, state: "ended", since: now, why }
      : { ...session, state: "ending", since: now, why, endBy: instant(millis(now) + session.plan.endGrace) }
  return { ...record, sessions: { ...record.sessions, [agent]: over } }
}

/** `stop`: settles what waits, ends the session, and is remembered where there was none yet. */
export const stopped = (record: ItemRecord, agent: string, why: string, now: Instant): ItemRecord => {
  const claimed = new Set([
    ...(record.sessions[agent]?.claim?.members ?? []),
    ...(record.sessions[agent]?.claim?.baseline ?? [])
  ])
  const dropped = record.waiting.filter((waiting) => waiting.agent === agent && !claimed.has(waiting.key))
  const { edge: _edge, held: _held, ...rest } = ended(record, agent, why, now)
  return {
    ...rest,
    waiting: record.waiting.filter((waiting) => !dropped.includes(waiting)),
    seen: {
      ...record.seen,
      ...Object.fromEntries(dropped.map(({ key }) => [seenKey(key, agent), `settled: ${why}` as const])),
      ...(record.sessions[agent] === undefined
        ? { [seenKey(startKey, agent)]: `settled: ${why}` as const }
        : {})
    }
  }
}

/** Goes on after a pause. Whoever resumes says that what was handed over is fine, so the hour's count begins anew. */
export const resumed = (record: ItemRecord): ItemRecord => {
  const { paused, ...rest } = record
  return paused === undefined ? record : { ...rest, handed: [] }
}

/** Re-arms one delivery that was given up: it goes last, marked late, with a full budget; a start goes first. */
export const rearmed = (record: ItemRecord, agent: string, key: string, now: Instant): ItemRecord => {
  const { [seenKey(key, agent)]: _outcome, ...seen } = record.seen
  const session = record.sessions[agent]
  const given = record.gaveUp.find((entry) => entry.key === key && entry.agent === agent)
  const rest = {
    ...record,
    seen,
    gaveUp: record.gaveUp.filter((entry) => entry !== given),
    waiting: record.waiting.filter((waiting) => waiting.key !== key || waiting.agent !== agent)
  }
  if (key !== startKey) {
    return {
      ...rest,
      waiting: placed(rest.waiting, { key, agent, at: given?.at ?? now, attempts: 0, late: true })
    }
  }
  if (session?.state !== "blocked") return { ...rest, seen: record.seen }
  return {
    ...rest,
    sessions: {
      ...record.sessions,
      [agent]: { ...session, state: "wanted", since: now, why: "its start was re-armed" }
    },
    waiting: [{ key, agent, at: given?.at ?? now, attempts: 0 }, ...rest.waiting]
  }
}

/** Re-arms all that was given up, and lets what was settled by trust be judged anew (product.md section 5). */
export const retried = (record: ItemRecord, now: Instant): ItemRecord => {
  const again = record.gaveUp.reduce((next, given) => rearmed(next, given.agent, given.key, now), record)
  const forgotten = Object.entries(again.seen).filter(([, outcome]) => outcome.startsWith("settled: "))
  if (forgotten.length === 0) return again
  const start = forgotten.some(([key]) => key.startsWith(`${startKey}@`))
  return {
    ...again,
    seen: Object.fromEntries(
      Object.entries(again.seen).filter(([, outcome]) => !outcome.startsWith("settled: "))
    ),
    ...(start && again.edge === undefined ? { edge: "first sight" as const } : {}),
    read: Object.fromEntries(Object.keys(again.read).map((stream) => [stream, instant(0)])),
    look: "somebody asked to judge it again"
  }
}
