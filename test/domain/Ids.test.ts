/** Ids and names: pure functions of identity, different for what is different, safe wherever they go (traps B66, G5.2). */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { deliveryId, handOverId, sessionId, startId } from "../../src/domain/Ids.ts"
import { Identity, Ref, slug } from "../../src/domain/Ref.ts"

const refs = Arbitrary.map(Schema.String.pipe(Arbitrary.schema), (text) =>
  Ref.make(`github:host/${text.replaceAll(/\s/gu, "_")}#1`)
)
const identities = Arbitrary.map(Schema.String.pipe(Arbitrary.schema), (text) =>
  Identity.make(`github:host/${text.replaceAll(/\s/gu, "_")}`)
)
const Fields = Schema.Struct({
  space: Schema.String,
  stream: Schema.Literals(["issue_comment", "review", "review_comment"]),
  id: Schema.String,
  agent: Schema.String
})

describe("a slug", () => {
  it.effect.prop(
    "is a short and harmless file name, told apart by identity alone",
    { ref: refs, other: refs, one: identities, another: identities },
    ({ another, one, other, ref }) =>
      Effect.sync(() => {
        const name = slug(ref, one)
        assert.match(name, /^[a-z0-9][a-z0-9-]*-[0-9a-f]{16}$/u)
        assert.isAtMost(name.length, 80)
        assert.strictEqual(slug(other, one).slice(-16), name.slice(-16))
        if (one !== another) assert.notStrictEqual(slug(ref, another), name)
      })
  )

  it.each([
    "github:../../../../etc/passwd",
    "github:CON",
    "github:..",
    "github:%2e%2e%2f",
    "github:\u0000\u202e\u{1f600}",
    `gitlab:${"a/".repeat(500)}x!7`
  ])("keeps %s inside its folder", (text) => {
    assert.match(slug(Ref.make(text), Identity.make("github:1")), /^[a-z0-9][a-z0-9-]{0,62}-[0-9a-f]{16}$/u)
  })
})

describe("a delivery's id", () => {
  it.effect.prop(
    "is the same for the same word, and another for any other",
    { one: Fields, other: Fields },
    ({ one, other }) =>
      Effect.sync(() => {
        const of = ({ agent, id, space, stream }: typeof one) => deliveryId(space, { stream, id }, agent)
        assert.strictEqual(of(one), of({ ...one }))
        const same =
          JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort())
        assert.strictEqual(of(one) === of(other), same)
        for (const field of ["space", "id", "agent"] as const) {
          assert.notStrictEqual(of(one), of({ ...one, [field]: `${one[field]} ` }))
        }
        // Where one field ends and the next begins is part of it.
        assert.notStrictEqual(of(one), of({ ...one, id: `${one.id}"`, agent: one.agent.slice(1) }))
        assert.match(of(one), /^[0-9a-f]{32}$/u)
      })
  )

  it("knows numbers of 64 bits apart, as text", () => {
    const of = (id: string) => deliveryId("s", { stream: "review", id }, "default")
    assert.notStrictEqual(of("9007199254740992"), of("9007199254740993"))
    assert.strictEqual(of(String(42)), of("42"))
  })

  it("is another for a start of each generation, each agent and each item", () => {
    const [one, two] = [Identity.make("github:1"), Identity.make("github:2")]
    const ids = [startId(one, "a", 1), startId(one, "a", 2), startId(one, "b", 1), startId(two, "a", 1)]
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})

describe("a hand-over's id", () => {
  it("is another for other members, and for another order of them", () => {
    const ids = [
      handOverId("s", ["a", "b"]),
      handOverId("s", ["b", "a"]),
      handOverId("s", ["ab"]),
      handOverId("s", ["a"]),
      handOverId("s a", ["b"]),
      handOverId("t", ["a", "b"])
    ]
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.strictEqual(handOverId("s", ["a", "b"]), ids[0])
  })
})

describe("a session's id", () => {
  it.effect.prop(
    "is a UUIDv5 of item, agent and generation",
    { identity: identities, agent: Schema.String, generation: Schema.Int },
    ({ agent, generation, identity }) =>
      Effect.sync(() => {
        const id = sessionId(identity, agent, generation)
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
        assert.strictEqual(sessionId(identity, agent, generation), id)
        assert.notStrictEqual(sessionId(identity, agent, generation + 1), id)
        assert.notStrictEqual(sessionId(identity, `${agent}x`, generation), id)
      })
  )
})

describe("ids and names", () => {
  it("do not change from one heed to the next: ledgers and runs hang on them", () => {
    const identity = Identity.make("github:github.com/R_1/I_12")
    const session = sessionId(identity, "default", 1)
    const word = deliveryId("github github.com 1", { stream: "issue_comment", id: "9" }, "default")
    assert.strictEqual(session, "298d6409-db72-5e92-b333-f3d031d09e9b")
    assert.strictEqual(word, "1d1de770cd25f22971610fd8bbd5fde9")
    assert.strictEqual(startId(identity, "default", 1), "f0386de47cd3d90adf6bfb21b56cfc52")
    assert.strictEqual(handOverId(session, [word]), "c1cb8a93009d1894e369bcdf17fa0944")
    assert.strictEqual(
      slug(Ref.make("github:github.com/acme/app#12"), identity),
      "github-com-acme-app-12-2fece27590c4c4d6"
    )
  })
})
