/** The queue of a session: what goes next, and what each outcome makes of it (G3.2, G3.4; traps B85, P.25). */
import { assert, describe, it } from "@effect/vitest"
import * as Queue from "../../src/domain/queue.ts"
import {
  after,
  at,
  claim,
  fail,
  giveUp,
  live,
  looked,
  plan,
  policy,
  stateOf,
  succeed,
  tags,
  waitingKeys,
  word
} from "./story.ts"

const one = word(1, "one")
const two = word(2, "two")
const three = word(3, "three")

const next = (record: ReturnType<typeof live>, now = at(2000), by = policy()) =>
  Queue.next(record, "default", by, now)

const members = (record: ReturnType<typeof live>, now = at(2000), by = policy()) => {
  const found = next(record, now, by)
  return found._tag === "Ready" ? found.candidate.members.map(({ key }) => key) : []
}

describe("what goes next", () => {
  it("is all that waits, in order of writing whichever was seen first", () => {
    const record = after(after(live(), { comments: [three] }), { comments: [one, two, three] })
    assert.deepStrictEqual(members(record), ["issue_comment/1", "issue_comment/2", "issue_comment/3"])
  })

  it("orders words of one second by stream and number, not by when they were seen (traps B10)", () => {
    const second = { createdAt: at(5) }
    const later = after(live(), { comments: [word(12, "b", second)] })
    const record = after(later, { comments: [word(9, "a", second), word(12, "b", second)] })
    assert.deepStrictEqual(members(record), ["issue_comment/9", "issue_comment/12"])
  })

  it("is one word at a time without coalesce", () => {
    const single = policy({ agents: { default: plan({ coalesce: false }) } })
    const started = succeed(claim(after(undefined, { policy: single })))
    const record = after(started, { comments: [one, two], policy: single })
    assert.deepStrictEqual(members(record), ["issue_comment/1"])
    const failed = fail(claim(record), at(2000))
    assert.strictEqual(next(failed)._tag, "Held")
    assert.deepStrictEqual(members(failed, at(2060)), ["issue_comment/1"])
    assert.deepStrictEqual(members(succeed(claim(failed, at(2060)))), ["issue_comment/2"])
  })

  it("is nothing while a hand-over is at work", () => {
    const record = after(claim(after(live(), { comments: [one] })), { comments: [one, two] })
    assert.strictEqual(next(record)._tag, "Held")
    assert.deepStrictEqual(members(succeed(record)), ["issue_comment/2"])
  })
})

describe("the baseline (traps B16)", () => {
  it("is exactly what the prompt of the confirmed start held", () => {
    const failed = fail(claim(after(undefined, { comments: [one, two] })))
    const record = after(failed, { comments: [one, two, three] })
    const done = succeed(claim(record, at(2060)))
    assert.deepStrictEqual(done.waiting, [])
    assert.strictEqual(done.seen["issue_comment/3@default"], "baseline")
    const short = succeed(
      after(claim(after(undefined, { comments: [one, two] })), { comments: [one, two, three] })
    )
    assert.deepStrictEqual(members(short), ["issue_comment/3"])
  })
})

