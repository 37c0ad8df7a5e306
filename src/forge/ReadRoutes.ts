/** What can be read in a repository: its items, their words and their history. */
import { type Answer, type Drawn, draw, moved, notFound, one, refusal } from "./Answer.ts"
import { type Ask, ownerOf, part, type Stage } from "./Ask.ts"
import {
  commentReply,
  eventReply,
  issueReply,
  pullReply,
  reviewCommentReply,
  reviewReply,
  timelineCommentReply
} from "./ItemReplies.ts"
import { listing, type ListingRow, pageOf, within } from "./Listing.ts"
import { fullRepositoryReply, labelReply, permissionReply } from "./RepoReplies.ts"
import {
  type Comment,
  folded,
  type InlineComment,
  type Item,
  type Pull,
  type Repo,
  type Review
} from "./World.ts"
import type { StaleRow } from "./World.ts"

const drawIssue = ({ drawings, world, places }: Stage, item: Item): Drawn =>
  drawings.of(item, world.epoch, () => issueReply(places, item))

const drawComment = ({ drawings, world, places }: Stage, item: Item, comment: Comment): Drawn =>
  drawings.of(comment, world.epoch, () => commentReply(places, item, comment))

const drawReview = ({ drawings, world, places }: Stage, item: Item, pull: Pull, review: Review): Drawn =>
  drawings.of(review, world.epoch, () => reviewReply(places, item, pull, review))

const drawInline = (
  { drawings, world, places }: Stage,
  item: Item,
  pull: Pull,
  comment: InlineComment
): Drawn => drawings.of(comment, world.epoch, () => reviewCommentReply(places, item, pull, comment))

const paged = (ask: Ask, rows: ReadonlyArray<ListingRow>): Answer =>
  listing(rows, ask.query, `${ask.stage.places.api}${ask.resource}`, ask.stage.settings)

export const repository = (ask: Ask): Answer =>
  one(draw(fullRepositoryReply(ask.stage.places, ask.repo, ownerOf(ask.stage.world, ask.repo), ask.role)))

export const permission = (ask: Ask): Answer => {
  const account = ask.stage.world.accounts.get(folded(part(ask, 0)))
  if (account === undefined || account.deleted) return notFound
  return one(draw(permissionReply(ask.stage.places, account, ask.stage.world.role(ask.repo, account))))
}

export const labels = (ask: Ask): Answer =>
  paged(
    ask,
    [...ask.repo.labels.values()].map((label) => ({
      draw: () => draw(labelReply(ask.stage.places, ask.repo, label)),
      hideable: undefined
    }))
  )

export const label = (ask: Ask): Answer => {
  const found = ask.repo.labels.get(folded(part(ask, 0)))
  return found === undefined ? notFound : one(draw(labelReply(ask.stage.places, ask.repo, found)))
}

/** The rows of a repository as they are now, to be shown later as if they still were. */
export const staleRows = (stage: Stage, repo: Repo): ReadonlyArray<StaleRow> =>
  [...repo.items.values()].map((item) => ({
    item,
    state: item.state,
    labels: item.labels.map(({ name }) => folded(name)),
    updatedAt: item.updatedAt,
    touched: item.touched,
    drawn: drawIssue(stage, item)
  }))

interface IssueRow extends ListingRow {
  readonly item: Item
  readonly state: Item["state"]
  readonly labels: ReadonlyArray<string>
  readonly updatedAt: string
  readonly touched: number
}

const currentRow = (stage: Stage, item: Item): IssueRow => ({
  item,
  state: item.state,
  labels: item.labels.map(({ name }) => folded(name)),
  updatedAt: item.updatedAt,
  touched: item.touched,
  draw: () => drawIssue(stage, item),
  hideable: item
})

const issueRows = ({ stage, repo, query }: Ask): ReadonlyArray<IssueRow> => {
  if (repo.stale !== undefined && pageOf(query) === 1) {
    if (repo.stale.left === 0) repo.stale = undefined
    else repo.stale.left -= 1
  }
  return repo.stale === undefined
    ? [...repo.items.values()].map((item) => currentRow(stage, item))
    : repo.stale.rows.map((row) => ({ ...row, draw: () => row.drawn, hideable: undefined }))
}

const orders: { readonly [sort: string]: (a: IssueRow, b: IssueRow) => number } = {
  created: (a, b) => a.item.number - b.item.number,
  updated: (a, b) => a.touched - b.touched,
  comments: (a, b) => a.item.comments.length - b.item.comments.length
}

const byCreation = (a: IssueRow, b: IssueRow) => a.item.number - b.item.number

export const issues = (ask: Ask): Answer => {
  const { query, stage, repo } = ask
  if (!repo.issuesEnabled) return refusal(410, "Issues has been disabled in this repository.")
  const state = query.get("state") ?? "open"
  const wanted = (query.get("labels") ?? "")
    .split(",")
    .map((name) => folded(name.trim()))
    .filter((name) => name !== "")
  const inTime = within(query, stage.settings)
  const ordered = issueRows(ask)
    .filter(
      (row) =>
        (state === "all" || row.state === state) &&
        wanted.every((name) => row.labels.includes(name)) &&
        inTime(row.updatedAt)
    )
    .sort(orders[query.get("sort") ?? "created"] ?? byCreation)
  return paged(ask, query.get("direction") === "asc" ? ordered : ordered.reverse())
}

/** Answers for a number that names an item, or says what became of it. */
const withItem = (ask: Ask, answer: (item: Item) => Answer): Answer => {
  const item = ask.repo.items.get(Number(part(ask, 0)))
  return item === undefined ? notFound : answer(item)
}

const withPull = (ask: Ask, answer: (item: Item, pull: Pull) => Answer): Answer =>
  withItem(ask, (item) => (item.pull === undefined ? notFound : answer(item, item.pull)))

