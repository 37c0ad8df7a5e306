/**
 * Facts: GitHub's replies as heed's values.
 */
import {
  instant,
  type Actor,
  type Comment,
  type Instant,
  type ItemState,
  type Kind,
  type WorkItem
} from "../../domain/Item.ts"
import { Identity, Ref } from "../../domain/Ref.ts"
import type { Issue, IssueComment, Pull, Review, ReviewComment, User } from "./Answers.ts"

/** GitHub ignores the case of logins and repositories. */
export const principal = (name: string): string => name.trim().replace(/^@/u, "").toLowerCase()

export const refOf = (host: string, repo: string, number: number): Ref =>
  Ref.make(`github:${host.toLowerCase()}/${repo.toLowerCase()}#${number}`)

export const identityOf = (host: string, nodeId: string): Identity =>
  Identity.make(`github:${host.toLowerCase()}/${nodeId}`)

export const spaceOf = (host: string, repository: number): string =>
  `github:${host.toLowerCase()}/${repository}`

/** GitHub's times have whole seconds; a time that it did not give is the beginning of all. */
export const when = (time: string | null | undefined): Instant => {
  const parsed = Date.parse(time ?? "")
  return instant(Number.isNaN(parsed) ? 0 : parsed)
}

export const text = (body: string | null | undefined): string => (body ?? "").replaceAll("\r\n", "\n")

export const actorOf = (user: User): Actor | undefined =>
  user === null
    ? undefined
    : {
        id: String(user.id),
        login: user.login,
        principal: principal(user.login),
        kind: user.type === "Bot" || user.login.toLowerCase().endsWith("[bot]") ? "bot" : "human"
      }

const author = (user: User): { readonly author?: Actor } => {
  const actor = actorOf(user)
  return actor === undefined ? {} : { author: actor }
}

export const labelNames = (labels: Issue["labels"]): ReadonlyArray<string> =>
  labels.flatMap((label) => {
    const name = typeof label === "string" ? label : label.name
    return name === undefined || name === null ? [] : [name]
  })

const stateOf = (state: string, mergedAt: string | null | undefined): ItemState => {
  if (state === "open") return "open"
  return mergedAt ? "merged" : "closed"
}

/** `owner/name` at the end of an API address, whose own owner may be a number after a rename. */
export const repoOfAddress = (address: string): string => address.split("/").slice(-2).join("/")

export const kindOf = (issue: Issue): Kind =>
  issue.pull_request === undefined || issue.pull_request === null ? "work_item" : "change_proposal"

/** Where an item was found: what its reply does not say of itself. */
export interface Home {
  readonly host: string
  readonly repo: string
  readonly repository: number
}

export const issueItem = (home: Home, issue: Issue): WorkItem => ({
  ref: refOf(home.host, home.repo, issue.number),
  identity: identityOf(home.host, issue.node_id),
  space: spaceOf(home.host, home.repository),
  tracker: "github",
  kind: kindOf(issue),
  number: issue.number,
  url: issue.html_url,
  repo: home.repo,
  title: issue.title,
  body: text(issue.body),
  ...author(issue.user),
  state: stateOf(issue.state, issue.pull_request?.merged_at),
  labels: labelNames(issue.labels),
  createdAt: when(issue.created_at),
  updatedAt: when(issue.updated_at)
})

export const pullItem = (home: Home, pull: Pull): WorkItem => ({
  ref: refOf(home.host, home.repo, pull.number),
  identity: identityOf(home.host, pull.node_id),
  space: spaceOf(home.host, home.repository),
  tracker: "github",
  kind: "change_proposal",
  number: pull.number,
  url: pull.html_url,
  repo: home.repo,
  title: pull.title,
  body: text(pull.body),
  ...author(pull.user),
  state: stateOf(pull.state, pull.merged_at),
  labels: labelNames(pull.labels),
  createdAt: when(pull.created_at),
  updatedAt: when(pull.updated_at),
  change: {
    id: pull.id,
    // A deleted fork has no name any more, and a branch of it is nobody's own.
    headRepo: pull.head.repo?.full_name ?? "",
    baseRepo: pull.base.repo?.full_name ?? home.repo,
    headRef: pull.head.ref,
    baseRef: pull.base.ref,
    headSha: pull.head.sha,
    authorId: pull.user === null ? "" : String(pull.user.id),
    isFork: pull.head.repo === null || pull.head.repo.id !== pull.base.repo?.id
  }
})

export const streams = {
  issueComment: "issue_comment",
  review: "review",
  reviewComment: "review_comment"
} as const

export const issueComment = (comment: IssueComment): Comment => ({
  stream: streams.issueComment,
  id: String(comment.id),
  ...author(comment.user),
  body: text(comment.body),
  createdAt: when(comment.created_at),
  updatedAt: when(comment.updated_at),
  url: comment.html_url
})

export const reviewComment = (comment: ReviewComment): Comment => {
  const line = comment.line ?? comment.original_line
  return {
    ...issueComment(comment),
    stream: streams.reviewComment,
    place: { path: comment.path, ...(line === undefined || line === null ? {} : { line }) },
    ...(comment.in_reply_to_id ? { parentId: String(comment.in_reply_to_id) } : {})
  }
}

/** Undefined for what says nothing: a pending review, or one that merely carries inline comments (traps B15). */
export const review = (review: Review): Comment | undefined => {
  const state = review.state.toLowerCase()
  const body = text(review.body)
  if (state === "pending" || (state === "commented" && body.trim() === "")) return undefined
  const submittedAt = when(review.submitted_at)
  return {
    stream: streams.review,
    id: String(review.id),
    ...author(review.user),
    body,
    createdAt: submittedAt,
    updatedAt: submittedAt,
    url: review.html_url,
    review: { state }
  }
}
