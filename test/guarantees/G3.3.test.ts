/** G3.3: polls and restarts in any order give one delivery per comment, and that memory is the ledger. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { repo, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

describe("G3.3", () => {
  it.live(
    "heed from cron, three times with a comment each: every word once, and each run leaves with 0",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        const one = yield* w.issue("say-title")
        for (const word of ["say-1", "say-2", "say-3"]) {
          assert.strictEqual((yield* w.run("start", "--once", "--skip-if-held")).code, 0)
          yield* w.say(one, word)
        }
        assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
        assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
        assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-1", "say-2", "say-3"])
      }).pipe(Effect.scoped)
  )

  it.live("lost caches, sweeps and edits repeat nothing; streams do not share ids", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { sweepEvery: "50ms" } })
      const pull = (yield* w.forge.openPull({ repo, title: "say-title", author: "alice", labels: ["agent"] }))
        .number
      yield* w.age
      yield* Effect.repeat(
        Effect.gen(function* () {
          assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
          rmSync(join(w.root, "validators.json"))
        }),
        { times: 1 }
      )
      const heed = yield* w.start("start")
      const edited = yield* w.say(pull, "say-comment")
      yield* w.forge.review({ repo, number: pull, by: "alice", state: "COMMENTED", body: "say-review" })
      yield* w.forge.inlineComment({ repo, number: pull, by: "alice", body: "say-inline" })
      yield* w.age
      for (const word of ["say-comment", "say-review", "say-inline"]) yield* w.untilGiven(word)
      yield* w.forge.editComment({ repo, number: pull, id: edited, body: "say-comment say-edited" })
      yield* w.forge.touch({ repo, number: pull })
      yield* w.untilListed(4)
      yield* w.untilQuiet
      yield* heed.stop
      rmSync(join(w.root, "validators.json"))
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      assert.deepStrictEqual([...w.agent.words(item(pull))].sort(), [
        "say-comment",
        "say-inline",
        "say-review",
        "say-title"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("no thread is too long: 150 comments in one second, on pages that hide some at first", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { perItemPerHour: 1000 } })
      const one = yield* w.issue("say-title")
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      yield* w.forge.configure({ maxPerPage: 40, since: "exclusive" })
      const words = Array.from({ length: 150 }, (_, n) => `say-${n}`)
      const late = yield* w.forge.comment({ repo, number: one, by: "alice", body: "say-late", hiddenFor: 2 })
      for (const body of words) yield* w.forge.comment({ repo, number: one, by: "alice", body })
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-149")
      yield* w.untilGiven("say-late")
      yield* w.age
      yield* w.untilListed(3)
      yield* w.untilQuiet
      yield* heed.stop
      const given = w.agent.words(item(one))
      assert.deepStrictEqual(
        given.filter((word) => word !== "say-late"),
        ["say-title", ...words]
      )
      assert.strictEqual(given.filter((word) => word === "say-late").length, 1, String(late.id))
    }).pipe(Effect.scoped)
  )

  it.live("an item in two sources is one item, also once the source that found it is gone", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const both = [w.source({ name: "a", label: "agent" }), w.source({ name: "b", label: "also" })]
      yield* w.configure({ sources: both })
      const one = yield* w.issue("say-title")
      yield* w.forge.label({ repo, number: one, label: "also" })
      yield* w.age
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.say(one, "say-1")
      yield* w.untilGiven("say-1")
      yield* w.untilListed(4)
      // Whichever source is left: words still arrive once, and the end is still seen.
      for (const [left, word] of [
        [1, "say-2"],
        [0, "say-3"]
      ] as const) {
        yield* w.configure({ sources: both.slice(left, left + 1) })
        yield* w.untilEvent("config.reloaded", () => true, left === 1 ? 1 : 2)
        yield* w.say(one, word)
        yield* w.untilGiven(word)
      }
      yield* w.untilQuiet
      yield* heed.stop
      // It ends before the source that is left has looked at it again.
      yield* w.configure({ sources: both.slice(1) })
      yield* w.forge.close({ repo, number: one, by: "alice" })
      const last = yield* w.start("start")
      yield* w.untilState(one, "ended")
      yield* last.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-1", "say-2", "say-3"])
    }).pipe(Effect.scoped)
  )
})
