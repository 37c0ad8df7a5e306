/** What `/heed status` is answered, state by state. */
import { assert, describe, it } from "@effect/vitest"
import { closed, opening } from "../../src/domain/seat.ts"
import { answered, type Asking, statusText } from "../../src/engine/StatusAnswer.ts"
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
  word
} from "../domain/story.ts"

const asking: Asking = { policy: policy(), now: at(2000), slotless: new Set(), pausedAgents: new Set() }
const words = { comments: [word(1, "first"), word(2, "second")] }

describe("the answer to /heed status", () => {
  it("says why words wait, and until when", () => {
    const failed = fail(claim(after(live(), words)))
    assert.include(
      statusText(failed, asking),
      "- 2 comments wait for `default`: its last attempt failed or was put off, until 2026-11-30 12:34:20 UTC."
    )
    assert.include(
      statusText(claim(after(live(), words)), asking),
      "is live, and its agent is at work.\n- 2 comments wait for `default`: the agent is at work."
    )
    const crowded = { ...asking, slotless: new Set(["default"]) }
    assert.include(statusText(after(live(), words), crowded), "limits.sessions are at work")
    const paused = { ...asking, pausedAgents: new Set(["default"]) }
    assert.include(
      statusText(after(live(), words), paused),
      "wait for `default`: the agent fails everywhere, so that it is tried on one item every 5 minutes."
    )
    assert.include(statusText(after(undefined), crowded), "Its start waits: no agent can start now")
  })

  it("says what ends, and until when its agent has", () => {
    const ending = after(claim(after(live(), words)), { ...words, item: { state: "closed" } })
    assert.include(
      statusText(ending, asking),
      "is ending (the item is closed), and its agent has until 2026-11-30 12:17:40 UTC."
    )
  })

  it("is owed from the write that resolves the question on, so that a kill before it is posted loses nothing", () => {
    const comments = [word(1, "/heed status")]
    const { decisions, record } = looked(live(), { comments })
    const owing = record && answered(record, decisions, asking)
    assert.strictEqual(owing?.seen["issue_comment/1"], "command")
    assert.strictEqual(owing?.notices.length, 1)
    assert.isDefined(owing?.look)
  })

  it("says that words without a session have nobody", () => {
    const stopped = after(live(), { comments: [word(1, "/heed stop")] })
    const spoken = after(stopped, { comments: [word(1, "/heed stop"), word(2, "hello")] })
    assert.include(statusText(spoken, asking), "1 comment waits for `default`: there is no session")
  })

  it("repeats no word of an agent or its machine: neither why a start failed, nor how an agent left", () => {
    const blocked = giveUp(after(undefined, words))
    assert.strictEqual(stateOf(blocked), "blocked")
    const text = statusText(blocked, asking)
    assert.include(text, "- 2 comments wait for `default`: its start was given up.")
    assert.include(text, "- Given up: its start.")
    assert.notInclude(text, "exit 1")

    const by = policy({ agents: { default: plan({ onExit: "end" }) } })
    const open = succeed(claim(opening(after(undefined, { policy: by }), "default", "there")))
    const left = closed(open, "default", { _tag: "Left", why: "token abc is invalid" }, at(2000))
    assert.include(statusText(left, asking), "has ended: its agent left (onExit: end).")
  })

  it("names ten of what was given up, and counts the rest", () => {
    const comments = Array.from({ length: 1000 }, (_, index) => word(index + 1, "a word"))
    const by = policy({ attempts: 1, perItemPerHour: 2000 })
    const record = fail(claim(after(live(), { comments, policy: by }), at(1500), by), at(2000), by)
    assert.lengthOf(record.gaveUp, 1000)
    assert.match(
      statusText(record, asking),
      /`issue_comment\/10` and 990 more\. `\/heed retry` tries again\.$/u
    )
  })
})
