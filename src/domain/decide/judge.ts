/**
 * judge: each new word, by its own author, whoever opened the item.
 */
import { type ControlWord, controlWords, type Decision } from "../Decision.ts"
import { type Comment, type Instant, wordKey } from "../Item.ts"
import type { ItemRecord } from "../Record.ts"
import { type ControlCommand, controlCommand, unknownCommand } from "./command.ts"
import { isTrusted, living, type Situation, untrusted } from "./situation.ts"
import { inOrder, knownWords, seenKey } from "./words.ts"

/** What the new words come to that ask to judge again. They go first: what they free is judged in the same look. */
export const judgeRetries = (situation: Situation, record: ItemRecord): ReadonlyArray<Decision> =>
  newWords(situation, record).flatMap((comment) =>
    commandOf(situation, comment)?.word === "retry" ? judge(situation, record, comment, new Set()) : []
  )

/** What all the other new words come to. */
export const judgeWords = (situation: Situation, record: ItemRecord): ReadonlyArray<Decision> => {
  const words = newWords(situation, record)
  const idle = new Set([
    ...(situation.record === undefined ? overruled(situation, words) : []),
    // A retry that another one has just freed asks for nothing more.
    ...words.filter((comment) => commandOf(situation, comment)?.word === "retry")
  ])
  return words.flatMap((comment) => judge(situation, record, comment, idle))
}

const newWords = ({ observation }: Situation, record: ItemRecord): ReadonlyArray<Comment> => {
  const known = knownWords(record)
  return inOrder(observation.comments).filter((comment) => !known.has(wordKey(comment)))
}

/** The command of a trusted person who is not heed. */
const commandOf = (
  { observation: { item }, policy }: Situation,
  comment: Comment
): ControlCommand | undefined =>
  isTrusted(policy, item.tracker, comment.author) && !policy.isOwn(item, comment)
    ? controlCommand(comment.body, policy.control.prefix)
    : undefined

/** Commands that take each other's place: of a thread's questions, one is answered. */
const opposites: ReadonlyArray<ReadonlyArray<ControlWord>> = [
  ["start", "stop"],
  ["pause", "resume"],
  ["status"]
]

/** At first sight the thread's commands are folded, and only what they come to acts: the commands that do not. */
const overruled = (situation: Situation, words: ReadonlyArray<Comment>): ReadonlyArray<Comment> =>
  opposites.flatMap((pair) =>
    words.filter((word) => pair.some((one) => one === commandOf(situation, word)?.word)).slice(0, -1)
  )

/** Says that a word, or a start, is not handed over, because policy says so. */
export const settle = (key: string, why: string): Decision => ({
  _tag: "Settle",
  key,
  outcome: `settled: ${why}`,
  reason: why
})

const judge = (
  situation: Situation,
  record: ItemRecord,
  comment: Comment,
  idle: ReadonlySet<Comment>
): ReadonlyArray<Decision> => {
  const { observation, policy } = situation
  const { item } = observation
  const word = wordKey(comment)
  if (policy.isOwn(item, comment)) {
    return [{ _tag: "Settle", key: word, outcome: "own", reason: "heed or its agent wrote it" }]
  }
  if (record.forgotten !== undefined && comment.createdAt <= record.forgotten) {
    return [settle(word, "it was written before the item ended and was forgotten")]
  }
  const control = controlCommand(comment.body, policy.control.prefix)
  if (comment.author === undefined || !isTrusted(policy, item.tracker, comment.author)) {
    return control === undefined
      ? [settle(word, untrusted)]
      : [{ _tag: "Refuse", command: control.word, word, reason: untrusted }]
  }
  const { login } = comment.author
  if (item.state !== "open") {
    const over = `the item is ${item.state}`
    if (control === undefined || !actsOnClosed.has(control.word)) return [settle(word, over)]
    const act = obey(situation, record, word, control.word, login)
    return control.rest === "" ? [act] : [act, settle(seenKey(word, policy.agent), over)]
  }
  const queue: Decision = {
    _tag: "Queue",
    word,
    agent: policy.agent,
    at: comment.createdAt,
    reason: `${login} is in access.users`
  }
  const readable = becameReadable(situation, comment)
  const given: Decision =
    readable === undefined
      ? queue
      : { _tag: "Settle", key: seenKey(word, policy.agent), outcome: "baseline", reason: readable }
  if (control !== undefined) {
    const act = idle.has(comment) ? overruledBy(word) : obey(situation, record, word, control.word, login)
    return control.rest === "" ? [act] : [act, given]
  }
  const unknown = unknownCommand(comment.body, policy.control.prefix)
  if (unknown !== undefined) {
    const reason = `no command of heed's; those are ${controlWords.join(", ")}`
    return [{ _tag: "Refuse", command: unknown, word, reason }]
  }
  if (comment.body.trim() === "") return [settle(word, "it is empty")]
  return [given]
}

const overruledBy = (word: string): Decision => ({
  _tag: "Settle",
  key: word,
  outcome: "command",
  reason: "another command in the thread takes its place"
})

/**
 * Commands that a closed item takes: those that disarm are recorded always, and what takes a pause back can do so there,
 * or nobody's last word on it would hold once the item is reopened.
 */
const actsOnClosed: ReadonlySet<ControlWord> = new Set(["stop", "pause", "resume"])

/** Commands that only a session can carry out. */
const needsSession: ReadonlySet<ControlWord> = new Set(["stop", "pause", "resume"])

const obey = (
  { onUnlabel, policy }: Situation,
  record: ItemRecord,
  word: string,
  command: ControlWord,
  by: string
): Decision =>
  command === "start" && onUnlabel === "stop" && !record.listed
    ? { _tag: "Refuse", command, word, reason: "its label is off, and onUnlabel: stop lets nothing go on" }
    : {
        _tag: "Obey",
        command,
        word,
        by,
        reason:
          needsSession.has(command) && living(record, policy.agent) === undefined
            ? "no session is at work, so it holds for the start"
            : "a trusted person said so"
      }

/**
 * A stream that is read for the first time on an item which already has a session was closed to heed before: what was
 * written there up to the last complete look is no news.
 */
const becameReadable = (
  { observation, policy, record }: Situation,
  { createdAt, stream }: Comment
): string | undefined => {
  if (record?.sessions[policy.agent]?.state !== "live" || record.read[stream] !== undefined) return undefined
  if (observation.streams[stream]?.since !== undefined) return undefined
  const last = Object.values(record.read).reduce<Instant>((latest, at) => (at > latest ? at : latest), "")
  return createdAt <= last ? `${stream} could not be read when this was written` : undefined
}
