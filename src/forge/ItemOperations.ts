/** Operations on issues and pull requests. */
import * as Schema from "effect/Schema"
import * as Moves from "./Moves.ts"
import { actor, byFields, itemFields, Nothing, operation, type Operation } from "./Operation.ts"
import type { Forgery } from "./Wire.ts"
import type { Account, Item } from "./World.ts"

const Opened = Schema.Struct({ number: Schema.Int, id: Schema.Int })

const newItemFields = {
  repo: Schema.String,
  title: Schema.String,
  body: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The repository's owner when nobody is named. */
  author: Schema.optionalKey(Schema.String),
  labels: Schema.optionalKey(Schema.Array(Schema.String)),
  /** For how many listings it is not to be seen yet. */
  hiddenFor: Schema.optionalKey(Schema.Int)
}

/** Opens an issue, labelled by its author. */
export const openIssue = operation(Schema.Struct(newItemFields), Opened, (forgery, made) => {
  const { world } = forgery.stage
  const repo = world.repo(made.repo)
  const item = Moves.open(world, repo, {
    title: made.title,
    body: made.body ?? null,
    author: actor(forgery, repo, made.author),
    labels: made.labels ?? [],
    pull: undefined
  })
  item.hiddenFor = made.hiddenFor ?? 0
  return { number: item.number, id: item.id }
})

/** Opens a pull request, from a fork when `headRepo` names one. */
export const openPull = operation(
  Schema.Struct({
    ...newItemFields,
    headRepo: Schema.optionalKey(Schema.String),
    headRef: Schema.optionalKey(Schema.String),
    draft: Schema.optionalKey(Schema.Boolean)
  }),
  Opened,
  (forgery, made) => {
    const { world } = forgery.stage
    const repo = world.repo(made.repo)
    const item = Moves.open(world, repo, {
      title: made.title,
      body: made.body ?? null,
      author: actor(forgery, repo, made.author),
      labels: made.labels ?? [],
      pull: {
        headRepo: world.repo(made.headRepo ?? made.repo),
        headRef: made.headRef ?? "change",
        draft: made.draft ?? false
      }
    })
    item.hiddenFor = made.hiddenFor ?? 0
    return { number: item.number, id: item.id }
  }
)

const found = (forgery: Forgery, { repo, number }: { readonly repo: string; readonly number: number }) =>
  forgery.stage.world.item(repo, number)

const ByWhom = Schema.Struct({ ...itemFields, ...byFields })

/** An operation on one item by somebody, without further detail. */
const act = (
  move: (forgery: Forgery, item: Item, by: Account) => void
): Operation<typeof ByWhom.Type, null> =>
  operation(ByWhom, Nothing, (forgery, input) => {
    const item = found(forgery, input)
    move(forgery, item, actor(forgery, item.repo, input.by))
    return null
  })

/** Closes an item; a closed one stays as it is. */
export const close = operation(
  Schema.Struct({
    ...itemFields,
    ...byFields,
    reason: Schema.optionalKey(Schema.Literals(["completed", "not_planned"]))
  }),
  Nothing,
  (forgery, input) => {
    const item = found(forgery, input)
    Moves.close(forgery.stage.world, item, actor(forgery, item.repo, input.by), input.reason)
    return null
  }
)

/** Opens a closed item again. */
export const reopen = act(({ stage }, item, by) => Moves.reopen(stage.world, item, by))
/** Merges a pull request, which closes it. */
export const merge = act(({ stage }, item, by) => Moves.merge(stage.world, item, by))
/** Deletes an item: 410 from now on, 404 below it. */
export const deleteIssue = act((_, item) => Moves.destroy(item))
/** Closes and locks an item whose talk goes on elsewhere. */
export const convertToDiscussion = act(({ stage }, item, by) =>
  Moves.convertToDiscussion(stage.world, item, by)
)
/** Closes the conversation to all who cannot write. */
export const lock = act(({ stage }, item, by) => Moves.setLocked(stage.world, item, by, "locked"))
/** Opens a locked conversation. */
export const unlock = act(({ stage }, item, by) => Moves.setLocked(stage.world, item, by, "unlocked"))

const Labelled = Schema.Struct({ ...itemFields, ...byFields, label: Schema.String })

/** Puts a label on; one that is on already changes nothing. */
export const label = operation(Labelled, Nothing, (forgery, input) => {
  const item = found(forgery, input)
  Moves.label(forgery.stage.world, item, input.label, actor(forgery, item.repo, input.by))
  return null
})

/** Takes a label off. */
export const unlabel = operation(Labelled, Nothing, (forgery, input) => {
  const item = found(forgery, input)
  Moves.unlabel(forgery.stage.world, item, input.label, actor(forgery, item.repo, input.by))
  return null
})

/** Changes title or body. */
export const edit = operation(
  Schema.Struct({
    ...itemFields,
    ...byFields,
    title: Schema.optionalKey(Schema.String),
    body: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  Nothing,
  (forgery, input) => {
    const { world } = forgery.stage
    const item = found(forgery, input)
    if (input.title !== undefined) {
      Moves.retitle(world, item, input.title, actor(forgery, item.repo, input.by))
    }
    if (input.body !== undefined) Moves.rewrite(world, item, input.body)
    return null
  }
)

/** Puts a new commit on a pull request's head. */
export const push = operation(
  Schema.Struct(itemFields),
  Schema.Struct({ sha: Schema.String }),
  (forgery, input) => ({ sha: Moves.push(forgery.stage.world, found(forgery, input)) })
)

/** Moves `updated_at` and changes nothing else. */
export const touch = operation(Schema.Struct(itemFields), Nothing, (forgery, input) => {
  forgery.stage.world.touch(found(forgery, input))
  return null
})

/** Moves an issue to another repository: its old address redirects, those below it are 404. */
export const transferIssue = operation(
  Schema.Struct({ ...itemFields, ...byFields, to: Schema.String }),
  Schema.Struct({ number: Schema.Int }),
  (forgery, input) => {
    const { world } = forgery.stage
    const item = found(forgery, input)
    const by = actor(forgery, item.repo, input.by)
    return { number: Moves.transfer(world, item, world.repo(input.to), by).number }
  }
)

/** Leaves the item out of the next `listings` listings that it belongs to. */
export const hideItem = operation(
  Schema.Struct({ ...itemFields, listings: Schema.Int }),
  Nothing,
  (forgery, input) => {
    found(forgery, input).hiddenFor = input.listings
    return null
  }
)
