/** What can be read of a repository and its items: the listing, one item, its history. */
import { type Answer, type Drawn, draw, moved, notFound, one, refusal } from "./Answer.ts"
import { type Ask, ownerOf, part, type Stage } from "./Ask.ts"
import { eventReply, issueReply, pullReply, timelineCommentReply } from "./ItemReplies.ts"
import { type ListingRow, paged, pageOf, within } from "./Listing.ts"
import { withItem, withPull } from "./Lookup.ts"
import { fullRepositoryReply, labelReply, permissionReply } from "./RepoReplies.ts"
import { folded, type Item, type Repo, type StaleRow } from "./World.ts"

const drawIssue = ({ drawings, world, places }: Stage, item: Item): Drawn =>
  drawings.of(item, world.epoch, () => issueReply(places, item))

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

export const pull = (ask: Ask): Answer =>
  withPull(ask, (item, pull) => {
    const { world, places } = ask.stage
    const owners = { head: ownerOf(world, pull.headRepo), base: ownerOf(world, item.repo) }
    return one(draw(pullReply(places, item, pull, owners)))
  })

const inOrder = ({ settings }: Stage, oldestFirst: ReadonlyArray<ListingRow>) =>
  settings.history === "oldest-first" ? oldestFirst : oldestFirst.toReversed()

export const events = (ask: Ask): Answer =>
  withItem(ask, (item) =>
    paged(
      ask,
      inOrder(
        ask.stage,
        item.history.map((entry) => ({
          draw: () => draw(eventReply(ask.stage.places, item, entry)),
          hideable: undefined
        }))
      )
    )
  )

export const timeline = (ask: Ask): Answer =>
  withItem(ask, (item) => {
    const { places } = ask.stage
    const entries = item.history.map((entry) => ({
      at: Date.parse(entry.at),
      draw: () => draw(eventReply(places, item, entry)),
      hideable: undefined
    }))
    const said = item.comments.map((comment) => ({
      at: Date.parse(comment.createdAt),
      draw: () => draw(timelineCommentReply(places, item, comment)),
      hideable: comment
    }))
    return paged(
      ask,
      inOrder(
        ask.stage,
        [...entries, ...said].sort((a, b) => a.at - b.at)
      )
    )
  })