describe("a failed attempt", () => {
  it("is spent by each member, and the next takes newcomers too, not before its time", () => {
    const failed = fail(claim(after(live(), { comments: [one] })), at(2000))
    const record = after(failed, { comments: [one, two], now: at(2001) })
    assert.deepStrictEqual(next(record, at(2059)), {
      _tag: "Held",
      why: "its last attempt failed or was put off",
      until: at(2060)
    })
    assert.deepStrictEqual(members(record, at(2060)), ["issue_comment/1", "issue_comment/2"])
    const again = fail(claim(record, at(2060)), at(2060))
    assert.deepStrictEqual(
      again.waiting.map(({ attempts }) => attempts),
      [2, 1]
    )
    assert.strictEqual(next(again, at(2359))._tag, "Held")
    assert.strictEqual(next(again, at(2360))._tag, "Ready")
  })

  it("gives up a word that has none left, alone and loudly", () => {
    let record = fail(claim(after(live(), { comments: [one] })), at(2000))
    record = after(record, { comments: [one, two] })
    for (const now of [at(3000), at(4000)]) record = fail(claim(record, now), now)
    assert.strictEqual(record.seen["issue_comment/1@default"], "gave up")
    assert.deepStrictEqual(
      record.waiting.map(({ attempts, key }) => [key, attempts]),
      [["issue_comment/2", 2]]
    )
    assert.strictEqual(record.notices.length, 1)
    assert.isDefined(record.look)
    assert.strictEqual(stateOf(record), "live")
  })

  it("is not spent by an agent that is not ready, a claim given back, or a lost conversation", () => {
    let record = after(live(), { comments: [one] })
    for (let round = 0; round < 100; round += 1) {
      const now = at(2000 + round * 100)
      record = Queue.putOff(claim(record, now), "default", at(2090 + round * 100))
      record = Queue.withdrawn(claim(record, at(2095 + round * 100)), "default")
      record = Queue.withdrawn(record, "default")
    }
    record = Queue.conversationLost(claim(record, at(20_000)), "default")
    assert.deepStrictEqual(
      record.waiting.map(({ attempts }) => attempts),
      [0]
    )
  })

  it("names the folder of its try anew, whatever the former one came to", () => {
    const record = after(live(), { comments: [one] })
    const first = claim(record)
    const second = claim(Queue.withdrawn(first, "default"))
    assert.strictEqual(second.sessions["default"]?.claim?.id, first.sessions["default"]?.claim?.id)
    assert.strictEqual(
      second.sessions["default"]?.claim?.try,
      1 + (first.sessions["default"]?.claim?.try ?? 0)
    )
  })
})

describe("a claim in doubt", () => {
  it("goes once more, spends nothing, and may repeat until a run has succeeded", () => {
    const doubted = Queue.inDoubt(claim(after(live(), { comments: [one] })), "default")
    assert.deepStrictEqual(members(doubted), ["issue_comment/1"])
    assert.strictEqual(doubted.waiting[0]?.attempts, 0)
    assert.strictEqual(doubted.sessions["default"]?.mayRepeat, true)
    const again = claim(doubted)
    assert.strictEqual(again.sessions["default"]?.claim?.try, 1 + (doubted.sessions["default"]?.tries ?? 0))
    assert.strictEqual(fail(again).sessions["default"]?.mayRepeat, true)
    assert.notProperty(succeed(again).sessions["default"], "mayRepeat")
  })

  it("is settled where its session ends", () => {
    const ending = after(claim(after(live(), { comments: [one] })), {
      comments: [one],
      item: { state: "closed" }
    })
    assert.strictEqual(stateOf(ending), "ending")
    const over = Queue.inDoubt(ending, "default")
    assert.strictEqual(stateOf(over), "ended")
    assert.deepStrictEqual(over.waiting, [])
  })
})

describe("what was given up", () => {
  const gaveUp = () => giveUp(after(live(), { comments: [one] }))

  it("is tried again by a newer heed, last and marked late", () => {
    const comments = [one, two]
    const record = after(gaveUp(), { comments, policy: policy({ version: "1.10.0" }) })
    assert.deepStrictEqual(
      record.waiting.map(({ attempts, key, late }) => [key, attempts, late]),
      [
        ["issue_comment/2", 0, undefined],
        ["issue_comment/1", 0, true]
      ]
    )
    const more = after(record, { comments: [...comments, three], policy: policy({ version: "1.10.0" }) })
    assert.deepStrictEqual(waitingKeys(more), ["issue_comment/2", "issue_comment/3", "issue_comment/1"])
  })

  it.each(["1.0.0", "0.9.10"])("is left alone by heed %s", (version) => {
    assert.deepStrictEqual(
      tags(looked(gaveUp(), { comments: [one], policy: policy({ version }) }).decisions),
      []
    )
  })

  it("is vanished, once and for all, when it was deleted before it was re-armed", () => {
    const newer = { comments: [], policy: policy({ version: "2.0.0" }) }
    const record = after(gaveUp(), newer)
    assert.strictEqual(record.seen["issue_comment/1@default"], "vanished")
    assert.strictEqual(looked(record, newer).record, record)
  })

  it("waits for nobody once its session was stopped", () => {
    const comments = [one, word(2, "/heed stop")]
    const newer = policy({ version: "2.0.0" })
    assert.deepStrictEqual(looked(after(gaveUp(), { comments }), { comments, policy: newer }).decisions, [])
  })

  it("waits for nobody once the item has ended", () => {
    const newer = policy({ version: "2.0.0" })
    const closed = { comments: [one], item: { state: "closed" as const } }
    const record = after(gaveUp(), closed)
    assert.deepStrictEqual(looked(record, { ...closed, policy: newer }).decisions, [])
  })
})

