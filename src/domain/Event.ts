/**
 * NormalizedEvent, version 1: what happened, to which entity, by whom. This is the shape that
 * agents read from `$HEED_EVENT_FILE` and that routes see. Absent is absent, never null.
 */
import * as Schema from "effect/Schema"

const optional = Schema.optionalKey

/** The trackers that an event may come from. */
export const Tracker = Schema.Literals(["github", "gitlab", "jira"])
export type Tracker = typeof Tracker.Type

export const EventActor = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["human", "bot"]),
  role: optional(Schema.Literals(["admin", "maintain", "write", "triage", "read", "none", "external"])),
  is_entity_author: Schema.Boolean
})

/** The most of a comment's body that an event carries, in code points; a prompt gets all of it. */
export const eventBodyLimit = 4096

const EventLabel = Schema.Struct({ name: Schema.String, action: Schema.Literals(["added", "removed"]) })

const EventComment = Schema.Struct({
  id: Schema.String,
  body: Schema.String,
  command: optional(Schema.String),
  instruction: optional(Schema.String),
  parent_id: optional(Schema.String)
})

const EventReview = Schema.Struct({ state: Schema.String, reviewer_id: Schema.String })

/** What happened: each kind carries what it calls for, and nothing else. */
export const Transition = Schema.Union([
  Schema.Struct({
    kind: Schema.Literals([
      "opened",
      "reopened",
      "edited",
      "synchronized",
      "closed",
      "merged",
      "marked_ready"
    ])
  }),
  Schema.Struct({ kind: Schema.Literal("label_changed"), label: EventLabel }),
  Schema.Struct({ kind: Schema.Literal("comment_added"), comment: EventComment }),
  /** A review whose author wrote nothing of their own has no comment. */
  Schema.Struct({
    kind: Schema.Literal("review_submitted"),
    review: EventReview,
    comment: optional(EventComment)
  })
])
export type Transition = typeof Transition.Type

export const NormalizedEvent = Schema.Struct({
  repo: Schema.String,
  entity: Schema.Struct({
    kind: Schema.Literals(["work_item", "change_proposal"]),
    id: Schema.Int,
    key: optional(Schema.String),
    url: Schema.String,
    linked_change_proposal: optional(Schema.Struct({ id: Schema.Int, url: Schema.String }))
  }),
  transition: Transition,
  actor: optional(EventActor),
  state: Schema.Struct({
    labels: Schema.Array(Schema.String),
    change_proposal: optional(
      Schema.Struct({
        id: Schema.Int,
        head_repo: Schema.String,
        base_repo: Schema.String,
        head_ref: Schema.String,
        base_ref: Schema.String,
        head_sha: Schema.String,
        author_id: Schema.String,
        is_fork: Schema.Boolean
      })
    )
  }),
  source: Schema.Struct({
    system: Tracker,
    raw_type: Schema.String,
    raw_action: Schema.String
  })
}).annotate({ identifier: "NormalizedEvent", title: "heed NormalizedEvent, version 1" })
export type NormalizedEvent = typeof NormalizedEvent.Type
