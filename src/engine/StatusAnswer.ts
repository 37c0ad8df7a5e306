/**
 * StatusAnswer: what `/heed status` is answered on its item: how its sessions are, what waits and why, what was given up,
 * who paused it. It names words by key, and quotes nothing of theirs nor of what an agent or its machine said.
 */
import type { Decision } from "../domain/Decision.ts"
import { answerId } from "../domain/Ids.ts"
import { type Instant, millis } from "../domain/Item.ts"
import type { Policy } from "../domain/Policy.ts"
import * as Queue from "../domain/queue.ts"
import { type ItemRecord, isWord, owed, resumeKey, type Session, startKey } from "../domain/Record.ts"
import { living } from "../domain/decide/situation.ts"
import { seenKey } from "../domain/decide/words.ts"

/** What the record does not tell about the question's moment. */
export interface Asking {
  readonly policy: Policy
  readonly now: Instant
  /** The agents whose sessions wait for a free slot. */
  readonly slotless: ReadonlySet<string>
  /** The agents that are paused because they fail everywhere. */
  readonly pausedAgents: ReadonlySet<string>
  /** What an item without a session waits for. */
  readonly waits?: string
}

/**
 * The record that owes an answer for each question among its decisions. An answer is owed in the write that resolves its
 * question, and has its name of it: whatever fails afterwards, there is one.
 */
export const answered = (
  record: ItemRecord,
  decisions: ReadonlyArray<Decision>,
  asking: Asking
): ItemRecord => {
  const questions = decisions.flatMap((decision) =>
    decision._tag === "Obey" && decision.command === "status" ? [decision.word] : []
  )
  if (questions.length === 0) return record
  const waits = decisions.find(({ _tag }) => _tag === "Wait")?.reason
  const text = statusText(record, waits === undefined ? asking : { ...asking, waits })
  return {
    ...record,
    notices: [
      ...record.notices,
      ...questions.map((word) => ({ id: `status-${answerId(record.space, word)}`, text }))
    ],
    look: record.look ?? owed
  }
}

/** The answer, in Markdown. */
export const statusText = (record: ItemRecord, asking: Asking): string => {
  const sessions = Object.entries(record.sessions)
  const { prefix } = asking.policy.control
  return [
    `heed, ${clock(asking.now)}:`,
    "",
    ...(sessions.length === 0
      ? [`- ${withoutSession(record, asking)}`]
      : sessions.map(([agent, session]) => `- ${sessionLine(record, agent, session)}`)),
    ...waitingLines(record, asking),
    ...gaveUpLines(record, prefix),
    ...(record.paused === undefined
      ? []
      : [
          `- Paused by ${record.paused.by} since ${clock(record.paused.at)}: \`${prefix} resume\` lets it go on.`
        ])
  ].join("\n")
}

const clock = (at: Instant): string =>
  `${new Date(millis(at)).toISOString().slice(0, 19).replace("T", " ")} UTC`

const sessionLine = ({ paused }: ItemRecord, agent: string, session: Session): string => {
  const named = `The session of \`${agent}\` (generation ${session.generation})`
  const working = session.claim === undefined ? "" : ", and its agent is at work"
  switch (session.state) {
    case "wanted":
      return `${named} is to be started${working}.`
    case "live":
      return `${named} is live${working}${working === "" && paused === undefined ? ", and listens" : ""}.`
    case "blocked":
      return `${named} is blocked: its start was given up. The next comment by somebody heed listens to tries again.`
    case "ending":
      return `${named} is ending (${session.why}), and its agent has until ${clock(session.endBy ?? session.since)}.`
    case "ended":
      return `${named} has ended: ${session.why}.`
  }
}

/** Why an item has no session: what was said of its start, or what its start waits for. */
const withoutSession = (record: ItemRecord, { policy, waits }: Asking): string => {
  const outcome = record.seen[seenKey(startKey, policy.agent)] ?? ""
  const why = outcome.startsWith("settled: ") ? outcome.slice("settled: ".length) : undefined
  if (why !== undefined)
    return `No session: ${why}. \`${policy.control.prefix} start\` by somebody heed listens to begins one.`
  return waits === undefined ? "No session." : `No session yet: ${waits}.`
}

const waitingLines = (record: ItemRecord, asking: Asking): ReadonlyArray<string> => {
  const agents = [...new Set(record.waiting.map(({ agent }) => agent))]
  return agents.flatMap((agent) => {
    const count = record.waiting.filter((entry) => entry.agent === agent && isWord(entry.key)).length
    const why = whyWaiting(record, agent, asking)
    if (count === 0) return why === undefined ? [] : [`- Its start waits: ${why}.`]
    const words = count === 1 ? "1 comment waits" : `${count} comments wait`
    return [`- ${words} for \`${agent}\`${why === undefined ? "" : `: ${why}`}.`]
  })
}

const whyWaiting = (
  record: ItemRecord,
  agent: string,
  { now, pausedAgents, policy, slotless }: Asking
): string | undefined => {
  const session = living(record, agent)
  if (session === undefined) return "there is no session to give them to"
  // Its reason says how the start failed, in its agent's words.
  if (session.state === "blocked") return "its start was given up"
  const next = Queue.next(record, agent, policy, now)
  if (next._tag === "Held")
    return next.until === undefined ? next.why : `${next.why}, until ${clock(next.until)}`
  if (pausedAgents.has(agent))
    return "the agent fails everywhere, so that it is tried on one item every 5 minutes"
  return slotless.has(agent) ? "no agent can start now, since limits.sessions are at work" : undefined
}

/** More than so many names nobody reads, and a tracker takes no comment of any length. */
const named = 10

const gaveUpLines = ({ gaveUp }: ItemRecord, prefix: string): ReadonlyArray<string> => {
  if (gaveUp.length === 0) return []
  const names = gaveUp.slice(0, named).map(({ key }) => givenUpName(key))
  const more = gaveUp.length > named ? ` and ${gaveUp.length - named} more` : ""
  return [`- Given up: ${names.join(", ")}${more}. \`${prefix} retry\` tries again.`]
}

const givenUpName = (key: string): string =>
  key === startKey ? "its start" : key === resumeKey ? "its resumption" : `\`${key}\``
