/**
 * Compose: what a session is given at once: the words that fit, as events and as a prompt, and the claim that takes
 * exactly these. Pure, so that the same record and memory give the same hand-over.
 */
import * as Result from "effect/Result"
import type { Plan } from "../config/Plan.ts"
import { controlCommand } from "../domain/decide/command.ts"
import { firstSightEvent, wordEvent } from "../domain/decide/events.ts"
import { isTrusted } from "../domain/decide/situation.ts"
import { inOrder, outcomeOf } from "../domain/decide/words.ts"
import type { HandOver } from "../domain/HandOver.ts"
import { type Comment, type Instant, wordKey } from "../domain/Item.ts"
import type { Policy } from "../domain/Policy.ts"
import { type Candidate, claimOf, next } from "../domain/queue.ts"
import { type Claim, isWord, type ItemRecord, resumeKey } from "../domain/Record.ts"
import { fitPrompt, type PromptInput, type PromptWord } from "../sink/Prompt.ts"
import { mark } from "./Mark.ts"
import type { Identification } from "./Running.ts"
import type { Memory } from "./Words.ts"

/** Everything that a hand-over is made of. */
export interface Composition {
  readonly record: ItemRecord
  /** The item's file name, fixed at its birth. */
  readonly slug: string
  readonly candidate: Candidate
  readonly memory: Memory
  readonly plan: Plan
  readonly policy: Policy
  /** The longest prompt that the sink takes, in characters. */
  readonly capacity: number
  readonly identification: Identification
  /** The conversation that this run continues, or a fresh id for the one it begins. */
  readonly conversation: string
  /** Random, so that no author can have known it. */
  readonly fence: string
  readonly now: Instant
}

/** A hand-over, and the claim that takes exactly its words. */
export interface Composed {
  readonly claim: Claim
  readonly handOver: HandOver
}

/** Composes a candidate; a failure says what is wrong with the agent's prompt template. */
export const compose = (composition: Composition): Result.Result<Composed, string> => {
  const { candidate, capacity, fence, memory, plan } = composition
  const { agent } = candidate.members[0] ?? { agent: "" }
  const opens = candidate.session.conversation === undefined
  const told = wordsToTell(composition, agent, opens)
  const prompts = plan.agents[agent]?.prompts
  const goesOn = opens || candidate.members.some(({ key }) => key === resumeKey)
  const template = candidate.kind === "start" ? prompts?.start : goesOn ? prompts?.resume : prompts?.comment
  if (template === undefined) return Result.fail(`the configuration has no agent ${agent} any more`)
  return Result.map(
    fitPrompt(template, inputOf(composition, agent, told), fence, capacity),
    ({ prompt, taken }) => {
      const given = new Set(told.slice(0, taken).map(wordKey))
      const members =
        candidate.kind === "start"
          ? 1
          : candidate.members.filter(({ key }) => !isWord(key) || given.has(key)).length
      const baseline = candidate.thread.map(({ key }) => key).filter((key) => given.has(key))
      const claim = claimOf(
        composition.record,
        candidate,
        { members, baseline },
        composition.conversation,
        composition.now
      )
      const events =
        candidate.kind === "start"
          ? [firstSightEvent(memory.item, memory.labelling)]
          : claim.members.flatMap((key) => {
              const word = memory.words.get(key)
              return word === undefined ? [] : [wordEvent(memory.item, word)]
            })
      return { claim, handOver: { ...frame(composition, agent), ...claimed(claim), opens, prompt, events } }
    }
  )
}

/** Whether the record would still give exactly what was composed: the same session, and the same words first. */
export const stillHolds = (
  record: ItemRecord,
  agent: string,
  { claim, handOver }: Composed,
  policy: Policy,
  at: Instant
): boolean => {
  const found = next(record, agent, policy, at)
  if (found._tag !== "Ready") return false
  const { kind, members, session, thread } = found.candidate
  if (session.id !== handOver.session.id || kind !== claim.kind || claim.try <= session.tries) return false
  const told = new Set(thread.map(({ key }) => key))
  return (
    claim.members.every((key, place) => members[place]?.key === key) &&
    (claim.baseline ?? []).every((key) => told.has(key))
  )
}

