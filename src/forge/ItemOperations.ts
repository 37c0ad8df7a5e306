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
  labels: Schema.optionalKey(Schema.Array(Schema.String))
}

export const openIssue = operation(Schema.Struct(newItemFields), Opened, (forgery, made) => {
  const { world } = forgery.stage
  const repo = world.repo(made.repo)
  const { number, id } = Moves.open(world, repo, {
    title: made.title,
    body: made.body ?? null,
    author: actor(forgery, repo, made.author),
    labels: made.labels ?? [],
    pull: undefined
  })
  return { number, id }
})

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
    const { number, id } = Moves.open(world, repo, {
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
    return { number, id }
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

export const reopen = act(({ stage }, item, by) => Moves.reopen(stage.world, item, by))
export const merge = act(({ stage }, item, by) => Moves.merge(stage.world, item, by))
export const deleteIssue = act((_, item) => Moves.destroy(item))
export const convertToDiscussion = act(({ stage }, item, by) =>
  Moves.convertToDiscussion(stage.world, item, by)
)
export const lock = act(({ stage }, item, by) => Moves.setLocked(stage.world, item, by, "locked"))
export const unlock = act(({ stage }, item, by) => Moves.setLocked(stage.world, item, by, "unlocked"))

const Labelled = Schema.Struct({ ...itemFields, ...byFields, label: Schema.String })

export const label = operation(Labelled, Nothing, (forgery, input) => {
  const item = found(forgery, input)
  Moves.label(forgery.stage.world, item, input.label, actor(forgery, item.repo, input.by))
  return null
})

export const unlabel = operation(Labelled, Nothing, (forgery, input) => {
  const item = found(forgery, input)
  Moves.unlabel(forgery.stage.world, item, input.label, actor(forgery, item.repo, input.by))
  return null
})

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

export const push = operation(
  Schema.Struct(itemFields),
  Schema.Struct({ sha: Schema.String }),
  (forgery, input) => ({ sha: Moves.push(forgery.stage.world, found(forgery, input)) })
)

export const touch = operation(Schema.Struct(itemFields), Nothing, (forgery, input) => {
  forgery.stage.world.touch(found(forgery, input))
  return null
})

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