export const issue = (ask: Ask): Answer => {
  const { stage, repo } = ask
  const gone = repo.gone.get(Number(part(ask, 0)))
  if (gone?._tag === "Deleted") return refusal(410, "This issue was deleted")
  if (gone?._tag === "Transferred") {
    if (stage.world.role(gone.repo, ask.token.account) === "none") return notFound
    return moved(`${stage.places.api}/repositories/${gone.repo.id}/issues/${gone.number}`, 301)
  }
  return withItem(ask, (item) => one(drawIssue(stage, item)))
}

const commentRow = (stage: Stage, item: Item, comment: Comment) => ({
  id: comment.id,
  updatedAt: comment.updatedAt,
  draw: () => drawComment(stage, item, comment),
  hideable: comment
})

const inlineRow = (stage: Stage, item: Item, pull: Pull, comment: InlineComment) => ({
  id: comment.id,
  updatedAt: comment.updatedAt,
  draw: () => drawInline(stage, item, pull, comment),
  hideable: comment
})

interface WordRow extends ListingRow {
  readonly id: number
  readonly updatedAt: string
}

/** Words of a whole repository or of one item: by creation, or by update where that is asked for. */
const words = (ask: Ask, all: ReadonlyArray<WordRow>): Answer => {
  const inTime = within(ask.query, ask.stage.settings)
  const updated = ask.query.get("sort") === "updated"
  const ordered = all
    .filter((row) => inTime(row.updatedAt))
    .sort((a, b) => (updated ? Date.parse(a.updatedAt) - Date.parse(b.updatedAt) : 0) || a.id - b.id)
  const descending = ask.query.get("direction") === "desc" && ask.query.has("sort")
  return paged(ask, descending ? ordered.reverse() : ordered)
}

export const issueComments = (ask: Ask): Answer =>
  withItem(ask, (item) =>
    words(
      ask,
      item.comments.map((comment) => commentRow(ask.stage, item, comment))
    )
  )

export const repositoryComments = (ask: Ask): Answer =>
  words(
    ask,
    [...ask.repo.items.values()].flatMap((item) =>
      item.comments.map((comment) => commentRow(ask.stage, item, comment))
    )
  )

export const reviewComments = (ask: Ask): Answer =>
  withPull(ask, (item, pull) =>
    words(
      ask,
      pull.inline.map((comment) => inlineRow(ask.stage, item, pull, comment))
    )
  )

const pulls = (repo: Repo) =>
  [...repo.items.values()].flatMap((item) => (item.pull === undefined ? [] : [{ item, pull: item.pull }]))

export const repositoryReviewComments = (ask: Ask): Answer =>
  words(
    ask,
    pulls(ask.repo).flatMap(({ item, pull }) =>
      pull.inline.map((comment) => inlineRow(ask.stage, item, pull, comment))
    )
  )

/** A pending review is shown to its author alone (traps B15). */
export const reviews = (ask: Ask): Answer =>
  withPull(ask, (item, pull) =>
    paged(
      ask,
      pull.reviews
        .filter((review) => review.state !== "PENDING" || review.author === ask.token.account)
        .map((review) => ({ draw: () => drawReview(ask.stage, item, pull, review), hideable: review }))
    )
  )

export const pull = (ask: Ask): Answer =>
  withPull(ask, (item, pull) => {
    const { world, places } = ask.stage
    const owners = { head: ownerOf(world, pull.headRepo), base: ownerOf(world, item.repo) }
    return one(draw(pullReply(places, item, pull, owners)))
  })

export const events = (ask: Ask): Answer =>
  withItem(ask, (item) =>
    paged(
      ask,
      item.history.map((entry) => ({
        draw: () => draw(eventReply(ask.stage.places, item, entry)),
        hideable: undefined
      }))
    )
  )

export const timeline = (ask: Ask): Answer =>
  withItem(ask, (item) =>
    paged(
      ask,
      [
        ...item.history.map((entry) => ({
          at: entry.at,
          draw: () => draw(eventReply(ask.stage.places, item, entry)),
          hideable: undefined
        })),
        ...item.comments.map((comment) => ({
          at: comment.createdAt,
          draw: () => draw(timelineCommentReply(ask.stage.places, item, comment)),
          hideable: comment
        }))
      ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    )
  )

/** Finds a conversation comment anywhere in the repository. */
export const commentIn = (repo: Repo, id: number) => {
  for (const item of repo.items.values()) {
    const comment = item.comments.find((comment) => comment.id === id)
    if (comment !== undefined) return { item, comment }
  }
  return undefined
}

/** Finds an inline comment anywhere in the repository. */
export const inlineIn = (repo: Repo, id: number) => {
  for (const { item, pull } of pulls(repo)) {
    const comment = pull.inline.find((comment) => comment.id === id)
    if (comment !== undefined) return { item, pull, comment }
  }
  return undefined
}

export const comment = (ask: Ask): Answer => {
  const found = commentIn(ask.repo, Number(part(ask, 0)))
  return found === undefined ? notFound : one(drawComment(ask.stage, found.item, found.comment))
}

export const reviewComment = (ask: Ask): Answer => {
  const found = inlineIn(ask.repo, Number(part(ask, 0)))
  return found === undefined ? notFound : one(drawInline(ask.stage, found.item, found.pull, found.comment))
}

export const review = (ask: Ask): Answer =>
  withPull(ask, (item, pull) => {
    const found = pull.reviews.find(({ id }) => id === Number(part(ask, 1)))
    return found === undefined || (found.state === "PENDING" && found.author !== ask.token.account)
      ? notFound
      : one(drawReview(ask.stage, item, pull, found))
  })
