/** What a look may conclude from what it saw, and what it must leave open (G4.1, G5.1). */
import { assert, describe, it } from "@effect/vitest"
import { applyGone } from "../../../src/domain/decide/apply.ts"
import { decideGone } from "../../../src/domain/decide/decide.ts"
import { Ref } from "../../../src/domain/Ref.ts"
import {
  after,
  alice,
  at,
  claim,
  heed,
  live,
  looked,
  mallory,
  policy,
  robot,
  stateOf,
  succeed,
  tags,
  waitingKeys,
  word
} from "../story.ts"

describe("whose words are heard", () => {
  it("only those of access.users, folded as the tracker folds, whoever opened the item (traps P.30)", () => {
    const comments = [
      word(1, "yes", { by: { ...alice, login: "ALICE" } }),
      word(2, "no", { by: mallory }),
      word(3, "no", { by: "ghost" }),
      word(4, "no", { by: robot }),
      word(5, "no", { by: { ...mallory, login: "alice", principal: "alice " } }),
      word(6, "own", { by: heed }),
      word(7, " \n\t ")
    ]
    const record = after(live(), { comments, item: { author: mallory } })
    assert.deepStrictEqual(waitingKeys(record), ["issue_comment/1"])
    assert.strictEqual(record.seen["issue_comment/6"], "own")
    for (const id of [2, 3, 4, 5, 7]) assert.match(record.seen[`issue_comment/${id}`] ?? "", /^settled: /u)
  })

  it("nobody's while access is empty (traps P.8)", () => {
    const record = after(undefined, {
      comments: [word(1, "x"), word(2, "y", { by: "ghost" })],
      policy: policy({ trusted: {} })
    })
    assert.deepStrictEqual(record.waiting, [])
    assert.deepStrictEqual(record.sessions, {})
  })
})

describe("streams", () => {
  it("have ids of their own (traps B09)", () => {
    const three = { complete: true }
    const seen = { streams: { issue_comment: three, review: three, review_comment: three } }
    const heard = live({ comments: [word(9000, "seen", { createdAt: at(1) })], seen })
    const review = word(42, "review", { stream: "review" })
    const inline = word(500, "inline", { stream: "review_comment" })
    const same = word(9000, "another", { stream: "review_comment" })
    const record = after(heard, { comments: [review, inline, same], seen })
    assert.deepStrictEqual(waitingKeys(record), ["review/42", "review_comment/500", "review_comment/9000"])
  })

  it("that could not be read to their end ask for another look, and nothing vanishes", () => {
    const record = after(live(), { comments: [word(1, "x")] })
    const partial = { streams: { issue_comment: { complete: false } } }
    const cut = looked(record, { seen: partial })
    assert.deepStrictEqual(tags(cut.decisions), ["Wait"])
    assert.isDefined(cut.record?.look)
    assert.deepStrictEqual(cut.record && waitingKeys(cut.record), ["issue_comment/1"])
    assert.strictEqual(looked(cut.record, { seen: partial }).record, cut.record)
    const since = { streams: { issue_comment: { complete: true, since: at(0) } } }
    assert.deepStrictEqual(waitingKeys(after(record, { seen: since })), ["issue_comment/1"])
    assert.deepStrictEqual(waitingKeys(after(record)), [])
  })

  it("that were written a moment ago do not vanish: another server may not have them yet", () => {
    const record = after(live(), { comments: [word(1500, "x")], seen: { at: at(1500) } })
    const missed = (seconds: number) => after(record, { seen: { at: at(seconds) } })
    assert.deepStrictEqual(waitingKeys(missed(1501)), ["issue_comment/1500"])
    assert.deepStrictEqual(waitingKeys(missed(1560)), ["issue_comment/1500"])
    assert.deepStrictEqual(waitingKeys(missed(1561)), [])
  })

  it("that become readable later are baselined up to the last complete look", () => {
    const both = { streams: { issue_comment: { complete: true }, review: { complete: true } }, at: at(3000) }
    const comments = [word(900, "before", { stream: "review" }), word(1500, "after", { stream: "review" })]
    const record = after(live(), { comments, seen: both })
    assert.deepStrictEqual(waitingKeys(record), ["review/1500"])
    assert.strictEqual(record.seen["review/900@default"], "baseline")
  })

  it("that merely failed at first are not baselined: nobody was told what is in them", () => {
    const failing = { streams: { issue_comment: { complete: true }, review: { complete: false } } }
    const whole = { streams: { issue_comment: { complete: true }, review: { complete: true } }, at: at(3000) }
    const started = succeed(claim(after(undefined, { seen: failing })))
    const record = after(started, { comments: [word(900, "before", { stream: "review" })], seen: whole })
    assert.deepStrictEqual(waitingKeys(record), ["review/900"])
  })

  it("do not count as read where a look did not go back far enough", () => {
    const record = live()
    const gap = { streams: { issue_comment: { complete: true, since: at(1500) } }, at: at(3000) }
    const after1 = after(record, { comments: [word(2000, "x")], seen: gap })
    assert.strictEqual(after1.read["issue_comment"], at(1000))
    assert.isDefined(after1.look)
  })
})

