/** How items, words and histories look in GitHub's replies. */
import { labelReply, nodeId, type Places, repositoryReply, userOrGhost, userOrNull } from "./RepoReplies.ts"
import type {
  AssociationShape,
  IssueCommentShape,
  IssueEventShape,
  IssueShape,
  PullShape,
  ReactionRollup,
  ReactionShape,
  ReviewCommentShape,
  ReviewShape,
  TimelineCommentShape
} from "./Shapes.ts"
import {
  type Account,
  type Comment,
  folded,
  type HistoryEntry,
  type InlineComment,
  type Item,
  nameOf,
  type Pull,
  type Repo,
  type Review
} from "./World.ts"

const repoUrl = (places: Places, repo: Repo) => `${places.api}/repos/${nameOf(repo)}`
export const issueUrl = (places: Places, item: Item) => `${repoUrl(places, item.repo)}/issues/${item.number}`
const pullUrl = (places: Places, item: Item) => `${repoUrl(places, item.repo)}/pulls/${item.number}`
export const itemPage = (places: Places, item: Item) =>
  `${places.web}/${nameOf(item.repo)}/${item.pull === undefined ? "issues" : "pull"}/${item.number}`

const association = (repo: Repo, account: Account): AssociationShape => {
  if (folded(repo.owner) === folded(account.login)) return "OWNER"
  return repo.roles.has(folded(account.login)) ? "COLLABORATOR" : "NONE"
}

const noReactions = (url: string): ReactionRollup => ({
  url: `${url}/reactions`,
  total_count: 0,
  "+1": 0,
  "-1": 0,
  laugh: 0,
  hooray: 0,
  confused: 0,
  heart: 0,
  rocket: 0,
  eyes: 0
})

