/** `/heed status` on an item: one answer for each question, whatever fails on the way, and nobody else is told anything. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ref } from "../../src/index.ts"
import { Operator } from "../../src/engine/Operator.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const one = { number: 1 }
const answers = (w: MemoryWorld) =>
  Effect.map(w.hands.comments(one), (comments) =>
    comments.flatMap(({ body }) => (body.includes("<!-- heed:status-") ? [body] : []))
  )

describe("/heed status", () => {
  it.effect("is answered once, also over restarts and a lost answer, and no agent hears of it", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* w.hands.open({})
      yield* w.once()
      yield* w.hands.comment(one, { body: "/heed status" })
      w.faults.post = { reason: "Unavailable", when: "after" }
      yield* w.once()
      w.faults.post = undefined
      for (let n = 0; n < 3; n += 1) yield* w.once()
      const told = yield* answers(w)
      assert.strictEqual(told.length, 1)
      assert.include(told[0], "The session of `default` (generation 1) is live, and listens.")
      assert.deepStrictEqual((yield* w.record(1))?.handed, [])
      assert.strictEqual((yield* w.received).length, 1)
      assert.isUndefined((yield* w.record(1))?.look)
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.once()
      assert.strictEqual((yield* answers(w)).length, 2)
    })
  )

  it.effect("says what waits and why, what was given up and who paused, and quotes nothing", () =>
    Effect.gen(function* () {
      let how: "Done" | "NotNow" | "Failed" = "Done"
      const w = yield* memoryWorld({
        attempts: 1,
        answer: () => (how === "Done" ? { _tag: how } : { _tag: how, why: "a secret of the agent's" })
      })
      yield* w.hands.open({})
      yield* w.once()
      how = "Failed"
      yield* w.hands.comment(one, { body: "words of somebody" })
      yield* w.once()
      how = "NotNow"
      yield* w.hands.comment(one, { body: "more words" })
      yield* w.once()
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.once()
      yield* w.hands.comment(one, { body: "/heed pause" })
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.once()
      const [before = "", paused = ""] = yield* answers(w)
      assert.include(before, "1 comment waits for `default`")
      assert.include(before, "Given up: `issue_comment/1`. `/heed retry` tries again.")
      assert.notInclude(before, "Paused")
      assert.include(paused, "Paused by alice since")
      for (const text of [before, paused]) {
        assert.notInclude(text, "secret")
        assert.notInclude(text, "words")
      }
    })
  )

  it.effect("in the thread from before heed saw the item: one answer, which knows of the start", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ answer: () => ({ _tag: "NotNow", why: "busy" }) })
      yield* w.once()
      yield* w.hands.open({})
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.hands.comment(one, { body: "a word" })
      yield* w.hands.comment(one, { body: "/heed status" })
      for (let n = 0; n < 3; n += 1) yield* w.once()
      const told = yield* answers(w)
      assert.strictEqual(told.length, 1)
      assert.include(told[0], "The session of `default` (generation 1) is to be started.")
      assert.include(told[0], "1 comment waits for `default`")
    })
  )

  it.effect("on an item without a session says why there is none", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* w.hands.open({ author: "mallory" })
      yield* w.once()
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.once()
      assert.include((yield* answers(w))[0], "No session: neither its author nor who labelled it")
      yield* w.hands.comment(one, { body: "/heed start" })
      yield* w.once()
      yield* w.living(
        Effect.flatMap(Operator, (operator) => operator.stop(Ref.make("github:memory.test/acme/app#1")))
      )
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.once()
      assert.include((yield* answers(w))[1], "(generation 1) has ended: stopped by heed sessions stop.")
    })
  )

  it.effect("on an item whose start is held says what it waits for", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ firstRun: 0 })
      yield* w.hands.open({})
      yield* w.once()
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.once()
      assert.include((yield* answers(w))[0], "No session yet: held: it belongs to a backlog")
    })
  )

  it.effect("of a stranger gets nothing", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* w.hands.open({})
      yield* w.hands.comment(one, { by: "mallory", body: "/heed status" })
      yield* w.once()
      yield* w.hands.comment(one, { by: "mallory", body: "/heed status" })
      for (let n = 0; n < 2; n += 1) yield* w.once()
      assert.deepStrictEqual(yield* answers(w), [])
    })
  )

  it.effect("asks, and changes nothing: a start that was given up stays so", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ attempts: 1, answer: () => ({ _tag: "Failed", why: "exit 3" }) })
      yield* w.hands.open({})
      yield* w.once()
      yield* w.hands.comment(one, { body: "/heed status" })
      yield* w.once()
      assert.strictEqual((yield* w.record(1))?.sessions["default"]?.state, "blocked")
      assert.include((yield* answers(w))[0], "is blocked: its start was given up")
    })
  )
})
