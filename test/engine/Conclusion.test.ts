/** What a claim's end makes of a record, and of one that has another claim by now. */
import { assert, describe, it } from "@effect/vitest"
import * as Queue from "../../src/domain/queue.ts"
import { concluded, type Ended, endOf } from "../../src/engine/Conclusion.ts"
import { after, at, claim, live, policy, word } from "../domain/story.ts"

const ends: ReadonlyArray<Ended> = [
  { _tag: "Done" },
  { _tag: "Failed", why: "it broke" },
  { _tag: "NotNow", why: "later" },
  { _tag: "ConversationLost", why: "gone" },
  { _tag: "InDoubt", why: "who knows" }
]

describe("a conclusion", () => {
  const working = claim(after(live(), { comments: [word(1, "one")] }))
  const made = working.sessions["default"]?.claim

  it("takes the claim away, whatever the end", () => {
    for (const ended of ends) {
      if (made === undefined) return assert.fail("nothing is claimed")
      const record = concluded(working, "default", { claim: made, ended }, policy(), at(3000))
      assert.isUndefined(record.sessions["default"]?.claim, ended._tag)
    }
  })

  it("leaves a record alone that has another claim by now, or none", () => {
    if (made === undefined) return assert.fail("nothing is claimed")
    for (const record of [claim(Queue.withdrawn(working, "default")), Queue.withdrawn(working, "default")])
      for (const ended of ends)
        assert.strictEqual(
          concluded(record, "default", { claim: made, ended }, policy(), at(3000)),
          record,
          ended._tag
        )
  })

  it("of a conversation that is lost once more is a failure", () => {
    const lost: Ended = { _tag: "ConversationLost", why: "gone" }
    assert.strictEqual(endOf(working, "default", lost)._tag, "ConversationLost")
    const again = claim(Queue.conversationLost(working, "default"))
    assert.strictEqual(endOf(again, "default", lost)._tag, "Failed")
  })
})
