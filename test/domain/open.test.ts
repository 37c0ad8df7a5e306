/** Sessions that stay open, in the record: where they sit, what is left of them, what goes on (G3.2, G4.2). */
import { assert, describe, it } from "@effect/vitest"
import type { AgentPlan } from "../../src/domain/Agent.ts"
import * as Queue from "../../src/domain/queue.ts"
import * as Seat from "../../src/domain/seat.ts"
import type { ItemRecord } from "../../src/domain/Record.ts"
import { after, at, claim, giveUp, plan, policy, stateOf, succeed, waitingKeys, word } from "./story.ts"

const agents = (change: Partial<AgentPlan>) => policy({ agents: { default: plan(change) } })

/** A live session that is open: its start was claimed once it sat there. */
const open = (change: Partial<AgentPlan> = {}): ItemRecord =>
  succeed(claim(Seat.opening(after(undefined, { policy: agents(change) }), "default", "here")))

const closed = (record: ItemRecord, _tag: Seat.Leaving["_tag"], now = at(2000)) =>
  Seat.closed(record, "default", { _tag, why: "it is gone" }, now)

const session = (record: ItemRecord) => record.sessions["default"]

describe("a session that stays open", () => {
  it("is live where it sits, with nothing claimed", () => {
    assert.include(session(open()), { state: "live", seat: "here" })
    assert.notProperty(session(open()), "moving")
    assert.notProperty(session(open()), "claim")
  })

  it("waits for the next words when its agent left", () => {
    const record = closed(open(), "Left")
    assert.include(session(record), { state: "live", why: "it is gone" })
    assert.notProperty(session(record), "seat")
    assert.deepStrictEqual(waitingKeys(record), [])
  })

  it("has ended when its agent left and onExit says so", () => {
    assert.strictEqual(stateOf(closed(open({ onExit: "end" }), "Left")), "ended")
  })

  it("has not ended when heed itself was just opening or parking it", () => {
    const record = open({ onExit: "end" })
    const parking = Seat.parking(record, "default", "idle")
    assert.strictEqual(stateOf(closed(parking, "Left")), "live")
    const opening = Seat.opening(closed(parking, "Left"), "default", "there")
    assert.strictEqual(stateOf(closed(opening, "Left")), "live")
  })

  it("goes on at once when what held it was lost, before the words that wait, and with them", () => {
    const words = after(open(), { comments: [word(1, "one"), word(2, "two")] })
    const lost = closed(words, "Lost")
    assert.deepStrictEqual(waitingKeys(lost), ["resume", "issue_comment/1", "issue_comment/2"])
    assert.isDefined(lost.look)
    const again = claim(Seat.opening(lost, "default", "there"))
    assert.deepStrictEqual(session(again)?.claim?.members, ["resume", "issue_comment/1", "issue_comment/2"])
    const record = succeed(again)
    assert.deepStrictEqual(waitingKeys(record), [])
    assert.notProperty(record.seen, "resume@default")
    assert.strictEqual(record.handed.length, 2)
  })

  it("goes on alone without coalesce, and whatever the hour's allowance", () => {
    const by = policy({ ...agents({ coalesce: false }), perItemPerHour: 1 })
    const words = after(open({ coalesce: false }), { comments: [word(1, "one")], policy: by })
    const used = succeed(claim(words, at(2000), by))
    const lost = closed(after(used, { comments: [word(1, "one"), word(2, "two")], policy: by }), "Lost")
    const resumed = claim(lost, at(2001), by)
    assert.deepStrictEqual(session(resumed)?.claim?.members, ["resume"])
  })

  it("is lost once, however often that is noticed", () => {
    const lost = closed(closed(open(), "Lost"), "Lost")
    assert.deepStrictEqual(waitingKeys(lost), ["resume"])
  })

  it("that could not be resumed is given up like anything else, and its session is live without it", () => {
    const record = giveUp(closed(open(), "Lost"))
    assert.deepStrictEqual(
      record.gaveUp.map(({ key }) => key),
      ["resume"]
    )
    assert.strictEqual(stateOf(record), "live")
    assert.notProperty(record.seen, "resume@default")
  })

  it("with its item's end is ending until nothing of it is open", () => {
    const over = after(open(), { item: { state: "closed" } })
    assert.include(session(over), { state: "ending", seat: "here" })
    assert.isDefined(session(over)?.endBy)
    const record = closed(over, "Left")
    assert.strictEqual(stateOf(record), "ended")
    assert.notProperty(session(record), "endBy")
  })

  it("keeps ending when what was claimed turns out to have been handed over, or never to have been", () => {
    const claimed = claim(after(open(), { comments: [word(1, "one")] }))
    const over = after(claimed, { comments: [word(1, "one")], item: { state: "closed" } })
    const heard = succeed(over)
    assert.include(session(heard), { state: "ending", seat: "here" })
    assert.strictEqual(heard.seen["issue_comment/1@default"], "handed over")
    const unheard = Queue.withdrawn(over, "default")
    assert.include(session(unheard), { state: "ending", seat: "here" })
    assert.deepStrictEqual(waitingKeys(unheard), [])
  })

  it("is followed by the next generation only once nothing of it is open (G4.2)", () => {
    const over = after(open(), { item: { state: "closed" } })
    const reopened = after(over, {})
    assert.include(session(reopened), { generation: 1, state: "ending" })
    assert.isDefined(reopened.look)
    const gone = closed(reopened, "Left")
    assert.include(session(after(gone, {})), { generation: 2, state: "wanted" })
  })
})
