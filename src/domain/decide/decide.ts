/**
 * decide: what follows from a record and an observation. Total and pure: no service, no clock, no randomness, so that
 * a dry run prints exactly what a run does, and what was decided once is not decided again.
 */
import type { ControlWord, Decision } from "../Decision.ts"
import { type Actor, type Comment, type Gone, type Instant, type Observation, wordKey } from "../Item.ts"
import type { Policy } from "../Policy.ts"
import { type Edge, type ItemRecord, type Session, startKey, type Waiting } from "../Record.ts"
import { controlCommand } from "./command.ts"
import { firstSightEvent } from "./events.ts"
import { inOrder, knownWords, seenKey } from "./words.ts"

/** How the item's listing spoke of it. `unknown`: there was no complete listing, so nothing follows from it. */
export type Listed = "listed" | "absent" | "unknown"

export interface Situation {
  readonly record: ItemRecord | undefined
  readonly observation: Observation
  readonly listed: Listed
  /** The source and scope that look now. */
  readonly source: string
  readonly scope: string
  /** Starts are held for now, and why: a new root that counts its backlog (product.md section 5, firstRun). */
  readonly hold: string | undefined
  readonly policy: Policy
  readonly now: Instant
}

/** Why a word of somebody whom nobody listens to is settled. */
export const untrusted = "its author is not in access.users"

/** Whether this account's words reach an agent. Nobody knows a deleted account, so it is nobody (G5.1). */
export const isTrusted = (policy: Policy, tracker: string, actor: Actor | undefined): boolean =>
  actor !== undefined && actor.kind !== "bot" && (policy.trusted[tracker]?.has(actor.principal) ?? false)

/** What calls for a start, after this look: an edge that was seen now, or one that still waits to be judged. */
export const edgeOf = (situation: Pick<Situation, "record" | "observation" | "listed">): Edge | undefined => {
  const { listed, observation, record } = situation
  if (observation.item.state !== "open") return undefined
  if (record === undefined) return listed === "listed" ? "first sight" : undefined
  if (record.edge === "commanded") return record.edge
  if (listed === "absent") return undefined
  if (record.state !== "open" && listed === "listed") return "reopened"
  if (!record.listed && listed === "listed") return "labelled again"
  return record.edge
}

/** The session that an agent has on the item, unless it is over. */
const living = (record: ItemRecord | undefined, agent: string): Session | undefined => {
  const session = record?.sessions[agent]
  return session === undefined || session.state === "ended" || session.state === "ending"
    ? undefined
    : session
}

/** Decides everything that follows from one look at an item, each decision with its reason. */
export const decide = (situation: Situation): ReadonlyArray<Decision> => {
  const { observation, policy, record } = situation
  const { item } = observation
  if (record === undefined && (item.state !== "open" || situation.listed !== "listed")) return []
  const words = judgeWords(situation)
  return [
    ...learn(situation),
    ...rearm(situation),
    ...words.decisions,
    ...vanished(situation),
    ...(item.state === "open" ? start(situation, words) : end(record, `the item is ${item.state}`)),
    ...partial(observation),
    ...(record === undefined || policy.agents[policy.agent] !== undefined
      ? []
      : [wait(`no agent is named ${policy.agent}`, "settled")])
  ]
}

/** Decides what follows from a definite end that no observation can show: the item was deleted, or moved away. */
export const decideGone = (record: ItemRecord, how: Gone): ReadonlyArray<Decision> =>
  end(record, `the item was ${how}`)

const wait = (reason: string, business: "unfinished" | "settled"): Extract<Decision, { _tag: "Wait" }> => ({
  _tag: "Wait",
  reason,
  look: business === "unfinished"
})

const learn = ({ observation: { item }, record }: Situation): ReadonlyArray<Decision> => {
  if (record === undefined) return [{ _tag: "Learn", item, reason: "first sight" }]
  const changes = [
    ...(record.ref === item.ref ? [] : [`its name was ${record.ref}`]),
    ...(record.state === item.state ? [] : [`it was ${record.state}`]),
    ...(record.title === item.title ? [] : ["its title changed"]),
    ...(sameList(record.labels, item.labels) ? [] : ["its labels changed"])
  ]
  return changes.length === 0 ? [] : [{ _tag: "Learn", item, reason: changes.join(", ") }]
}

const sameList = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((entry, index) => entry === b[index])

