/** What a clock that was set back leaves of a record's times: nothing waits longer than its own longest delay. */
import { assert, describe, it } from "@effect/vitest"
import type { ItemRecord } from "../../../src/domain/Record.ts"
import { after, at, claim, fail, live, plan, policy, word } from "../story.ts"

const day = 86_400
const failed = () =>
  fail(claim(after(live(), { comments: [word(1, "x")], now: at(3000) }), at(3000)), at(3000))
const look = (record: ItemRecord, seconds: number) =>
  after(record, { now: at(seconds), comments: [word(1, "x")] })
const notBefore = (record: ItemRecord) => record.waiting[0]?.notBefore
const endBy = (record: ItemRecord) => record.sessions["default"]?.endBy

describe("a record whose clock was set back", () => {
  it("puts off what failed by the longest delay of its policy, and no longer", () => {
    const record = failed()
    assert.strictEqual(notBefore(record), at(3060))
    assert.strictEqual(notBefore(look(record, 3000 - 365 * day)), at(3000 - 365 * day + 300))
  })

  it("keeps a delay that may be its own, and is then the very same record", () => {
    const record = failed()
    assert.strictEqual(look(record, 2900), record)
  })

  it("gives a run whose item has ended its grace once more, and no longer", () => {
    const closed = after(claim(after(live(), { comments: [word(1, "x")] })), {
      now: at(3000),
      item: { state: "closed" }
    })
    assert.strictEqual(endBy(closed), at(3060))
    const before = 3000 - 365 * day
    const seen = after(closed, { now: at(before), item: { state: "closed" } })
    assert.strictEqual(endBy(seen), at(before + plan().endGrace / 1000))
    assert.strictEqual(after(closed, { now: at(3059), item: { state: "closed" } }), closed)
  })

  it("counts no word as this hour's that is handed over only later", () => {
    const record = live({ comments: [word(1, "x")] })
    const heard = { ...record, handed: [at(100), at(2000), at(9000)] }
    assert.deepStrictEqual(after(heard, { now: at(2000) }).handed, [at(100), at(2000)])
  })

  it("has an agent that says not now asked again within a minute, where there is no delay at all", () => {
    const record = failed()
    const impatient = policy({ retryAfter: [] })
    const seen = after(record, { now: at(0), comments: [word(1, "x")], policy: impatient })
    assert.strictEqual(notBefore(seen), at(60))
  })
})
