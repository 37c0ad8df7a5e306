/** What starts a session and what does not: first sight, commands, edges, generations. */
import { assert, describe, it } from "@effect/vitest"
import { accepted, retried } from "../../../src/domain/decide/step.ts"
import type { Edge } from "../../../src/domain/Record.ts"
import {
  after,
  alice,
  at,
  claim,
  fail,
  generationOf,
  giveUp,
  live,
  type Look,
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

const strangers: Look = { item: { author: mallory } }
const required = policy({ control: { prefix: "/heed", requireStart: true } })

describe("first sight", () => {
  it("starts for a trusted author, with the thread behind the start", () => {
    const record = after(undefined, { comments: [word(1, "one"), word(2, "two")] })
    assert.deepStrictEqual(waitingKeys(record), ["start", "issue_comment/1", "issue_comment/2"])
    assert.strictEqual(stateOf(record), "wanted")
    assert.strictEqual(generationOf(record), 1)
  })

  it("starts a stranger's item for a trusted person who put the label on", () => {
    const record = after(undefined, {
      ...strangers,
      seen: { labelling: { label: "agent", by: alice, at: at(0) } }
    })
    assert.strictEqual(stateOf(record), "wanted")
  })

  it.each([
    ["a stranger who labelled it", { label: "agent", by: mallory, at: at(0) }],
    ["a bot of a trusted name", { label: "agent", by: robot, at: at(0) }],
    ["nobody known", { label: "agent", at: at(0) }]
  ])("does not start a stranger's item for %s, and judges that once", (_who, labelling) => {
    const record = after(undefined, { ...strangers, seen: { labelling } })
    assert.strictEqual(stateOf(record), undefined)
    assert.strictEqual(record.edge, undefined)
    assert.match(record.seen["start@default"] ?? "", /^settled: /u)
    assert.deepStrictEqual(
      tags(looked(record, { seen: { labelling: { label: "agent", by: alice, at: at(9) } } }).decisions),
      []
    )
  })

  it("leaves no record of what is closed, or was not listed", () => {
    assert.strictEqual(looked(undefined, { item: { state: "closed" } }).record, undefined)
    assert.strictEqual(looked(undefined, { listed: "unknown" }).record, undefined)
  })

  it("keeps trusted words pending on an item without a session, free", () => {
    const record = after(undefined, { ...strangers, comments: [word(1, "hm")] })
    assert.deepStrictEqual(waitingKeys(record), ["issue_comment/1"])
    const started = after(record, { ...strangers, comments: [word(1, "hm"), word(2, "/heed start")] })
    assert.deepStrictEqual(waitingKeys(started), ["start", "issue_comment/1"])
    assert.strictEqual(succeed(claim(started)).seen["issue_comment/1@default"], "baseline")
  })
})

describe("control.requireStart", () => {
  it("starts nothing before the command", () => {
    const record = after(undefined, { policy: required })
    assert.strictEqual(stateOf(record), undefined)
    const started = after(record, { policy: required, comments: [word(1, "/heed start")] })
    assert.strictEqual(stateOf(started), "wanted")
    assert.strictEqual(started.seen["issue_comment/1"], "command")
  })

  it("hears a command that was written before the first sight (traps P.29)", () => {
    const record = after(undefined, { policy: required, comments: [word(1, "/heed start")] })
    assert.strictEqual(stateOf(record), "wanted")
  })

  it("lets no stranger command", () => {
    const record = after(undefined, { policy: required, comments: [word(1, "/heed start", { by: mallory })] })
    assert.strictEqual(stateOf(record), undefined)
    assert.match(record.seen["issue_comment/1"] ?? "", /^settled: /u)
  })
})

describe("the first run", () => {
  it("holds a start until it is told, and then makes it", () => {
    const record = after(undefined, { hold: "counting" })
    assert.strictEqual(record.edge, "first sight" satisfies Edge)
    assert.strictEqual(stateOf(record), undefined)
    assert.strictEqual(stateOf(after({ ...record, held: true })), undefined)
    assert.strictEqual(stateOf(after(record)), "wanted")
  })

  const held = () => ({ ...after(undefined, { hold: "counting" }), held: true as const })

  it("starts what was held once that is accepted", () => {
    assert.strictEqual(stateOf(after(accepted(held(), "default", "start"))), "wanted")
  })

  it("starts what was taken as the baseline only by command or by a new label", () => {
    const baseline = accepted(held(), "default", "baseline")
    assert.deepStrictEqual(looked(baseline).decisions, [])
    assert.strictEqual(stateOf(after(baseline, { comments: [word(1, "/heed start")] })), "wanted")
    assert.strictEqual(stateOf(after(after(baseline, { listed: "absent" }))), "wanted")
  })

  it("lets a command through", () => {
    const record = { ...after(undefined, { hold: "counting" }), held: true as const }
    const started = after(record, { comments: [word(1, "/heed start")] })
    assert.strictEqual(stateOf(started), "wanted")
    assert.strictEqual(started.held, undefined)
    assert.strictEqual(started.edge, undefined)
  })
})

describe("closed and reopened", () => {
  const closed = () => after(live(), { item: { state: "closed" } })

  it("ends the session, and begins the next generation once it is listed again", () => {
    assert.strictEqual(stateOf(closed()), "ended")
    const reopened = after(closed())
    assert.strictEqual(stateOf(reopened), "wanted")
    assert.strictEqual(generationOf(reopened), 2)
    assert.strictEqual(reopened.endedAt, undefined)
  })

  it("repeats no old word, and gives a new one once (traps B39)", () => {
    const ended = after(live({ comments: [word(1, "old")] }), {
      comments: [word(1, "old"), word(2, "while it closed")],
      item: { state: "closed" }
    })
    const reopened = after(ended, {
      comments: [word(1, "old"), word(2, "while it closed"), word(3, "new")]
    })
    assert.deepStrictEqual(waitingKeys(reopened), ["start", "issue_comment/3"])
  })

  it("is nothing when both happened between two looks", () => {
    assert.deepStrictEqual(looked(live()).decisions, [])
  })

  it("starts nothing when it was reopened and closed again between two looks", () => {
    const record = closed()
    const again = looked(record, { item: { state: "closed" } })
    assert.deepStrictEqual(again.decisions, [])
    assert.strictEqual(again.record, record)
  })

  it("begins nothing while a run of the former session is at work, and begins once it is gone", () => {
    const atWork = claim(after(live(), { comments: [word(1, "work")] }))
    const ending = after(atWork, { comments: [word(1, "work")], item: { state: "closed" } })
    assert.strictEqual(stateOf(ending), "ending")
    const reopened = after(ending, { comments: [word(1, "work")] })
    assert.strictEqual(stateOf(reopened), "ending")
    assert.isDefined(reopened.look)
    const gone = fail(reopened)
    assert.strictEqual(stateOf(gone), "ended")
    const next = after(gone, { comments: [word(1, "work")] })
    assert.strictEqual(generationOf(next), 2)
    assert.deepStrictEqual(waitingKeys(next), ["start"])
  })

  it("counts as an edge when the reopening was seen before the listing had it", () => {
    const reopened = after(closed(), { listed: "unknown" })
    assert.strictEqual(stateOf(reopened), "ended")
    assert.strictEqual(generationOf(after(reopened)), 2)
  })
})

describe("the label", () => {
  it("is no end when it goes, and no edge when it comes back to a session at work", () => {
    const without = after(live(), { listed: "absent", item: { labels: [] } })
    assert.strictEqual(stateOf(without), "live")
    const back = after(without)
    assert.strictEqual(stateOf(back), "live")
    assert.strictEqual(generationOf(back), 1)
    assert.strictEqual(back.edge, undefined)
  })

  it("begins the next generation of a session that was stopped, once its absence was seen (traps B40)", () => {
    const stop = [word(1, "/heed stop")]
    const stopped = after(live(), { comments: stop })
    assert.strictEqual(stateOf(stopped), "ended")
    assert.deepStrictEqual(looked(stopped, { comments: stop }).decisions, [])
    const without = after(stopped, { comments: stop, listed: "absent" })
    assert.strictEqual(generationOf(after(without, { comments: stop })), 2)
  })
})

describe("a start that is given up", () => {
  const blocked = () => giveUp(after(undefined, { comments: [word(1, "one")] }))

  it("blocks the item, and leaves its comments pending and free", () => {
    assert.strictEqual(stateOf(blocked()), "blocked")
    assert.deepStrictEqual(
      blocked().waiting.map(({ attempts, key }) => [key, attempts]),
      [["issue_comment/1", 0]]
    )
    assert.deepStrictEqual(
      blocked().notices.map(({ text }) => text),
      ["start"]
    )
  })

  it("is re-armed by the next trusted comment, with all attempts", () => {
    const record = after(blocked(), { comments: [word(1, "one"), word(2, "two")] })
    assert.strictEqual(stateOf(record), "wanted")
    assert.deepStrictEqual(waitingKeys(record), ["start", "issue_comment/1", "issue_comment/2"])
    assert.strictEqual(record.waiting[0]?.attempts, 0)
    assert.deepStrictEqual(record.gaveUp, [])
  })

  it("is not re-armed by a stranger", () => {
    const comments = [word(1, "one"), word(2, "two", { by: mallory })]
    assert.strictEqual(stateOf(after(blocked(), { comments })), "blocked")
  })

  it.each([
    ["/heed start", "command alone"],
    ["/heed start and hurry", "command with words"],
    ["/heed retry", "retry alone"],
    ["/heed retry now please", "retry with words"]
  ])("is re-armed once by %s", (body) => {
    const record = after(blocked(), { comments: [word(1, "one"), word(2, body)] })
    assert.strictEqual(stateOf(record), "wanted")
    assert.strictEqual(waitingKeys(record)[0], "start")
  })

  it("is re-armed once by a newer heed and a new comment together", () => {
    const record = after(blocked(), {
      comments: [word(1, "one"), word(2, "two")],
      policy: policy({ version: "1.1.0" })
    })
    assert.deepStrictEqual(waitingKeys(record), ["start", "issue_comment/1", "issue_comment/2"])
  })

  it.each([
    ["1.0.1", "blocked"],
    ["1.10.0", "wanted"],
    ["1.9.0", "blocked"],
    ["0.10.0", "blocked"]
  ])(
    "is re-armed by a heed that is newer than the one that gave up (1.9.0), and by no other: %s",
    (version, state) => {
      const record = blocked()
      const given = { ...record, gaveUp: record.gaveUp.map((entry) => ({ ...entry, version: "1.9.0" })) }
      const later = after(given, { comments: [word(1, "one")], policy: policy({ version }) })
      assert.strictEqual(stateOf(later), state)
    }
  )

  it("comes to nothing once its session is over, whoever asks", () => {
    const closed = after(blocked(), { comments: [word(1, "one")], item: { state: "closed" } })
    const again = retried(closed, at(9000))
    assert.strictEqual(stateOf(again), "ended")
    assert.deepStrictEqual(again.waiting, [])
  })

  it("is forgotten by the next generation: a newer heed does not touch that one's start", () => {
    const closed = after(blocked(), { comments: [word(1, "one")], item: { state: "closed" } })
    const next = after(closed, { comments: [word(1, "one")] })
    assert.strictEqual(generationOf(next), 2)
    assert.deepStrictEqual(next.gaveUp, [])
    const newer = after(next, { comments: [word(1, "one")], policy: policy({ version: "1.1.0" }) })
    assert.deepStrictEqual(waitingKeys(newer), ["start"])
    assert.strictEqual(stateOf(newer), "wanted")
  })
})
