/**
 * The one place that builds NormalizedEvents: the same fact gives the same event, whichever way it was seen.
 */
import { eventBodyLimit, type NormalizedEvent } from "../Event.ts"
import type { Actor, Comment, Labelling, WorkItem } from "../Item.ts"
import { firstCodePoints } from "../PlainText.ts"
import { slashCommand } from "./command.ts"

const actorOf = (item: WorkItem, actor: Actor | undefined): Pick<NormalizedEvent, "actor"> =>
  actor === undefined
    ? {}
    : { actor: { id: actor.id, kind: actor.kind, is_entity_author: actor.id === item.author?.id } }

const common = (item: WorkItem): Pick<NormalizedEvent, "repo" | "entity" | "state"> => ({
  repo: item.repo,
  entity: {
    kind: item.kind,
    id: item.number,
    ...(item.key === undefined ? {} : { key: item.key }),
    url: item.url
  },
  state: {
    labels: item.labels,
    ...(item.change === undefined
      ? {}
      : {
          change_proposal: {
            id: item.change.id,
            head_repo: item.change.headRepo,
            base_repo: item.change.baseRepo,
            head_ref: item.change.headRef,
            base_ref: item.change.baseRef,
            head_sha: item.change.headSha,
            author_id: item.change.authorId,
            is_fork: item.change.isFork
          }
        })
  }
})

/** The event of a word: a comment, an inline comment, or a review with a body. */
export const wordEvent = (item: WorkItem, comment: Comment): NormalizedEvent => {
  const slash = slashCommand(comment.body)
  const body = {
    id: comment.id,
    body: firstCodePoints(comment.body, eventBodyLimit),
    ...(slash === undefined
      ? {}
      : {
          command: firstCodePoints(slash.command, eventBodyLimit),
          instruction: firstCodePoints(slash.instruction, eventBodyLimit)
        }),
    ...(comment.parentId === undefined ? {} : { parent_id: comment.parentId })
  }
  return {
    ...common(item),
    ...actorOf(item, comment.author),
    transition:
      comment.review === undefined
        ? { kind: "comment_added", comment: body }
        : {
            kind: "review_submitted",
            comment: body,
            review: { state: comment.review.state, reviewer_id: comment.author?.id ?? "" }
          },
    source: { system: item.tracker, raw_type: comment.stream, raw_action: "created" }
  }
}

/** The event of a first sight: who put the label on or, where that cannot be known, that the item was opened. */
export const firstSightEvent = (item: WorkItem, labelling: Labelling | undefined): NormalizedEvent =>
  labelling?.by === undefined
    ? {
        ...common(item),
        ...actorOf(item, item.author),
        transition: { kind: "opened" },
        source: { system: item.tracker, raw_type: item.kind, raw_action: "opened" }
      }
    : {
        ...common(item),
        ...actorOf(item, labelling.by),
        transition: { kind: "label_changed", label: { name: labelling.label, action: "added" } },
        source: { system: item.tracker, raw_type: item.kind, raw_action: "labeled" }
      }
