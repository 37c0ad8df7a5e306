/** What a look at one GitHub item brings home (traps B, C). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { wordKey, type Observation } from "../../src/domain/Item.ts"
import { everything, layerNet, provider, settle, stage, target } from "./onForge.ts"

const words = ({ comments }: Observation) => comments.map((comment) => `${wordKey(comment)} ${comment.body}`)

const item = { repo: "acme/app", number: 1 }

const issue = Effect.gen(function* () {
  const forge = yield* stage
  yield* forge.openIssue({
    repo: "acme/app",
    title: "Fix it",
    body: "one\r\ntwo",
    author: "bob",
    labels: ["agent"]
  })
  const github = yield* provider(forge)
  return { forge, github, row: yield* target(github, 1) }
})

const pull = Effect.gen(function* () {
  const forge = yield* stage
  yield* forge.openPull({ repo: "acme/app", title: "Change it", author: "bob", labels: ["agent"] })
  const github = yield* provider(forge)
  return { forge, github, row: yield* target(github, 1) }
})

describe("GitHub observing", () => {
  it.live("an issue: its facts, its words, the server's clock, in two requests", () =>
    Effect.gen(function* () {
      const { forge, github, row } = yield* issue
      yield* forge.comment({ ...item, by: "bob", body: "hi\r\nthere" })
      yield* settle(forge)
      yield* forge.resetLog({})
      const seen = yield* github.observe(row, everything)
      assert.strictEqual((yield* forge.usage({})).requests, 2)
      assert.deepStrictEqual(
        { ...seen.item, createdAt: "", updatedAt: "", space: "" },
        {
          ref: row.ref,
          identity: row.identity,
          space: "",
          tracker: "github",
          kind: "work_item",
          number: 1,
          url: "https://github.com/acme/app/issues/1",
          repo: "acme/app",
          title: "Fix it",
          body: "one\ntwo",
          author: seen.item.author,
          state: "open",
          labels: ["agent"],
          createdAt: "",
          updatedAt: ""
        }
      )
      assert.match(seen.item.space, /^github:github\.com\/\d+$/u)
      assert.strictEqual(seen.item.author?.principal, "bob")
      assert.deepStrictEqual([seen.comments[0]?.body, seen.comments[0]?.author?.kind], ["hi\nthere", "human"])
      assert.deepStrictEqual(seen.streams, { issue_comment: { complete: true } })
      assert.strictEqual(seen.at, "2026-11-30T12:02:00.000Z")
    }).pipe(Effect.provide(layerNet()))
  )

  it.live(
    "a pull request: three streams with ids of their own (B09), pending and empty reviews left out (B15)",
    () =>
      Effect.gen(function* () {
        const { forge, github, row } = yield* pull
        const comment = yield* forge.comment({ ...item, by: "alice", body: "c" })
        const inline = yield* forge.inlineComment({ ...item, by: "alice", body: "i", path: "a.ts", line: 3 })
        const reply = yield* forge.inlineComment({ ...item, by: "bob", body: "r", replyTo: inline.id })
        const pending = yield* forge.review({ ...item, by: "alice", state: "PENDING", body: "soon" })
        yield* forge.review({ ...item, by: "alice", state: "COMMENTED", body: "" })
        const approved = yield* forge.review({ ...item, by: "alice", state: "APPROVED", body: "" })
        yield* settle(forge)
        yield* forge.resetLog({})
        const seen = yield* github.observe(row, everything)
        assert.strictEqual((yield* forge.usage({})).requests, 4)
        const keys = [
          `issue_comment/${comment.id} c`,
          `review/${approved.id} `,
          `review_comment/${inline.id} i`,
          `review_comment/${reply.id} r`
        ]
        assert.deepStrictEqual(words(seen).toSorted(), keys.toSorted())
        const replied = seen.comments.find(({ id }) => id === String(reply.id))
        assert.strictEqual(replied?.parentId, String(inline.id))
        assert.deepStrictEqual(seen.comments.find(({ stream }) => stream === "review")?.review, {
          state: "approved"
        })
        assert.deepStrictEqual(seen.comments.find(({ body }) => body === "i")?.place, {
          path: "a.ts",
          line: 3
        })
        assert.strictEqual(seen.item.change?.isFork, false)
        yield* forge.submitReview({ ...item, id: pending.id, state: "COMMENTED" })
        const later = yield* github.observe(row, everything)
        assert.include(words(later), `review/${pending.id} soon`)
      }).pipe(Effect.provide(layerNet()))
  )

  for (const since of ["inclusive", "exclusive"] as const) {
    it.live(`two words in one second, the later one visible after the first look, ${since} since (B10)`, () =>
      Effect.gen(function* () {
        const { forge, github, row } = yield* issue
        yield* forge.configure({ since })
        yield* forge.comment({ ...item, body: "first" })
        yield* forge.comment({ ...item, body: "second", hiddenFor: 1 })
        const one = yield* github.observe(row, everything)
        const two = yield* github.observe(row, { since: { issue_comment: one.at }, labelling: false })
        const all = new Set([...words(one), ...words(two)])
        assert.strictEqual(all.size, 2)
        assert.strictEqual(two.streams["issue_comment"]?.since, "2026-11-30T11:59:00.000Z")
      }).pipe(Effect.provide(layerNet()))
    )
  }

  it.live("a long thread is read to its end, and an old one is not read again", () =>
    Effect.gen(function* () {
      const { forge, github, row } = yield* issue
      yield* Effect.forEach(Array.from({ length: 230 }), (_, index) =>
        forge.comment({ ...item, body: `${index}` })
      )
      yield* settle(forge)
      const whole = yield* github.observe(row, everything)
      assert.strictEqual(new Set(words(whole)).size, 230)
      yield* forge.comment({ ...item, body: "new" })
      const part = yield* github.observe(row, { since: { issue_comment: whole.at }, labelling: false })
      assert.strictEqual(part.comments.length, 1)
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("deleted accounts are nobody (B23), apps are bots (B22), bodies may be null (B17)", () =>
    Effect.gen(function* () {
      const { forge, github, row } = yield* issue
      yield* forge.addAccount({ login: "ghostly" })
      yield* forge.addAccount({ login: "helper[bot]", type: "Bot" })
      yield* forge.comment({ ...item, by: "ghostly", body: "1" })
      yield* forge.comment({ ...item, by: "helper[bot]", body: "2" })
      yield* forge.deleteAccount({ login: "ghostly" })
      const seen = yield* github.observe(row, everything)
      assert.deepStrictEqual(
        seen.comments.map(({ author }) => author?.kind),
        [undefined, "bot"]
      )
      yield* forge.configure({ bodies: "null" })
      assert.deepStrictEqual((yield* github.observe(row, everything)).item.body, "")
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("who put the label on, newest first, over pages of history", () =>
    Effect.gen(function* () {
      const { forge, github, row } = yield* issue
      yield* forge.unlabel({ ...item, label: "agent" })
      yield* forge.label({ ...item, by: "alice", label: "Agent" })
      for (let n = 0; n < 40; n += 1) yield* forge.label({ ...item, by: "bob", label: `other ${n}` })
      for (const settings of [{}, { maxPerPage: 7 }, { lastLink: false }]) {
        yield* forge.configure(settings)
        const seen = yield* github.observe(row, { since: {}, labelling: true })
        assert.deepStrictEqual(
          [seen.labelling?.label.toLowerCase(), seen.labelling?.by?.login],
          ["agent", "alice"]
        )
      }
      yield* forge.fault({ match: { path: "/events$" }, failure: { kind: "status", status: 403 } })
      assert.isUndefined((yield* github.observe(row, { since: {}, labelling: true })).labelling)
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a stream that fails alone makes the look partial; any other failure fails it whole", () =>
    Effect.gen(function* () {
      const { forge, github, row } = yield* pull
      yield* forge.comment({ ...item, body: "kept" })
      yield* forge.inlineComment({ ...item, body: "unread" })
      for (const status of [403, 404, 502]) {
        const { fault } = yield* forge.fault({
          match: { path: "/pulls/1/comments$" },
          failure: { kind: "status", status }
        })
        const seen = yield* github.observe(row, everything)
        assert.deepStrictEqual(
          Object.entries(seen.streams).map(([stream, { complete }]) => [stream, complete]),
          [
            ["issue_comment", true],
            ["review", true],
            ["review_comment", false]
          ]
        )
        assert.strictEqual(seen.comments.length, 1)
        yield* forge.liftFault({ fault })
      }
      yield* forge.fault({
        match: { path: "/pulls/1/comments$" },
        failure: { kind: "limit", shape: "retry-after" }
      })
      assert.strictEqual((yield* Effect.flip(github.observe(row, everything))).reason, "Limited")
    }).pipe(Effect.provide(layerNet()))
  )
})
