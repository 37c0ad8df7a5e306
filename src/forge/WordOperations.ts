/** Operations on what people say: comments, reviews and inline comments. */
import * as Schema from "effect/Schema"
import * as Moves from "./Moves.ts"
import { actor, byFields, itemFields, Nothing, operation } from "./Operation.ts"
import { ForgeMisuse, type Item, type Word } from "./World.ts"

const Said = Schema.Struct({ id: Schema.Int })

const Hidden = { hiddenFor: Schema.optionalKey(Schema.Int) }

/** Comments on an item; `hiddenFor` listings do not show it yet. */
export const comment = operation(
  Schema.Struct({ ...itemFields, ...byFields, ...Hidden, body: Schema.String }),
  Said,
  (forgery, input) => {
    const { world } = forgery.stage
    const item = world.item(input.repo, input.number)
    const made = Moves.comment(world, item, actor(forgery, item.repo, input.by), input.body)
    made.hiddenFor = input.hiddenFor ?? 0
    return { id: made.id }
  }
)

const ReviewState = Schema.Literals(["PENDING", "COMMENTED", "APPROVED", "CHANGES_REQUESTED"])

/** Reviews a pull request; `PENDING` is shown to its author alone. */
export const review = operation(
  Schema.Struct({
    ...itemFields,
    ...byFields,
    ...Hidden,
    state: ReviewState,
    body: Schema.optionalKey(Schema.String)
  }),
  Said,
  (forgery, input) => {
    const { world } = forgery.stage
    const item = world.item(input.repo, input.number)
    const by = actor(forgery, item.repo, input.by)
    const made = Moves.review(world, item, by, input.state, input.body ?? "")
    made.hiddenFor = input.hiddenFor ?? 0
    return { id: made.id }
  }
)

/** Submits a pending review. */
export const submitReview = operation(
  Schema.Struct({ ...itemFields, id: Schema.Int, state: ReviewState }),
  Nothing,
  ({ stage: { world } }, input) => {
    const item = world.item(input.repo, input.number)
    const review = item.pull?.reviews.find(({ id }) => id === input.id)
    if (review === undefined) throw new ForgeMisuse(`No review ${input.id} on #${input.number}.`)
    Moves.submitReview(world, item, review, input.state)
    return null
  }
)

/** Comments on a line of a pull request. */
export const inlineComment = operation(
  Schema.Struct({
    ...itemFields,
    ...byFields,
    ...Hidden,
    body: Schema.String,
    path: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    replyTo: Schema.optionalKey(Schema.Int)
  }),
  Said,
  (forgery, input) => {
    const { world } = forgery.stage
    const item = world.item(input.repo, input.number)
    const made = Moves.inlineComment(world, item, actor(forgery, item.repo, input.by), {
      body: input.body,
      path: input.path ?? "README.md",
      line: input.line ?? 1,
      replyTo: input.replyTo
    })
    made.hiddenFor = input.hiddenFor ?? 0
    return { id: made.id }
  }
)

/** Streams have ids of their own, so the stream is named too; `issue_comment` unless said otherwise. */
const wordFields = {
  ...itemFields,
  id: Schema.Int,
  stream: Schema.optionalKey(Schema.Literals(["issue_comment", "review", "review_comment"]))
}

const wordOf = (item: Item, input: { readonly id: number; readonly stream?: Word["stream"] }): Word => {
  const words: ReadonlyArray<Word> = [
    ...item.comments,
    ...(item.pull?.reviews ?? []),
    ...(item.pull?.inline ?? [])
  ]
  const stream = input.stream ?? "issue_comment"
  const word = words.find((word) => word.stream === stream && word.id === input.id)
  if (word === undefined) throw new ForgeMisuse(`No ${stream} ${input.id} on #${item.number}.`)
  return word
}

/** Changes a word's text. */
export const editComment = operation(
  Schema.Struct({ ...wordFields, body: Schema.String }),
  Nothing,
  ({ stage: { world } }, input) => {
    const item = world.item(input.repo, input.number)
    Moves.editWord(world, item, wordOf(item, input), input.body)
    return null
  }
)

/** Removes a word. */
export const deleteComment = operation(Schema.Struct(wordFields), Nothing, ({ stage: { world } }, input) => {
  const item = world.item(input.repo, input.number)
  Moves.deleteWord(world, item, wordOf(item, input))
  return null
})

/** Leaves the word out of the next `listings` listings that it belongs to. */
export const hideComment = operation(
  Schema.Struct({ ...wordFields, listings: Schema.Int }),
  Nothing,
  ({ stage: { world } }, input) => {
    wordOf(world.item(input.repo, input.number), input).hiddenFor = input.listings
    return null
  }
)

/** The conversation as it stands, for whoever wants to see what was posted. */
export const comments = operation(
  Schema.Struct(itemFields),
  Schema.Array(Schema.Struct({ id: Schema.Int, login: Schema.String, body: Schema.String })),
  ({ stage: { world } }, input) =>
    world
      .item(input.repo, input.number)
      .comments.map(({ id, author, body }) => ({ id, login: author.login, body }))
)