describe("an edit", () => {
  it("repeats no word (traps B11, B18)", () => {
    const heard = succeed(claim(after(live(), { comments: [word(1, "typo")] })))
    const edited = [word(1, "fixed", { updatedAt: at(999) })]
    assert.strictEqual(
      looked(heard, { now: at(3000), comments: edited, item: { updatedAt: at(999) } }).record,
      heard
    )
  })
})

describe("an end", () => {
  it.each(["listed", "absent", "unknown"] as const)("is not seen in an open item that is %s", (listed) => {
    const record = after(live(), { comments: [word(1, "x")] })
    assert.notInclude(tags(looked(record, { comments: [word(1, "x")], listed }).decisions), "End")
  })

  it("settles what waits, threads without a session included", () => {
    const thread = after(undefined, { comments: [word(1, "x")], item: { author: mallory } })
    const closed = after(thread, { comments: [word(1, "x")], item: { author: mallory, state: "closed" } })
    assert.deepStrictEqual(closed.waiting, [])
    assert.isDefined(closed.endedAt)
  })

  it("of an item that is gone is told once", () => {
    const judging = { policy: policy(), now: at(5000) }
    const record = after(live(), { comments: [word(1, "x")] })
    const gone = applyGone(judging, record, "deleted", decideGone(record, "deleted"))
    assert.strictEqual(stateOf(gone), "ended")
    assert.deepStrictEqual(gone.waiting, [])
    assert.deepStrictEqual(decideGone(gone, "deleted"), [])
    assert.strictEqual(applyGone(judging, gone, "deleted", []), gone)
  })

  it("takes back an edge that nobody has judged", () => {
    const held = after(undefined, { hold: "counting" })
    assert.strictEqual(after(held, { item: { state: "closed" } }).edge, undefined)
  })
})

describe("names", () => {
  it("may change; the item stays, and remembers them", () => {
    const ref = Ref.make("github:github.com/acme/web#12")
    const moved = after(live(), { item: { ref, repo: "acme/web" }, scope: "acme/web" })
    assert.strictEqual(moved.ref, ref)
    assert.deepStrictEqual(moved.aliases, [Ref.make("github:github.com/acme/app#12")])
    assert.strictEqual(stateOf(moved), "live")
    assert.strictEqual(moved.scope, "acme/web")
  })

  it("of source and scope follow where it belongs now, and nothing else does", () => {
    const elsewhere = { source: "other", scope: "acme/web" }
    const { decisions, record } = looked(live(), elsewhere)
    assert.deepStrictEqual(decisions, [])
    assert.strictEqual(record?.source, "other")
    assert.strictEqual(record?.scope, "acme/web")
    assert.strictEqual(looked(record, elsewhere).record, record)
  })
})

describe("an agent that the configuration no longer names", () => {
  it("starts nothing, and what waits for it waits", () => {
    const nobody = policy({ agents: {} })
    const record = after(undefined, { policy: nobody, comments: [word(1, "x")] })
    assert.strictEqual(record.edge, "first sight")
    assert.strictEqual(looked(record, { policy: nobody, comments: [word(1, "x")] }).record, record)
    assert.strictEqual(stateOf(after(record, { comments: [word(1, "x")] })), "wanted")
  })
})
