/**
 * The people of a chapter: they write, edit, close, reopen and relabel items of a forge, as chance has it, and know what
 * is due of what they wrote.
 */
import * as Effect from "effect/Effect"
import type { Forge } from "../../src/forge/Forge.ts"
import type { Due, Posted, Received, Written } from "./compare.ts"
import type { Random } from "./random.ts"
import { failure, nap } from "./sinks.ts"

export const repo = "acme/app"
const label = "agent"
const stranger = "mallory"

interface Item {
  readonly number: number
  readonly key: string
  isOpen: boolean
  isLabelled: boolean
}

interface Word {
  readonly token: string
  readonly item: Item
  readonly id: number
  readonly round: number
  body: string
  due: Due
}

export interface PeopleOptions {
  readonly forge: Forge["Service"]
  readonly random: Random
  readonly received: () => ReadonlyArray<Received>
  readonly failures: "told" | "unknown"
}

/** Opens the first items, each labelled by alice, whom heed trusts. */
export const make = Effect.fn("knife.people")(function* (options: PeopleOptions) {
  const { failures, forge, random, received } = options
  const items: Array<Item> = []
  const words: Array<Word> = []
  /** Comments that were given to an agent that was told to fail. */
  const failing: Array<Word> = []
  let round = 0

  const open = Effect.fn("knife.open")(function* () {
    const { number } = yield* forge.openIssue({
      repo,
      title: "Something to do",
      author: "alice",
      labels: [label]
    })
    items.push({ number, key: `${repo}#${number}`, isOpen: true, isLabelled: true })
  })
  for (let count = 0; count < 5; count++) yield* open()
  const [patient] = items

  /** Old enough that heed need not look again for what came in the same second. */
  const age = forge.advanceClock({ millis: 20_000 })

  const write = Effect.fn("knife.write")(function* (item: Item, by: "alice" | typeof stranger, more = "") {
    const token = `${by === "alice" ? "say" : "alien"}-${words.length + 1}`
    const body = `Please see to ${token}. ${more}`
    const { id } = yield* forge.comment({ repo, number: item.number, by, body })
    const due = by === stranger ? "never" : item.isOpen ? "once" : "at most once"
    const word: Word = { token, item, id, body, due, round }
    words.push(word)
    return word
  })

  const say = Effect.suspend(() => {
    const item = random.pick(items)
    const more = random.chance(0.15) ? nap((1 + random.below(8)) / 5) : ""
    return item === undefined ? Effect.void : write(item, "alice", more)
  })

  const hasSession = (item: Item) => received().some(({ item: key }) => key === item.key)

  /** Says something that its agent fails at: it is given up, and the item is owed a comment that says so. */
  const provoke = Effect.suspend(() => {
    if (patient === undefined) return Effect.void
    // In the prompt of a start it would be the start that fails.
    if (failures === "unknown" || !hasSession(patient)) return write(patient, "alice")
    return Effect.map(write(patient, "alice", failure), (word) => void failing.push(word))
  })

  const close = (item: Item) =>
    Effect.gen(function* () {
      yield* forge.close({ repo, number: item.number, by: "alice" })
      item.isOpen = false
      const arrived = new Set(received().flatMap((handOver) => handOver.words))
      // What waits when an item ends is settled, unless a hand-over has it already.
      for (const word of words) {
        if (word.item === item && word.due === "once" && !arrived.has(word.token)) word.due = "at most once"
      }
    })

  const reopen = (item: Item) =>
    Effect.gen(function* () {
      yield* forge.reopen({ repo, number: item.number, by: "alice" })
      item.isOpen = true
    })

  const relabel = (item: Item) =>
    Effect.gen(function* () {
      const change = { repo, number: item.number, by: "alice", label }
      yield* item.isLabelled ? forge.unlabel(change) : forge.label(change)
      item.isLabelled = !item.isLabelled
    })

  const edit = Effect.suspend(() => {
    const word = random.pick(words.filter(({ due }) => due !== "never"))
    if (word === undefined) return Effect.void
    word.body += " Mind the typo."
    return forge.editComment({ repo, number: word.item.number, id: word.id, body: word.body })
  })

  /** One of them does something. */
  const act: Effect.Effect<void> = Effect.suspend((): Effect.Effect<unknown> => {
    const other = random.pick(items.filter((item) => item !== patient))
    const chance = random.fraction()
    if (other === undefined || chance < 0.66) return say
    if (chance < 0.72) return write(other, stranger)
    if (chance < 0.78) return edit
    if (chance < 0.84) return relabel(other)
    if (chance < 0.92) return other.isOpen ? (chance < 0.87 ? close(other) : say) : reopen(other)
    if (chance < 0.94) return items.length < 9 ? open() : say
    return provoke
  }).pipe(Effect.andThen(Effect.suspend(() => (random.chance(0.7) ? age : Effect.void))))

  /** Everything open and labelled: what is due can arrive. */
  const settle = Effect.gen(function* () {
    for (const item of items) {
      if (!item.isOpen) yield* reopen(item)
      if (!item.isLabelled) yield* relabel(item)
    }
    yield* age
  })

  /** What heed posted: each names the comment, or the start, that it is about. */
  const posted = Effect.gen(function* () {
    const found: Array<Posted> = []
    for (const item of items) {
      for (const { body } of yield* forge.comments({ repo, number: item.number })) {
        const about = /^The comment `(?:[a-z_]+\/)?(\d+)` did not get through/u.exec(body)?.[1]
        if (about !== undefined) found.push({ item: item.key, about })
        else if (body.includes("could not be started here"))
          found.push({ item: item.key, about: "its start" })
      }
    }
    return found
  })

  return {
    act,
    /** Something new for an agent, on an item that takes it. */
    say: Effect.andThen(say, age),
    provoke: Effect.andThen(provoke, age),
    settle,
    posted,
    beginRound: (number: number) => {
      round = number
    },
    written: (): ReadonlyArray<Written> =>
      words.map(({ due, item, round, token }) => ({ token, item: item.key, due, round })),
    items: (): ReadonlyArray<string> => items.map(({ key }) => key),
    owed: (): ReadonlyArray<Posted> => failing.map(({ id, item }) => ({ item: item.key, about: String(id) }))
  }
})
export type People = Effect.Success<ReturnType<typeof make>>
