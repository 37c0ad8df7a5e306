/** NormalizedEvents: every event that is built satisfies its schema, and the schema lets nothing else pass. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { eventJsonSchema } from "../../../src/config/JsonSchema.ts"
import { firstSightEvent, wordEvent } from "../../../src/domain/decide/events.ts"
import { NormalizedEvent } from "../../../src/domain/Event.ts"
import { alice, at, item, mallory, word } from "../story.ts"

const change = {
  id: 7,
  headRepo: "mallory/app",
  baseRepo: "acme/app",
  headRef: "fix",
  baseRef: "main",
  headSha: "0a1b2c",
  authorId: mallory.id,
  isFork: true
}

const decode = (value: unknown) =>
  Schema.decodeUnknownExit(NormalizedEvent)(value, { onExcessProperty: "error" })

/** What an agent or a route reads: the event as it comes out of its JSON. */
const asRead = (event: NormalizedEvent): unknown => JSON.parse(JSON.stringify(event))

const passes = (event: NormalizedEvent) => {
  assert.deepStrictEqual(decode(asRead(event)), Exit.succeed(event))
}

describe("an event", () => {
  it.effect.prop(
    "of any word satisfies the schema, and its texts are bounded in code points",
    {
      body: Schema.String,
      long: Schema.Boolean,
      by: Schema.Literals(["alice", "mallory", "ghost"]),
      review: Schema.Boolean,
      reply: Schema.Boolean,
      proposal: Schema.Boolean
    },
    ({ body, by, long, proposal, reply, review }) =>
      Effect.sync(() => {
        const text = long ? `/${body}${"\u{1f600}".repeat(5000)} ${"\u{1f680}".repeat(5000)}` : body
        const comment = word(9, text, {
          by: by === "ghost" ? "ghost" : by === "alice" ? alice : mallory,
          ...(review ? { stream: "review", review: { state: "approved" } } : {}),
          ...(reply ? { parentId: "8" } : {})
        })
        const event = wordEvent(item(proposal ? { kind: "change_proposal", change } : {}), comment)
        passes(event)
        assert.strictEqual(event.transition.kind, review ? "review_submitted" : "comment_added")
        if (event.transition.kind !== "comment_added") return
        const texts = [
          event.transition.comment.body,
          event.transition.comment.command ?? "",
          event.transition.comment.instruction ?? ""
        ]
        for (const told of texts) assert.isAtMost([...told].length, 4096)
        if (long) assert.isTrue(text.startsWith(event.transition.comment.body))
      })
  )

  it("of a first sight says who labelled it, or else that it was opened", () => {
    const labelled = firstSightEvent(item(), { label: "agent", by: mallory, at: at(0) })
    passes(labelled)
    assert.deepStrictEqual(labelled.transition, {
      kind: "label_changed",
      label: { name: "agent", action: "added" }
    })
    assert.deepStrictEqual(labelled.actor, { id: mallory.id, kind: "human", is_entity_author: false })
    const opened = firstSightEvent(item(), { label: "agent", at: at(0) })
    passes(opened)
    assert.deepStrictEqual(opened.transition, { kind: "opened" })
    assert.strictEqual(opened.actor?.is_entity_author, true)
    const { author: _author, ...orphan } = item()
    const nobody = firstSightEvent(orphan, undefined)
    passes(nobody)
    assert.isUndefined(nobody.actor)
    assert.strictEqual(wordEvent(orphan, word(1, "x", { by: mallory })).actor?.is_entity_author, false)
  })

  const event = wordEvent(item(), word(1, "hello"))
  const { transition, ...rest } = event
  const comment = { id: "1", body: "hello" }
  const label = { name: "agent", action: "added" }
  it.each([
    ["a comment without its comment", { kind: "comment_added" }],
    ["a label without its label", { kind: "label_changed" }],
    ["a review without its review", { kind: "review_submitted", comment }],
    ["a comment with a label", { kind: "comment_added", comment, label }],
    ["a closing with a comment", { kind: "closed", comment }],
    ["null for absent", { kind: "comment_added", comment: { ...comment, parent_id: null } }],
    ["an id that is a number", { kind: "comment_added", comment: { ...comment, id: 1 } }],
    ["an unknown kind", { kind: "exploded" }]
  ])("is none: %s", (_what, wrong) => {
    assert.isTrue(Exit.isSuccess(decode({ ...rest, transition })))
    assert.isTrue(Exit.isFailure(decode({ ...rest, transition: wrong })))
  })

  it("is described to others as it is: one shape for each kind, closed", () => {
    const text = JSON.stringify(eventJsonSchema())
    assert.include(text, '"additionalProperties":false')
    assert.notInclude(text, '"additionalProperties":true')
    for (const kind of ["opened", "label_changed", "comment_added", "review_submitted"])
      assert.include(text, kind)
  })
})
