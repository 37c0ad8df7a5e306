/** Commands in comments, over restarts and edits: each acts once, whenever it was written. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Operator, Ref, Validators } from "../../src/index.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const one = { number: 1 }
const ref = Ref.make("github:memory.test/acme/app#1")
const session = (w: MemoryWorld) => Effect.map(w.record(1), (record) => record?.sessions["default"])

/** Restarts that look at the item whole, as if nothing vouched for it. */
const restarts = (w: MemoryWorld) =>
  Effect.forEach([1, 2, 3], () =>
    Effect.andThen(
      w.inState(
        Effect.flatMap(Validators, (validators) => validators.set("memory/acme/app", { pages: [], rows: {} }))
      ),
      w.once()
    )
  )

describe("a command in a comment", () => {
  it.effect("is carried out once, however often heed is restarted (traps P.28)", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* w.hands.open({})
      yield* w.once()
      yield* w.hands.comment(one, { body: "/heed stop" })
      yield* w.hands.comment(one, { body: "/heed start" })
      yield* w.hands.comment(one, { body: "/heed pause" })
      yield* w.once()
      assert.isDefined((yield* w.record(1))?.paused)
      yield* w.living(Effect.flatMap(Operator, (operator) => operator.resume(ref)))
      yield* restarts(w)
      assert.strictEqual((yield* session(w))?.generation, 2)
      assert.strictEqual((yield* session(w))?.state, "live")
      assert.isUndefined((yield* w.record(1))?.paused)
      assert.strictEqual((yield* w.events("control.command")).length, 4)
      assert.strictEqual((yield* w.received).length, 2)
    })
  )

  it.effect("does not act again when it is edited, nor does a comment that is edited into one", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* w.hands.open({})
      yield* w.once()
      const command = yield* w.hands.comment(one, { body: "/heed resume" })
      const word = yield* w.hands.comment(one, { body: "a word" })
      yield* w.once()
      yield* w.hands.editComment(one, command, "/heed stop")
      yield* w.hands.editComment(one, word, "/heed stop")
      yield* w.once()
      yield* restarts(w)
      assert.strictEqual((yield* session(w))?.state, "live")
      assert.strictEqual((yield* w.received).length, 2)
    })
  )

  it.effect("from before heed first saw the item: folded, once, with the rest of its text (traps P.29)", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* w.once()
      yield* w.hands.open({ author: "mallory" })
      yield* w.hands.comment(one, { body: "/heed start" })
      yield* w.hands.comment(one, { body: "/heed stop" })
      yield* w.hands.comment(one, { body: "/heed start and mind the gap" })
      yield* w.once()
      yield* restarts(w)
      const received = yield* w.received
      assert.strictEqual(received.length, 1)
      assert.include(received[0]?.prompt, "and mind the gap")
      assert.notInclude(received[0]?.prompt, "/heed")
      assert.strictEqual((yield* session(w))?.generation, 1)
      assert.strictEqual((yield* w.events("control.command")).length, 1)
    })
  )

  it.effect("a stop from before heed first saw the item: nothing ever starts by itself", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* w.once()
      yield* w.hands.open({})
      yield* w.hands.comment(one, { body: "/heed stop" })
      yield* w.once()
      yield* restarts(w)
      assert.deepStrictEqual(yield* w.received, [])
      assert.isUndefined(yield* session(w))
    })
  )
})