describe("an ending session", () => {
  const ending = () =>
    after(claim(after(live(), { comments: [one] })), { comments: [one], item: { state: "closed" } })

  it.each([
    ["failed", (record: ReturnType<typeof live>) => fail(record)],
    ["was put off", (record: ReturnType<typeof live>) => Queue.putOff(record, "default", at(9000))],
    ["lost its conversation", (record: ReturnType<typeof live>) => Queue.conversationLost(record, "default")],
    ["was never sent", (record: ReturnType<typeof live>) => Queue.withdrawn(record, "default")]
  ])("is gone once its run %s, and retries nothing", (_how, outcome) => {
    const record = outcome(ending())
    assert.strictEqual(stateOf(record), "ended")
    assert.strictEqual(record.sessions["default"]?.claim, undefined)
    assert.strictEqual(record.sessions["default"]?.endBy, undefined)
    assert.deepStrictEqual(record.waiting, [])
    assert.match(record.seen["issue_comment/1@default"] ?? "", /^settled: /u)
  })

  it("takes in a run that succeeded", () => {
    const record = succeed(ending())
    assert.strictEqual(stateOf(record), "ended")
    assert.strictEqual(record.seen["issue_comment/1@default"], "handed over")
  })
})

describe("the grace of a run whose item has ended", () => {
  it("is what is left until its end, never less than nothing and never more than the whole", () => {
    const session = { plan: plan({ endGrace: 60_000 }), endBy: at(2060) }
    assert.strictEqual(Queue.graceLeft(session, at(2000)), 60_000)
    assert.strictEqual(Queue.graceLeft(session, at(2059)), 1000)
    assert.strictEqual(Queue.graceLeft(session, at(9000)), 0)
    assert.strictEqual(Queue.graceLeft(session, at(-9000)), 60_000, "the clock was set back")
  })
})

describe("limits.perItemPerHour", () => {
  const few = policy({ perItemPerHour: 2 })
  const comments = [one, two, three]

  it("hands over as many as the hour allows, then pauses until somebody resumes", () => {
    const record = after(live(), { comments, policy: few })
    assert.deepStrictEqual(members(record, at(2000), few), ["issue_comment/1", "issue_comment/2"])
    const used = succeed(claim(record, at(2000), few), at(2000))
    assert.isTrue(Queue.floods(used, "default", few, at(2001)))
    const paused = Queue.flooded(used, few, at(2001), "too many")
    assert.strictEqual(next(paused, at(9000), few)._tag, "Held")
    const resumed = after(paused, { comments: [...comments, word(4, "/heed resume")], policy: few })
    assert.isFalse(Queue.floods(resumed, "default", few, at(2002)))
    assert.deepStrictEqual(members(resumed, at(2002), few), ["issue_comment/3"])
  })

  it("counts no word that was handed over later than now, by a clock that has been set back since", () => {
    const used = succeed(claim(after(live(), { comments, policy: few }), at(9000), few), at(9000))
    assert.isFalse(Queue.floods(used, "default", few, at(2001)))
    assert.deepStrictEqual(members(used, at(2001), few), ["issue_comment/3"])
  })

  it("counts an hour and no longer", () => {
    const used = succeed(claim(after(live(), { comments, policy: few }), at(2000), few), at(2000))
    assert.isTrue(Queue.floods(used, "default", few, at(5599)))
    assert.isFalse(Queue.floods(used, "default", few, at(5600)))
  })
})
