/** The comments that heed owes an item: each once, whatever fails on the way, and none for ever. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const failing = memoryWorld({ attempts: 1, answer: () => ({ _tag: "Failed", why: "exit 3" }) })
const notices = (w: MemoryWorld, number = 1) =>
  Effect.map(w.hands.comments({ number }), (comments) =>
    comments.filter(({ body }) => body.includes("<!-- heed:"))
  )

describe("notices", () => {
  it.effect("posted but not recorded, then a look that cannot read the words: not posted again", () =>
    Effect.gen(function* () {
      const w = yield* failing
      yield* w.hands.open({})
      yield* w.once()
      w.faults.post = { reason: "Unavailable", when: "after" }
      yield* w.once()
      assert.strictEqual((yield* notices(w)).length, 1)
      w.faults.post = undefined
      w.faults.wordless.add(1)
      yield* w.once()
      w.faults.wordless.clear()
      yield* w.once()
      assert.strictEqual((yield* notices(w)).length, 1)
      assert.strictEqual((yield* w.record(1))?.notices[0]?.posted, "issue_comment/1")
      assert.isUndefined((yield* w.record(1))?.look)
    })
  )

  for (const reason of ["Forbidden", "Missing", "BadAnswer"] as const) {
    it.effect(`an item that takes no comment (${reason}): said once, and not tried every cycle`, () =>
      Effect.gen(function* () {
        const w = yield* failing
        yield* w.hands.open({})
        yield* w.once()
        w.faults.post = { reason, when: "before" }
        for (let n = 0; n < 3; n += 1) yield* w.once()
        assert.notInclude(w.asked, "post 1")
        assert.strictEqual((yield* w.events("poll.item_failed")).length, 1)
      })
    )
  }

  it.effect("an item that is gone owes nothing, and can be forgotten", () =>
    Effect.gen(function* () {
      const w = yield* failing
      yield* w.hands.open({})
      yield* w.hands.open({})
      yield* w.once()
      yield* w.hands.remove({ number: 1 }, "deleted")
      yield* w.once()
      const record = yield* w.record(1)
      assert.strictEqual(record?.state, "deleted")
      assert.isDefined(record?.notices[0]?.posted)
    })
  )
})
