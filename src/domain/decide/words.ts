/**
 * What a record already says about the words of its item.
 */
import { type Comment, type Instant, wordKey } from "../Item.ts"
import type { ItemRecord, Outcome } from "../Record.ts"

/** The key under which an outcome that concerns an agent is kept. */
export const seenKey = (word: string, agent: string): string => `${word}@${agent}`

/** The word of a key in `seen`, without its agent. */
const wordOf = (key: string): string => {
  const at = key.indexOf("@")
  return at === -1 ? key : key.slice(0, at)
}

/** The words of which nothing is left to decide: resolved ones and those that wait. */
export const knownWords = (record: ItemRecord): ReadonlySet<string> => {
  const known = new Set(record.waiting.map((waiting) => waiting.key))
  for (const key of Object.keys(record.seen)) known.add(wordOf(key))
  for (const notice of record.notices) if (notice.posted !== undefined) known.add(notice.posted)
  return known
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Ids that are numbers are in their numbers' order, however large. */
const compareIds = (a: string, b: string): number => a.length - b.length || compare(a, b)

/** A word's key, and when it was written. */
interface Written {
  readonly key: string
  readonly at: Instant
}

/** The order in which words are judged and handed over: by time of writing, then by stream and id. */
export const compareWords = (a: Written, b: Written): number => {
  if (a.at !== b.at) return compare(a.at, b.at)
  const [here, there] = [a.key.indexOf("/"), b.key.indexOf("/")]
  return (
    compare(a.key.slice(0, here), b.key.slice(0, there)) ||
    compareIds(a.key.slice(here + 1), b.key.slice(there + 1))
  )
}

/** Comments in the order of words, each once. */
export const inOrder = (comments: ReadonlyArray<Comment>): ReadonlyArray<Comment> => {
  const byKey = new Map(comments.map((comment) => [wordKey(comment), comment]))
  return [...byKey]
    .map(([key, comment]) => ({ key, at: comment.createdAt, comment }))
    .sort(compareWords)
    .map(({ comment }) => comment)
}

/** A word's outcome for an agent; what was settled whatever the agent comes second. `undefined` while none is recorded. */
export const outcomeOf = (record: ItemRecord, word: string, agent: string): Outcome | undefined =>
  record.seen[seenKey(word, agent)] ?? record.seen[word]