export const issueReply = (places: Places, item: Item): IssueShape => {
  const url = issueUrl(places, item)
  const page = itemPage(places, item)
  const { pull } = item
  return {
    url,
    repository_url: repoUrl(places, item.repo),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    id: item.id,
    node_id: nodeId(pull === undefined ? "I" : "PR", pull?.id ?? item.id),
    number: item.number,
    title: item.title,
    user: userOrNull(places, item.author),
    labels: item.labels.map((label) => labelReply(places, item.repo, label)),
    state: item.state,
    locked: item.locked,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: item.comments.length,
    created_at: item.createdAt,
    updated_at: item.updatedAt,
    closed_at: item.closedAt ?? null,
    author_association: association(item.repo, item.author),
    active_lock_reason: null,
    ...(pull === undefined
      ? {}
      : {
          draft: pull.draft,
          pull_request: {
            url: pullUrl(places, item),
            html_url: page,
            diff_url: `${page}.diff`,
            patch_url: `${page}.patch`,
            merged_at: pull.mergedAt ?? null
          }
        }),
    body: item.body,
    closed_by: item.closedBy === undefined ? null : userOrNull(places, item.closedBy),
    reactions: noReactions(url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: item.stateReason
  }
}

export const commentReply = (places: Places, item: Item, comment: Comment): IssueCommentShape => {
  const url = `${repoUrl(places, item.repo)}/issues/comments/${comment.id}`
  return {
    url,
    html_url: `${itemPage(places, item)}#issuecomment-${comment.id}`,
    issue_url: issueUrl(places, item),
    id: comment.id,
    node_id: nodeId("IC", comment.id),
    user: userOrNull(places, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    author_association: association(item.repo, comment.author),
    reactions: noReactions(url),
    performed_via_github_app: null
  }
}

export const reviewCommentReply = (
  places: Places,
  item: Item,
  pull: Pull,
  comment: InlineComment
): ReviewCommentShape => {
  const url = `${repoUrl(places, item.repo)}/pulls/comments/${comment.id}`
  const page = `${itemPage(places, item)}#discussion_r${comment.id}`
  return {
    url,
    pull_request_review_id: null,
    id: comment.id,
    node_id: nodeId("PRRC", comment.id),
    diff_hunk: `@@ -${comment.line},1 +${comment.line},1 @@`,
    path: comment.path,
    commit_id: pull.headSha,
    original_commit_id: pull.headSha,
    ...(comment.replyTo === undefined ? {} : { in_reply_to_id: comment.replyTo }),
    user: userOrNull(places, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pullUrl(places, item),
    author_association: association(item.repo, comment.author),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl(places, item) } },
    start_line: null,
    original_start_line: null,
    start_side: null,
    line: comment.line,
    original_line: comment.line,
    side: "RIGHT",
    position: 1,
    original_position: 1,
    subject_type: "line",
    reactions: noReactions(url)
  }
}

export const reviewReply = (places: Places, item: Item, pull: Pull, review: Review): ReviewShape => {
  const page = `${itemPage(places, item)}#pullrequestreview-${review.id}`
  return {
    id: review.id,
    node_id: nodeId("PRR", review.id),
    user: userOrNull(places, review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl(places, item),
    author_association: association(item.repo, review.author),
    _links: { html: { href: page }, pull_request: { href: pullUrl(places, item) } },
    ...(review.submittedAt === undefined ? {} : { submitted_at: review.submittedAt }),
    commit_id: pull.headSha
  }
}

export const eventReply = (places: Places, item: Item, entry: HistoryEntry): IssueEventShape => ({
  id: entry.id,
  node_id: nodeId("EV", entry.id),
  url: `${repoUrl(places, item.repo)}/issues/events/${entry.id}`,
  actor: userOrNull(places, entry.actor),
  event: entry.event,
  commit_id: null,
  commit_url: null,
  created_at: entry.at,
  ...(entry.label === undefined ? {} : { label: { name: entry.label.name, color: entry.label.color } }),
  ...(entry.rename === undefined ? {} : { rename: entry.rename }),
  performed_via_github_app: null
})

export const timelineCommentReply = (places: Places, item: Item, comment: Comment): TimelineCommentShape => ({
  url: `${repoUrl(places, item.repo)}/issues/comments/${comment.id}`,
  html_url: `${itemPage(places, item)}#issuecomment-${comment.id}`,
  issue_url: issueUrl(places, item),
  id: comment.id,
  node_id: nodeId("IC", comment.id),
  user: userOrGhost(places, comment.author),
  actor: userOrGhost(places, comment.author),
  created_at: comment.createdAt,
  updated_at: comment.updatedAt,
  body: comment.body,
  author_association: association(item.repo, comment.author),
  event: "commented",
  performed_via_github_app: null
})

export const pullReply = (
  places: Places,
  item: Item,
  pull: Pull,
  owners: { readonly head: Account; readonly base: Account }
): PullShape => {
  const url = pullUrl(places, item)
  const page = itemPage(places, item)
  const base = repoUrl(places, item.repo)
  const statuses = `${base}/statuses/${pull.headSha}`
  return {
    url,
    id: pull.id,
    node_id: nodeId("PR", pull.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issueUrl(places, item),
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${base}/pulls/comments{/number}`,
    comments_url: `${issueUrl(places, item)}/comments`,
    statuses_url: statuses,
    number: item.number,
    state: item.state,
    locked: item.locked,
    title: item.title,
    user: userOrGhost(places, item.author),
    body: item.body,
    labels: item.labels.map((label) => labelReply(places, item.repo, label)),
    milestone: null,
    active_lock_reason: null,
    created_at: item.createdAt,
    updated_at: item.updatedAt,
    closed_at: item.closedAt ?? null,
    merged_at: pull.mergedAt ?? null,
    merge_commit_sha: pull.mergedAt === undefined ? null : pull.headSha,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    head: {
      label: `${pull.headRepo.owner}:${pull.headRef}`,
      ref: pull.headRef,
      sha: pull.headSha,
      user: userOrGhost(places, owners.head),
      repo: repositoryReply(places, pull.headRepo, owners.head)
    },
    base: {
      label: `${item.repo.owner}:${pull.baseRef}`,
      ref: pull.baseRef,
      sha: "0".repeat(40),
      user: userOrGhost(places, owners.base),
      repo: repositoryReply(places, item.repo, owners.base)
    },
    _links: {
      self: { href: url },
      html: { href: page },
      issue: { href: issueUrl(places, item) },
      comments: { href: `${issueUrl(places, item)}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${base}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses }
    },
    author_association: association(item.repo, item.author),
    auto_merge: null,
    draft: pull.draft,
    merged: pull.mergedAt !== undefined,
    mergeable: null,
    rebaseable: null,
    mergeable_state: "unknown",
    merged_by: pull.mergedBy === undefined ? null : userOrNull(places, pull.mergedBy),
    comments: item.comments.length,
    review_comments: pull.inline.length,
    maintainer_can_modify: false,
    commits: 1,
    additions: 1,
    deletions: 0,
    changed_files: 1
  }
}

export const reactionReply = (
  places: Places,
  id: number,
  by: Account,
  content: ReactionShape["content"],
  at: string
): ReactionShape => ({
  id,
  node_id: nodeId("REA", id),
  user: userOrNull(places, by),
  content,
  created_at: at
})
