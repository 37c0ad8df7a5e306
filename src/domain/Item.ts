/**
 * What trackers tell: work items, their words, and how much of them was seen. Providers make these values; nothing
 * here knows a ledger, an agent or a tracker's own field names.
 */
import * as Schema from "effect/Schema"
import type { Tracker } from "./Event.ts"
import type { Identity, Ref } from "./Ref.ts"

/** A moment as ISO 8601 in UTC, `2026-11-30T12:00:00.000Z`: these texts compare as the times do. */
export const Instant = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u, { expected: "a UTC time" }))
)
export type Instant = typeof Instant.Type

export { instant, millis } from "./Time.ts"

/** An account. A comment whose account was deleted, or is unknown, has none, and nobody trusts it. */
export interface Actor {
  /** The tracker's own id of the account. */
  readonly id: string
  /** The name people read. */
  readonly login: string
  /** What `access` compares: the login or account id, case-folded as this tracker does (G5.1). */
  readonly principal: string
  readonly kind: "human" | "bot"
}

export const Kind = Schema.Literals(["work_item", "change_proposal"])
export type Kind = typeof Kind.Type

export const ItemState = Schema.Literals(["open", "closed", "merged"])
export type ItemState = typeof ItemState.Type

/** The facts of a change proposal that an item of kind `work_item` has not. */
export interface ChangeProposal {
  readonly id: number
  readonly headRepo: string
  readonly baseRepo: string
  readonly headRef: string
  readonly baseRef: string
  readonly headSha: string
  readonly authorId: string
  readonly isFork: boolean
}

/** An issue or change proposal as its tracker shows it now. */
export interface WorkItem {
  readonly ref: Ref
  readonly identity: Identity
  /** Tracker, host and repository id as one text: with a stream and a comment id it makes a delivery id. */
  readonly space: string
  readonly tracker: Tracker
  readonly kind: Kind
  readonly number: number
  /** Jira's key; absent elsewhere. */
  readonly key?: string
  readonly url: string
  /** `owner/name`: where the agents work. */
  readonly repo: string
  readonly title: string
  readonly body: string
  readonly author?: Actor
  readonly state: ItemState
  readonly labels: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly change?: ChangeProposal
}

/** One word of a person (or a bot): a comment, an inline comment, a review's summary. */
export interface Comment {
  /** A sequence with ids of its own: GitHub's `issue_comment`, `review`, `review_comment`. */
  readonly stream: string
  readonly id: string
  readonly author?: Actor
  /** As written, with CRLF as LF; a missing body is empty. */
  readonly body: string
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly url: string
  readonly parentId?: string
  /** Present on a review: its state, lower-cased, such as `approved`. */
  readonly review?: { readonly state: string }
  /** Present on an inline comment: where it stands. */
  readonly place?: { readonly path: string; readonly line?: number }
}

/** Names a comment within its item: `issue_comment/123`. Ids of different streams never meet (traps B09). */
export const wordKey = (comment: Pick<Comment, "stream" | "id">): string => `${comment.stream}/${comment.id}`

/** Who put the source's label on, and when. */
export interface Labelling {
  readonly label: string
  readonly by?: Actor
  readonly at: Instant
}

/** How one stream was read: whether to its end, and from where (`undefined`: from its beginning). */
export interface StreamReading {
  readonly complete: boolean
  /** What kept it from being complete, for people. */
  readonly why?: string
  readonly since?: Instant
}

/** One look at an item: what it is and the words on it, with what is known of their completeness. */
export interface Observation {
  readonly item: WorkItem
  /** The tracker's clock at the answer that was first asked for. */
  readonly at: Instant
  readonly comments: ReadonlyArray<Comment>
  readonly streams: { readonly [stream: string]: StreamReading }
  /** Asked for at first sight only; absent when it cannot be known. */
  readonly labelling?: Labelling
}

/** A definite end of an item that no longer can be observed. */
export type Gone = "deleted" | "moved"

/** A direct question about one item, answered. `Unknown` is no answer: it ends nothing (G4.1). */
export type Check =
  | { readonly _tag: "Unchanged" }
  | { readonly _tag: "Present"; readonly item: WorkItem; readonly validator?: string }
  | { readonly _tag: "Gone"; readonly how: Gone }
  | { readonly _tag: "Unknown"; readonly why: string }

/** What names an item to its tracker. */
export type Target = Pick<WorkItem, "ref" | "identity" | "kind" | "number" | "repo">

/** One row of a listing. */
export interface Row extends Target {
  /** Changes whenever anything about the item might have changed: a reason to look, never more. */
  readonly fingerprint: string
  /** Too fresh to be sure that its second is over: it is looked at again, and vouched for by nothing. */
  readonly fresh: boolean
}