/** Ends every session that is not over, and settles what waits and was not claimed. */
const end = (record: ItemRecord | undefined, reason: string): ReadonlyArray<Decision> => {
  if (record === undefined) return []
  return [
    ...Object.keys(record.sessions)
      .filter((agent) => living(record, agent) !== undefined)
      .map((agent): Decision => ({ _tag: "End", agent, reason })),
    ...unclaimed(record).map(({ agent, key }) => settle(seenKey(key, agent), reason))
  ]
}

/** A newer heed tries again what an older one gave up. */
const rearm = ({ policy, record }: Situation): ReadonlyArray<Decision> =>
  (record?.gaveUp ?? [])
    .filter((given) => given.version !== policy.version)
    .map((given) => ({
      _tag: "Rearm",
      agent: given.agent,
      key: given.key,
      reason: `heed ${given.version} gave up on it, and this is ${policy.version}`
    }))

/** What waits and is no part of a claim: a claimed delivery is looked up at its sink before anything is said of it. */
const unclaimed = (record: ItemRecord): ReadonlyArray<Waiting> => {
  const claimed = new Set(
    Object.values(record.sessions).flatMap(({ claim }) => [
      ...(claim?.members ?? []),
      ...(claim?.baseline ?? [])
    ])
  )
  return record.waiting.filter(({ key }) => !claimed.has(key))
}

/** Words that wait and that a reading from the beginning no longer finds. A claimed one goes as it was recorded. */
const vanished = ({ observation, record }: Situation): ReadonlyArray<Decision> => {
  if (record === undefined) return []
  const present = new Set(observation.comments.map(wordKey))
  return unclaimed(record)
    .filter(({ key }) => key !== startKey && !present.has(key))
    .filter(({ key }) => {
      const reading = observation.streams[key.slice(0, key.indexOf("/"))]
      return reading !== undefined && reading.complete && reading.since === undefined
    })
    .map(({ agent, key }) => ({
      _tag: "Settle",
      key: seenKey(key, agent),
      outcome: "vanished",
      reason: "it was deleted before it was handed over"
    }))
}

const partial = (observation: Observation): ReadonlyArray<Decision> => {
  const broken = Object.entries(observation.streams)
    .filter(([, reading]) => !reading.complete)
    .map(([stream]) => stream)
  return broken.length === 0 ? [] : [wait(`not read to the end: ${broken.join(", ")}`, "unfinished")]
}

/** What the thread's commands add up to. */
interface Commanded {
  /** The last one that starts or stops. */
  readonly command: "start" | "stop" | undefined
  /** One of them stops what was there. */
  readonly stops: boolean
}

/** Judges each new word by its own author, whoever opened the item. */
const judgeWords = (situation: Situation): Commanded & { readonly decisions: ReadonlyArray<Decision> } => {
  const { observation, policy, record } = situation
  const known = knownWords(record)
  const decisions: Array<Decision> = []
  let command: Commanded["command"]
  let stops = false
  let blocked = record?.sessions[policy.agent]?.state === "blocked"
  for (const comment of inOrder(observation.comments)) {
    const word = wordKey(comment)
    if (known.has(word)) continue
    const judged = judgeWord(situation, comment)
    decisions.push(...judged)
    for (const decision of judged) {
      if (decision._tag === "Obey" && (decision.command === "start" || decision.command === "stop")) {
        command = decision.command
        stops ||= command === "stop"
      }
      if (decision._tag === "Queue" && blocked) {
        blocked = false
        decisions.push({
          _tag: "Rearm",
          agent: policy.agent,
          key: startKey,
          reason: "a trusted person wrote after its start was given up"
        })
      }
    }
  }
  return { decisions, command, stops }
}

const settle = (key: string, why: string): Decision => ({
  _tag: "Settle",
  key,
  outcome: `settled: ${why}`,
  reason: why
})

const judgeWord = (situation: Situation, comment: Comment): ReadonlyArray<Decision> => {
  const { observation, policy, record } = situation
  const { item } = observation
  const word = wordKey(comment)
  if (policy.isOwn(item, comment)) {
    return [{ _tag: "Settle", key: word, outcome: "own", reason: "heed or its agent wrote it" }]
  }
  const control = controlCommand(comment.body, policy.control.prefix)
  const author = comment.author?.login ?? "nobody (a deleted account)"
  if (!isTrusted(policy, item.tracker, comment.author)) {
    return control === undefined
      ? [settle(word, untrusted)]
      : [{ _tag: "Refuse", command: control.word, word, reason: untrusted }]
  }
  if (item.state !== "open") return [settle(word, `the item is ${item.state}`)]
  const queue: Decision = {
    _tag: "Queue",
    word,
    agent: policy.agent,
    at: comment.createdAt,
    reason: `${author} is in access.users`
  }
  if (control !== undefined)
    return obey(situation, comment, control.word, control.rest === "" ? undefined : queue)
  if (comment.body.trim() === "") return [settle(word, "it is empty")]
  const readable = becameReadable(record, policy.agent, observation, comment)
  return readable === undefined
    ? [queue]
    : [{ _tag: "Settle", key: seenKey(word, policy.agent), outcome: "baseline", reason: readable }]
}

