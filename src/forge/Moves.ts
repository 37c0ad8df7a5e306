/** The moves that both the API and the controls make: what an act changes in the world, without who may do it. */
import {
  type Account,
  type Comment,
  folded,
  ForgeMisuse,
  type InlineComment,
  type Item,
  nameOf,
  type Repo,
  type Review,
  type Word,
  type World
} from "./World.ts"

export interface NewItem {
  readonly title: string
  readonly body: string | null
  readonly author: Account
  readonly labels: ReadonlyArray<string>
  readonly pull: { readonly headRepo: Repo; readonly headRef: string; readonly draft: boolean } | undefined
}

export const open = (world: World, repo: Repo, made: NewItem): Item => {
  const number = repo.lastNumber + 1
  repo.lastNumber = number
  const at = world.clock.stamp()
  const item: Item = {
    version: 0,
    hiddenFor: 0,
    id: world.next("item"),
    repo,
    number,
    title: made.title,
    body: made.body,
    author: made.author,
    labels: [],
    state: "open",
    stateReason: null,
    locked: false,
    createdAt: at,
    updatedAt: at,
    closedAt: undefined,
    closedBy: undefined,
    touched: world.next("touch"),
    comments: [],
    history: [],
    pull:
      made.pull === undefined
        ? undefined
        : {
            id: world.next("pull"),
            headRepo: made.pull.headRepo,
            headRef: made.pull.headRef,
            headSha: world.commit(),
            baseRef: "main",
            draft: made.pull.draft,
            mergedAt: undefined,
            mergedBy: undefined,
            reviews: [],
            inline: []
          }
  }
  repo.items.set(number, item)
  for (const name of made.labels) label(world, item, name, made.author)
  return item
}

/** Puts a label on; one that is there already changes nothing. */
export const label = (world: World, item: Item, name: string, by: Account): void => {
  const added = world.label(item.repo, name)
  if (item.labels.includes(added)) return
  item.labels.push(added)
  world.record(item, by, "labeled", { label: added })
  world.touch(item)
}

/** Takes a label off and says whether it was there. */
export const unlabel = (world: World, item: Item, name: string, by: Account): boolean => {
  const removed = item.labels.find((label) => folded(label.name) === folded(name))
  if (removed === undefined) return false
  item.labels = item.labels.filter((label) => label !== removed)
  world.record(item, by, "unlabeled", { label: removed })
  world.touch(item)
  return true
}

export const close = (
  world: World,
  item: Item,
  by: Account,
  reason: "completed" | "not_planned" = "completed"
): void => {
  if (item.state === "closed") return
  item.state = "closed"
  item.stateReason = item.pull === undefined ? reason : null
  item.closedAt = world.clock.stamp()
  item.closedBy = by
  world.record(item, by, "closed")
  world.touch(item)
}

export const reopen = (world: World, item: Item, by: Account): void => {
  if (item.state === "open") return
  if (item.pull?.mergedAt !== undefined) throw new ForgeMisuse("A merged pull request cannot be reopened.")
  item.state = "open"
  item.stateReason = item.pull === undefined ? "reopened" : null
  item.closedAt = undefined
  item.closedBy = undefined
  world.record(item, by, "reopened")
  world.touch(item)
}

export const merge = (world: World, item: Item, by: Account): void => {
  if (item.pull === undefined) throw new ForgeMisuse(`#${item.number} is no pull request.`)
  if (item.state === "closed") throw new ForgeMisuse(`#${item.number} is closed.`)
  item.pull.mergedAt = world.clock.stamp()
  item.pull.mergedBy = by
  world.record(item, by, "merged")
  close(world, item, by)
}

export const retitle = (world: World, item: Item, title: string, by: Account): void => {
  if (item.title === title) return
  world.record(item, by, "renamed", { rename: { from: item.title, to: title } })
  item.title = title
  world.touch(item)
}

export const rewrite = (world: World, item: Item, body: string | null): void => {
  if (item.body === body) return
  item.body = body
  world.touch(item)
}

export const comment = (world: World, item: Item, author: Account, body: string): Comment => {
  const at = world.clock.stamp()
  const made: Comment = {
    stream: "issue_comment",
    version: 0,
    hiddenFor: 0,
    id: world.next("issue_comment"),
    author,
    body,
    createdAt: at,
    updatedAt: at
  }
  item.comments.push(made)
  world.touch(item)
  return made
}

