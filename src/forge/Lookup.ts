/** Finds what a request names in its repository: an item by its number, a word by its id. */
import { type Answer, notFound } from "./Answer.ts"
import { type Ask, part } from "./Ask.ts"
import type { Item, Pull, Repo } from "./World.ts"

/** Answers for the item that the path names first. */
export const withItem = (ask: Ask, answer: (item: Item) => Answer): Answer => {
  const item = ask.repo.items.get(Number(part(ask, 0)))
  return item === undefined ? notFound : answer(item)
}

export const withPull = (ask: Ask, answer: (item: Item, pull: Pull) => Answer): Answer =>
  withItem(ask, (item) => (item.pull === undefined ? notFound : answer(item, item.pull)))

export const pulls = (repo: Repo) =>
  [...repo.items.values()].flatMap((item) => (item.pull === undefined ? [] : [{ item, pull: item.pull }]))

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
