/** The order in which words are seen, and how looks are cut, changes nothing about what becomes of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Comment } from "../../../src/domain/Item.ts"
import type { ItemRecord } from "../../../src/domain/Record.ts"
import { after, alice, at, giveUp, heed, live, mallory, robot, word } from "../story.ts"

const people = { alice, mallory, robot, heed, ghost: "ghost" as const }
const streams = ["issue_comment", "review", "review_comment"] as const

const Said = Schema.Struct({
  by: Schema.Literals(["alice", "mallory", "robot", "heed", "ghost"]),
  body: Schema.Literals(["go on", "", "/triage it"]),
  stream: Schema.Literals(streams),
  second: Schema.Literals([101, 102, 103, 104]),
  /** The look that brings it first. */
  look: Schema.Literals([0, 1, 2]),
  /** Its place within that look. */
  place: Schema.Literals([0, 1, 2, 3, 4, 5])
})

const Thread = Schema.Array(Said)

const reading = { complete: true, since: at(0) }
const readings = { issue_comment: reading, review: reading, review_comment: reading }

/** Items as they are before: each with its streams read, so that no stream is new. */
const beginnings: Record<"none" | "live" | "blocked" | "unstarted", () => ItemRecord | undefined> = {
  none: () => undefined,
  live: () => live({ seen: { streams: readings } }),
  blocked: () => giveUp(after(undefined, { seen: { streams: readings } })),
  unstarted: () => after(undefined, { item: { author: mallory }, seen: { streams: readings } })
}

const see = (record: ItemRecord | undefined, comments: ReadonlyArray<Comment>): ItemRecord =>
  after(record, {
    comments,
    item: { author: record?.sessions["default"] ? alice : mallory },
    seen: { streams: readings }
  })

describe("the order of looks", () => {
  it.effect.prop(
    "is no part of the record",
    { thread: Thread, beginning: Schema.Literals(["none", "live", "blocked", "unstarted"]) },
    ({ beginning, thread }) =>
      Effect.sync(() => {
        const words = thread.map((said, index) => ({
          said,
          comment: word(index + 9, said.body, {
            by: people[said.by],
            stream: said.stream,
            createdAt: at(said.second)
          })
        }))
        const cuts = [0, 1, 2].map((look) =>
          words
            .filter(({ said }) => said.look === look)
            .sort((a, b) => a.said.place - b.said.place)
            .map(({ comment }) => comment)
        )
        const before = beginnings[beginning]()
        const bySteps = cuts.reduce<ItemRecord | undefined>(see, before)
        const atOnce = see(
          before,
          words.map(({ comment }) => comment)
        )
        assert.deepStrictEqual(bySteps, atOnce)
        const everything = see(bySteps, words.map(({ comment }) => comment).reverse())
        assert.strictEqual(everything, bySteps)
      }),
    { arbitrary: { runs: 400, size: 12 } }
  )
})
