/** What is kept of an item that ended long ago. */
import { assert, describe, it } from "@effect/vitest"
import { forgotten } from "../../src/domain/forget.ts"
import { after, at, claim, generationOf, live, looked, stateOf, succeed, waitingKeys, word } from "./story.ts"

const day = 86_400_000
const first = word(1, "one")
const closed = () => after(live({ comments: [first] }), { item: { state: "closed" }, now: at(3000) })

describe("forgotten", () => {
  it("leaves a record as it is until it has been over for long enough", () => {
    const record = closed()
    assert.strictEqual(forgotten(record, at(3000), day), record)
    assert.strictEqual(forgotten(record, at(3000 + day / 1000), day), record)
    assert.deepStrictEqual(forgotten(record, at(3001 + day / 1000), day).seen, {})
  })

  it("never forgets what is at work, or an item that is open", () => {
    const working = claim(after(live(), { comments: [word(2, "two")] }))
    const ending = after(working, { item: { state: "closed" }, now: at(3000) })
    assert.strictEqual(stateOf(ending), "ending")
    assert.strictEqual(forgotten(ending, at(9e6), day), ending)
    const open = live()
    assert.strictEqual(forgotten(open, at(9e6), day), open)
  })

  it("is forgotten once: a tombstone stays the same", () => {
    const tombstone = forgotten(closed(), at(9e6), day)
    assert.strictEqual(forgotten(tombstone, at(9e7), day), tombstone)
  })

  it("knows the generation, and a reopened item hears only what is new", () => {
    const tombstone = forgotten(closed(), at(9e6), day)
    const fresh = word(9_000_001, "and now this")
    const { record } = looked(tombstone, { comments: [first, fresh], now: at(9_000_010) })
    assert.isDefined(record)
    if (record === undefined) return
    assert.strictEqual(generationOf(record), 2)
    assert.deepStrictEqual(waitingKeys(record), ["start", "issue_comment/9000001"])
    const again = after(succeed(claim(record)), { item: { state: "closed" }, now: at(9_100_000) })
    assert.deepStrictEqual(forgotten(again, at(9e7), day).seen, {})
  })
})
