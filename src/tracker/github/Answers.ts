/**
 * Answers: the parts of GitHub's replies that heed reads. Whatever else they hold may change without notice.
 */
import * as Schema from "effect/Schema"

const Id = Schema.Int

/** Null for an account that was deleted (traps B23). */
export const User = Schema.NullOr(
  Schema.Struct({ id: Id, login: Schema.String, type: Schema.optionalKey(Schema.String) })
)
export type User = typeof User.Type

/** A label is an object everywhere but in old answers, where it may be its name. */
const Label = Schema.Union([
  Schema.String,
  Schema.Struct({ name: Schema.optionalKey(Schema.NullOr(Schema.String)) })
])

const Text = Schema.NullOr(Schema.String).pipe(Schema.optionalKey)

export const Issue = Schema.Struct({
  node_id: Schema.NonEmptyString,
  number: Schema.Int,
  title: Schema.String,
  body: Text,
  state: Schema.String,
  user: User,
  labels: Schema.Array(Label),
  comments: Schema.optionalKey(Schema.Int),
  created_at: Schema.String,
  updated_at: Schema.String,
  html_url: Schema.String,
  repository_url: Schema.String,
  /** Present on a pull request (traps B01). */
  pull_request: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ merged_at: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
  )
})
export type Issue = typeof Issue.Type

export const Repository = Schema.Struct({
  id: Id,
  full_name: Schema.String,
  has_issues: Schema.optionalKey(Schema.Boolean)
})
export type Repository = typeof Repository.Type

/** The head's repository is null once the fork was deleted. */
const Branch = Schema.Struct({
  ref: Schema.String,
  sha: Schema.String,
  repo: Schema.NullOr(Schema.Struct({ id: Id, full_name: Schema.String }))
})

export const Pull = Schema.Struct({
  id: Id,
  node_id: Schema.NonEmptyString,
  number: Schema.Int,
  title: Schema.String,
  body: Text,
  state: Schema.String,
  merged_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  user: User,
  labels: Schema.Array(Label),
  created_at: Schema.String,
  updated_at: Schema.String,
  html_url: Schema.String,
  head: Branch,
  base: Branch
})
export type Pull = typeof Pull.Type

export const IssueComment = Schema.Struct({
  id: Id,
  user: User,
  body: Text,
  created_at: Schema.String,
  updated_at: Schema.String,
  html_url: Schema.String
})
export type IssueComment = typeof IssueComment.Type

export const ReviewComment = Schema.Struct({
  ...IssueComment.fields,
  path: Schema.String,
  line: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  original_line: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  in_reply_to_id: Schema.optionalKey(Schema.NullOr(Id))
})
export type ReviewComment = typeof ReviewComment.Type

/** A pending review is its author's alone and has no `submitted_at` yet (traps B15). */
export const Review = Schema.Struct({
  id: Id,
  user: User,
  body: Text,
  state: Schema.String,
  submitted_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  html_url: Schema.String
})
export type Review = typeof Review.Type

export const IssueEvent = Schema.Struct({
  event: Schema.String,
  actor: Schema.optionalKey(User),
  created_at: Schema.String,
  label: Schema.optionalKey(Schema.NullOr(Schema.Struct({ name: Schema.String })))
})
export type IssueEvent = typeof IssueEvent.Type

export const Account = Schema.Struct({ login: Schema.NonEmptyString })

export const Posted = Schema.Struct({ id: Id })