const claimed = (claim: Claim): Pick<HandOver, "id" | "try" | "kind" | "conversation"> => ({
  id: claim.id,
  try: claim.try,
  kind: claim.kind,
  conversation: claim.conversation
})

/** What of a hand-over does not depend on its words. */
const frame = (
  { candidate: { attempt, session }, identification, memory: { item }, slug }: Composition,
  agent: string
): Pick<HandOver, "attempt" | "mayRepeat" | "session" | "item" | "mark" | "plan"> => ({
  attempt,
  ...doubtOf(session),
  session: { id: session.id, agent, generation: session.generation },
  item: { ref: item.ref, url: item.url, tracker: item.tracker, key: keyOf(item), slug, repo: item.repo },
  mark: mark(identification.markKey, item.identity, session.id),
  plan: session.plan
})

const doubtOf = ({ mayRepeat }: Candidate["session"]): Pick<HandOver, "mayRepeat"> =>
  mayRepeat === undefined ? {} : { mayRepeat }

/** What people call the item at its tracker: `APP-123`, or the ref without tracker and host. */
const keyOf = (item: Memory["item"]): string => item.key ?? item.ref.slice(item.ref.indexOf("/") + 1)

/**
 * The words of the prompt, oldest first. New words are the members. A conversation's first prompt holds the thread: what
 * waits, and as quotes what strangers wrote; a later generation's leaves out what a former one dealt with, while a
 * conversation that was lost gets everything again.
 */
const wordsToTell = (
  { candidate, memory, policy, record }: Composition,
  agent: string,
  opens: boolean
): ReadonlyArray<Comment> => {
  const members = new Set([...candidate.members, ...candidate.thread].map(({ key }) => key))
  const first = candidate.kind === "start" && candidate.session.generation === 1
  const isTold = (comment: Comment): boolean => {
    const key = wordKey(comment)
    if (members.has(key)) return true
    if (!opens) return false
    const outcome = outcomeOf(record, key, agent)
    if (outcome === "own" || outcome === "command") return false
    return first
      ? !isTrusted(policy, record.tracker, comment.author)
      : candidate.kind === "words" && outcome !== undefined
  }
  return inOrder([...memory.words.values()]).filter(isTold)
}

const inputOf = (
  { candidate, identification, memory, policy, record }: Composition,
  agent: string,
  told: ReadonlyArray<Comment>
): PromptInput => {
  const { item, labelling } = memory
  const late = new Set(candidate.members.filter((member) => member.late === true).map(({ key }) => key))
  const { failure } = candidate.session
  return {
    item: {
      ref: item.ref,
      key: keyOf(item),
      url: item.url,
      tracker: item.tracker,
      kind: item.kind,
      repo: item.repo,
      state: item.state,
      labels: item.labels,
      title: item.title,
      body: item.body,
      trusted: isTrusted(policy, item.tracker, item.author),
      ...(item.author === undefined ? {} : { author: item.author.login }),
      // Whoever may not give instructions did not give it to the agent either.
      ...(isTrusted(policy, item.tracker, labelling?.by) && labelling?.by !== undefined
        ? { labelledBy: labelling.by.login }
        : {})
    },
    words: told.map((comment) => promptWord(policy, record, comment, late)),
    attempt: candidate.attempt,
    ...(failure === undefined || candidate.attempt === 1 ? {} : { failure }),
    ...doubtOf(candidate.session),
    earlier: Object.keys(record.seen).filter((key) => key.endsWith(`@${agent}`)).length,
    mark: mark(identification.markKey, item.identity, candidate.session.id)
  }
}

const promptWord = (
  policy: Policy,
  record: ItemRecord,
  comment: Comment,
  late: ReadonlySet<string>
): PromptWord => {
  const trusted = isTrusted(policy, record.tracker, comment.author)
  const control = trusted ? controlCommand(comment.body, policy.control.prefix) : undefined
  return {
    ...(comment.author === undefined ? {} : { author: comment.author.login }),
    trusted,
    body: control?.rest ?? comment.body,
    url: comment.url,
    at: comment.createdAt,
    stream: comment.stream,
    ...(comment.place === undefined ? {} : { place: comment.place }),
    ...(comment.review === undefined ? {} : { review: comment.review.state }),
    ...(late.has(wordKey(comment)) ? { late: true } : {})
  }
}