const pullOf = (item: Item) => {
  if (item.pull === undefined) throw new ForgeMisuse(`#${item.number} is no pull request.`)
  return item.pull
}

/** A pending review is a draft that nobody but its author sees: it does not move the pull request. */
export const review = (
  world: World,
  item: Item,
  author: Account,
  state: Review["state"],
  body: string
): Review => {
  const made: Review = {
    stream: "review",
    version: 0,
    hiddenFor: 0,
    id: world.next("review"),
    author,
    body,
    state,
    submittedAt: state === "PENDING" ? undefined : world.clock.stamp()
  }
  pullOf(item).reviews.push(made)
  if (state !== "PENDING") world.touch(item)
  return made
}

export const submitReview = (world: World, item: Item, review: Review, state: Review["state"]): void => {
  if (review.state !== "PENDING") throw new ForgeMisuse(`Review ${review.id} is not pending.`)
  review.state = state
  review.submittedAt = world.clock.stamp()
  review.version += 1
  world.touch(item)
}

export const inlineComment = (
  world: World,
  item: Item,
  author: Account,
  made: {
    readonly body: string
    readonly path: string
    readonly line: number
    readonly replyTo: number | undefined
  }
): InlineComment => {
  const at = world.clock.stamp()
  const comment: InlineComment = {
    stream: "review_comment",
    version: 0,
    hiddenFor: 0,
    id: world.next("review_comment"),
    author,
    ...made,
    createdAt: at,
    updatedAt: at
  }
  pullOf(item).inline.push(comment)
  world.touch(item)
  return comment
}

/** A new commit on the pull request's head. */
export const push = (world: World, item: Item): string => {
  const pull = pullOf(item)
  pull.headSha = world.commit()
  for (const word of [...pull.inline, ...pull.reviews]) word.version += 1
  world.touch(item)
  return pull.headSha
}

/** Moves an issue with its words to another repository; the old number redirects there. */
export const transfer = (world: World, item: Item, to: Repo, by: Account): Item => {
  if (item.pull !== undefined) throw new ForgeMisuse("A pull request cannot be transferred.")
  if (to === item.repo) throw new ForgeMisuse(`${nameOf(to)} is where the issue is.`)
  const moved = open(world, to, {
    title: item.title,
    body: item.body,
    author: item.author,
    labels: [],
    pull: undefined
  })
  moved.labels = item.labels.map((label) => world.label(to, label.name))
  moved.comments.push(...item.comments)
  moved.history.push(...item.history)
  for (const word of moved.comments) word.version += 1
  world.record(moved, by, "transferred")
  world.touch(moved)
  item.repo.items.delete(item.number)
  item.repo.gone.set(item.number, { _tag: "Transferred", repo: to, number: moved.number })
  return moved
}

export const destroy = (item: Item): void => {
  item.repo.items.delete(item.number)
  item.repo.gone.set(item.number, { _tag: "Deleted" })
}

/** The issue stays readable, closed and locked, while its talk goes on elsewhere. */
export const convertToDiscussion = (world: World, item: Item, by: Account): void => {
  close(world, item, by)
  item.locked = true
  world.record(item, by, "converted_to_discussion")
  world.touch(item)
}

/** Changes a word's text; the same text changes nothing. A review has no time of its own that would move. */
export const editWord = (world: World, item: Item, word: Word, body: string): void => {
  if (word.body === body) return
  word.body = body
  word.version += 1
  if (word.stream !== "review") word.updatedAt = world.clock.stamp()
  world.touch(item)
}

export const deleteWord = (world: World, item: Item, word: Word): void => {
  const remove = <A>(words: Array<A>, index: number) => {
    if (index >= 0) words.splice(index, 1)
  }
  remove(
    item.comments,
    item.comments.findIndex((other) => other === word)
  )
  if (item.pull !== undefined) {
    remove(
      item.pull.inline,
      item.pull.inline.findIndex((other) => other === word)
    )
    remove(
      item.pull.reviews,
      item.pull.reviews.findIndex((other) => other === word)
    )
  }
  world.touch(item)
}

export const setLocked = (world: World, item: Item, by: Account, to: "locked" | "unlocked"): void => {
  const locked = to === "locked"
  if (item.locked === locked) return
  item.locked = locked
  world.record(item, by, to)
  world.touch(item)
}
