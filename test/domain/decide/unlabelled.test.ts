/** A label that is taken off: work begun goes on, or ends where its source says so, and only on an absence that was seen. */
import { assert, describe, it } from "@effect/vitest"
import {
  after,
  at,
  claim,
  generationOf,
  live,
  type Look,
  looked,
  mallory,
  stateOf,
  succeed,
  tags,
  waitingKeys,
  word
} from "../story.ts"

const off: Look = { listed: "absent", onUnlabel: "stop", item: { labels: [] } }
const on: Look = { onUnlabel: "stop" }

describe("onUnlabel: stop", () => {
  it("ends the session, and settles what waits for it", () => {
    const { decisions, record } = looked(live(), { ...off, comments: [word(1, "and this")] })
    assert.include(tags(decisions), "End")
    assert.deepStrictEqual(record && waitingKeys(record), [])
    assert.strictEqual(record?.sessions["default"]?.state, "ended")
    assert.strictEqual(record?.sessions["default"]?.why, "its label was taken off")
    assert.strictEqual(record?.seen["issue_comment/1@default"], "settled: its label was taken off")
  })

  it("lets a claimed hand-over finish", () => {
    const atWork = claim(after(live(), { comments: [word(1, "work")] }))
    const ending = after(atWork, { ...off, comments: [word(1, "work")] })
    assert.strictEqual(stateOf(ending), "ending")
    assert.strictEqual(succeed(ending).seen["issue_comment/1@default"], "handed over")
  })

  it("ends nothing while no complete listing has said so, nor where the source keeps", () => {
    for (const doubt of [
      { ...off, listed: "unknown" as const },
      { ...off, onUnlabel: "keep" as const }
    ]) {
      assert.strictEqual(stateOf(after(live(), doubt)), "live")
    }
  })

  it("and labelled again: the next generation, with what was written in between, and nothing twice", () => {
    const comments = [word(1, "before"), word(2, "between")]
    const ended = after(live({ comments: comments.slice(0, 1) }), { ...off, comments: comments.slice(0, 1) })
    const between = after(ended, { ...off, comments })
    assert.deepStrictEqual(waitingKeys(between), ["issue_comment/2"])
    const again = after(between, { ...on, comments })
    assert.strictEqual(generationOf(again), 2)
    assert.deepStrictEqual(waitingKeys(again), ["start", "issue_comment/2"])
  })

  it("refuses /heed start while the label is off, and takes back one that has not begun yet", () => {
    const ended = after(live(), off)
    const refused = looked(ended, { ...off, comments: [word(1, "/heed start")] })
    assert.deepInclude(refused.decisions[0], { _tag: "Refuse", command: "start" })
    assert.strictEqual(refused.record?.sessions["default"]?.generation, 1)

    const atWork = claim(after(live(), { comments: [word(1, "work")] }))
    const comments = [word(1, "work"), word(2, "/heed stop"), word(3, "/heed start")]
    const commanded = after(atWork, { ...on, comments })
    assert.strictEqual(commanded.edge, "commanded")
    const letGo = after(commanded, { ...off, comments })
    assert.strictEqual(letGo.edge, undefined)
    assert.strictEqual(generationOf(after(succeed(letGo, at(3000)), { ...off, comments })), 1)
  })

  it("starts again by the label alone where whoever puts it on is trusted", () => {
    const stranger = { item: { author: mallory, labels: [] } }
    const ended = after(live(), { ...off, ...stranger })
    assert.strictEqual(generationOf(after(ended, { ...on, item: { author: mallory } })), 1)
    const labelling = { label: "agent", by: word(1, "").author ?? mallory, at: at(900) }
    const again = after(ended, { ...on, item: { author: mallory }, seen: { labelling } })
    assert.strictEqual(generationOf(again), 2)
  })
})
