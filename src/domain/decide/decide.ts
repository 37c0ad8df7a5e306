/**
 * decide: what follows from a record and an observation. Total and pure: no service, no clock, no randomness, so that
 * a dry run prints exactly what a run does, and what was decided once is not decided again.
 */
import type { Decision } from "../Decision.ts"
import { type Gone, instant, millis, wordKey } from "../Item.ts"
import { type ItemRecord, isWord, startKey } from "../Record.ts"
import { reachesBack } from "./apply.ts"
import { controlCommand } from "./command.ts"
import { judgeRetries, judgeWords, settle } from "./judge.ts"
import { sighted } from "./sighted.ts"
import { isLetGo, living, type Situation, unclaimed } from "./situation.ts"
import { start, wait } from "./start.ts"
import { steps } from "./step.ts"
import { seenKey } from "./words.ts"

/** One rule: what follows from the situation for the record that the rules before it have made. */
type Rule = (situation: Situation, record: ItemRecord) => ReadonlyArray<Decision>

/** Decides everything that follows from one look at an item, each decision with its reason. */
export const decide = (situation: Situation): ReadonlyArray<Decision> => {
  const { listed, observation, record } = situation
  if (record === undefined && (observation.item.state !== "open" || listed !== "listed")) return []
  const decisions: Array<Decision> = []
  let next = sighted(situation)
  for (const rule of rules) {
    const more = rule(situation, next)
    next = steps(situation, next, more)
    decisions.push(...more)
  }
  return decisions
}

/** Decides what follows from a definite end that no observation can show: the item was deleted, or moved away. */
export const decideGone = (record: ItemRecord, how: Gone): ReadonlyArray<Decision> =>
  end(record, `the item was ${how}`)

const learn: Rule = ({ observation: { item }, record }) => {
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

/** Whether one version comes after another: `1.10.0` after `1.9.2`. */
const isNewer = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) > 0

/** A newer heed tries again what an older one gave up, where there is still a session for it. */
const rearm: Rule = ({ observation, policy }, record) =>
  observation.item.state !== "open"
    ? []
    : record.gaveUp
        .filter(({ agent, version }) => isNewer(policy.version, version) && living(record, agent))
        .map(({ agent, key, version }) => ({
          _tag: "Rearm",
          agent,
          key,
          reason: `heed ${version} gave up on it, and this is ${policy.version}`
        }))

/** A start that was given up is tried again once a trusted person has written, or commanded anything: a question does nothing. */
const revive: Rule = (situation, record) => {
  const { agent } = situation.policy
  if (record.sessions[agent]?.state !== "blocked") return []
  const before = new Set(situation.record?.waiting.map(({ key }) => key))
  const wrote = record.waiting.some(({ key }) => !before.has(key))
  const asked = new Set(
    situation.observation.comments
      .filter(({ body }) => controlCommand(body, situation.policy.control.prefix)?.word === "status")
      .map(wordKey)
  )
  const commanded = Object.keys(record.seen).some(
    (key) => record.seen[key] === "command" && situation.record?.seen[key] === undefined && !asked.has(key)
  )
  return wrote || commanded
    ? [
        {
          _tag: "Rearm",
          agent,
          key: startKey,
          reason: "a trusted person wrote after its start was given up"
        }
      ]
    : []
}

/** How far one server's answers may lag behind another's, in milliseconds (traps B05, B52). */
const lag = 60_000

/**
 * Words that wait and that a reading from the beginning no longer finds. A claimed one goes as it was recorded, and a
 * recent one may merely not have come to whoever answered.
 */
const vanish: Rule = ({ observation }, record) => {
  const present = new Set(observation.comments.map(wordKey))
  const settledBefore = instant(millis(observation.at) - lag)
  return unclaimed(record)
    .filter(({ at, key }) => isWord(key) && !present.has(key) && at < settledBefore)
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

const startOrEnd: Rule = (situation, record) => {
  const { state } = situation.observation.item
  if (state !== "open") return end(record, `the item is ${state}`)
  return isLetGo(situation) ? letGo(record) : start(situation, record)
}

/**
 * Ends what is at work on an item without its label, with what waits for it. What is written after that is the next
 * session's thread.
 */
const letGo = (record: ItemRecord): ReadonlyArray<Decision> =>
  end(
    { ...record, waiting: record.waiting.filter(({ agent }) => living(record, agent) !== undefined) },
    "its label was taken off"
  )

/** Ends every session that is not over, and settles what waits and was not claimed. */
const end = (record: ItemRecord, reason: string): ReadonlyArray<Decision> => [
  ...Object.keys(record.sessions)
    .filter((agent) => living(record, agent) !== undefined)
    .map((agent): Decision => ({ _tag: "End", agent, reason })),
  ...unclaimed(record).map(({ agent, key }) => settle(seenKey(key, agent), reason))
]

/** What keeps this look from being the last word on what was written. */
const unread: Rule = ({ observation }, record) => {
  const streams = Object.entries(observation.streams)
  const broken = streams.filter(([, reading]) => !reading.complete).map(([stream]) => stream)
  const short = streams.filter(([stream, reading]) => !reachesBack(record, stream, reading))
  return [
    ...(broken.length === 0 ? [] : [wait(`not read to the end: ${broken.join(", ")}`, "unfinished")]),
    ...(short.length === 0
      ? []
      : [wait(`to be read further back: ${short.map(([stream]) => stream).join(", ")}`, "unfinished")])
  ]
}

const homeless: Rule = ({ policy }) =>
  policy.agents[policy.agent] === undefined ? [wait(`no agent is named ${policy.agent}`, "settled")] : []

/** In the order of their say: what the later ones decide, they decide on what the earlier ones have left. */
const rules: ReadonlyArray<Rule> = [
  learn,
  rearm,
  judgeRetries,
  judgeWords,
  revive,
  vanish,
  startOrEnd,
  unread,
  homeless
]