/** Commands that only a session can carry out. */
const needsSession: ReadonlySet<ControlWord> = new Set(["stop", "pause", "resume"])

const obey = (
  { policy, record }: Situation,
  comment: Comment,
  command: ControlWord,
  rest: Decision | undefined
): ReadonlyArray<Decision> => {
  const word = wordKey(comment)
  if (command === "status") {
    return [{ _tag: "Refuse", command, word, reason: "not yet: this heed does not answer /heed status" }]
  }
  const acts: Decision = {
    _tag: "Obey",
    command,
    word,
    by: comment.author?.login ?? "",
    reason:
      needsSession.has(command) && living(record, policy.agent) === undefined
        ? "no session is at work, so it holds for the start"
        : "a trusted person said so"
  }
  return rest === undefined ? [acts] : [acts, rest]
}

/**
 * A stream that is read for the first time on an item which already has a session was closed to heed before: what was
 * written there up to the last complete look is no news.
 */
const becameReadable = (
  record: ItemRecord | undefined,
  agent: string,
  observation: Observation,
  comment: Comment
): string | undefined => {
  if (record?.sessions[agent]?.state !== "live" || record.read[comment.stream] !== undefined) return undefined
  if (observation.streams[comment.stream]?.since !== undefined) return undefined
  const last = Object.values(record.read).reduce<Instant>((latest, at) => (at > latest ? at : latest), "")
  return comment.createdAt <= last ? `${comment.stream} could not be read when this was written` : undefined
}

/** Whether a session begins, and if not, why not. */
const start = (situation: Situation, { command: said, stops }: Commanded): ReadonlyArray<Decision> => {
  const { hold, observation, policy, record } = situation
  const { agent } = policy
  if (policy.agents[agent] === undefined) return []
  const session = record?.sessions[agent]
  if (said === "stop") return []
  const edge = edgeOf(situation)
  const command = said ?? (edge === "commanded" ? "start" : undefined)
  if (session?.state === "blocked" && command === "start" && !stops) {
    return [{ _tag: "Rearm", agent, key: startKey, reason: "a trusted person commanded it" }]
  }
  if (living(record, agent) !== undefined && !stops) return []
  if (edge === undefined && command !== "start") return []
  if (session?.state === "ending" || session?.claim !== undefined) {
    const later = wait("the former session is still at work; the next begins once it is gone", "unfinished")
    return [command === "start" ? { ...later, edge: "commanded" } : later]
  }
  const begin = (reason: string): Decision => ({
    _tag: "Begin",
    agent,
    generation: 1 + (session?.generation ?? 0),
    at: observation.item.createdAt,
    event: firstSightEvent(observation.item, observation.labelling),
    reason
  })
  if (command === "start") return [begin("a trusted person commanded it")]
  if (policy.control.requireStart) {
    return [refuse(agent, `control.requireStart: it waits for ${policy.control.prefix} start`)]
  }
  const by = trustedStarter(situation)
  if (by === undefined) {
    return [refuse(agent, "neither its author nor who labelled it is in access.users")]
  }
  if (hold !== undefined || record?.held === true) {
    return [wait(hold ?? "held: it belongs to a backlog that waits for --accept-backlog", "settled")]
  }
  return [begin(`${edge ?? "commanded"}: ${by}`)]
}

/** The start is judged, and not made: an edge is judged once. */
const refuse = (agent: string, why: string): Decision => settle(seenKey(startKey, agent), why)

/** Who makes the item start on its own: its author, or who put the label on. */
const trustedStarter = ({ observation: { item, labelling }, policy }: Situation): string | undefined => {
  if (isTrusted(policy, item.tracker, item.author)) return `${item.author?.login} opened it`
  if (labelling !== undefined && isTrusted(policy, item.tracker, labelling.by)) {
    return `${labelling.by?.login} labelled it`
  }
  return undefined
}
