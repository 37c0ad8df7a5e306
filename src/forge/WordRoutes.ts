/** What can be read of what people said: conversation comments, inline comments, reviews. */
import { type Answer, type Drawn, notFound, one } from "./Answer.ts"
import { type Ask, part, type Stage } from "./Ask.ts"
import { commentReply, reviewCommentReply, reviewReply } from "./ItemReplies.ts"
import { type ListingRow, paged, within } from "./Listing.ts"
import { commentIn, inlineIn, pulls, withItem, withPull } from "./Lookup.ts"
import type { Comment, InlineComment, Item, Pull, Review } from "./World.ts"

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
