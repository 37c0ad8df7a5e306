/**
 * Decision: what `decide` may say about one item, each with its reason in words that `plan` and `explain` print.
 */
import type { Instant, WorkItem } from "./Item.ts"
import type { Outcome } from "./Record.ts"

/** The words of control, as the first word of a comment's first line: `/heed start`. */
export const controlWords = ["start", "stop", "pause", "resume", "retry", "status"] as const
export type ControlWord = (typeof controlWords)[number]

export type Decision =
  /** The item is new, or a fact about it changed. */
  | { readonly _tag: "Learn"; readonly item: WorkItem; readonly reason: string }
  /** A session is to be started: the next generation of (item, agent). */
  | {
      readonly _tag: "Begin"
      readonly agent: string
      readonly generation: number
      readonly at: Instant
      readonly reason: string
    }
  /** A trusted word joins the queue of its session. */
  | {
      readonly _tag: "Queue"
      readonly word: string
      readonly agent: string
      readonly at: Instant
      readonly reason: string
    }
  /** A word is resolved without a hand-over. */
  | { readonly _tag: "Settle"; readonly key: string; readonly outcome: Outcome; readonly reason: string }
  /** A control command acts, once; its comment is resolved as `command`. */
  | {
      readonly _tag: "Obey"
      readonly command: ControlWord
      readonly word: string
      readonly by: string
      readonly reason: string
    }
  /** A control command that cannot act now: settled, and said. */
  | { readonly _tag: "Refuse"; readonly command: string; readonly word: string; readonly reason: string }
  /** The session of this agent ends, with everything that waits for it. */
  | { readonly _tag: "End"; readonly agent: string; readonly reason: string }
  /** What an older heed gave up, or an operator re-armed, goes again. */
  | { readonly _tag: "Rearm"; readonly agent: string; readonly key: string; readonly reason: string }
  /** Nothing happens now, and this is why; `look` when the next cycle must ask again. */
  | { readonly _tag: "Wait"; readonly reason: string; readonly look: boolean }
