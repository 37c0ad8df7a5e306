/** What becomes of items and repositories: closed, deleted, transferred, converted, renamed; and who did it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ask, furnished, ids, numbers } from "./asking.ts"

const repo = "acme/app"

const Events = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      event: Schema.String,
      actor: Schema.NullOr(Schema.Struct({ login: Schema.String })),
      label: Schema.optionalKey(Schema.Struct({ name: Schema.String }))
    })
  )
)

describe("endings", () => {
  it.live("history says who labelled, closed, reopened and converted; a deleted account is nobody", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one", author: "bob" })
      yield* forge.label({ repo, number: 1, label: "agent", by: "alice" })
      yield* forge.unlabel({ repo, number: 1, label: "Agent", by: "bob" })
      yield* forge.close({ repo, number: 1, by: "alice" })
      yield* forge.reopen({ repo, number: 1, by: "alice" })
      yield* forge.convertToDiscussion({ repo, number: 1, by: "alice" })
      yield* forge.deleteAccount({ login: "bob" })
      const got = yield* ask(forge, `/repos/${repo}/issues/1/events`)
      const events = Schema.decodeUnknownSync(Events)(got.text)
      assert.deepStrictEqual(
        events.map(({ event, actor, label }) => [event, actor?.login, label?.name]),
        [
          ["labeled", "alice", "agent"],
          ["unlabeled", undefined, "agent"],
          ["closed", "alice", undefined],
          ["reopened", "alice", undefined],
          ["closed", "alice", undefined],
          ["converted_to_discussion", "alice", undefined]
        ]
      )
      yield* forge.configure({ history: "newest-first" })
      const turned = yield* ask(forge, `/repos/${repo}/issues/1/events?per_page=1`)
      assert.isTrue(turned.text.includes("converted_to_discussion"))
      const issue = (yield* ask(forge, `/repos/${repo}/issues/1`)).text
      for (const part of ['"user":null', '"state":"closed"', '"locked":true', '"state_reason":"completed"']) {
        assert.isTrue(issue.includes(part), part)
      }
    })
  )

  it.live("a merged pull request is closed and says when it was merged", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.addRepo({ repo: "bob/app" })
      yield* forge.openPull({ repo, title: "change", author: "bob", headRepo: "bob/app", headRef: "fix" })
      yield* forge.merge({ repo, number: 1, by: "alice" })
      const pull = (yield* ask(forge, `/repos/${repo}/pulls/1`)).text
      for (const part of [
        '"merged":true',
        '"state":"closed"',
        '"label":"bob:fix"',
        '"full_name":"bob/app"'
      ]) {
        assert.isTrue(pull.includes(part), part)
      }
      const row = (yield* ask(forge, `/repos/${repo}/issues/1`)).text
      assert.isTrue(/"merged_at":"\d{4}-/u.test(row))
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues/1/comments`)).status, 200)
      assert.strictEqual((yield* ask(forge, `/repos/bob/app/pulls/1`)).status, 404)
    })
  )

  it.live("a deleted issue is 410, its comments are 404, and its number is not given again", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one" })
      yield* forge.deleteIssue({ repo, number: 1 })
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues/1`)).status, 410)
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues/1/comments`)).status, 404)
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues/2`)).status, 404)
      assert.strictEqual((yield* forge.openIssue({ repo, title: "two" })).number, 2)
      yield* forge.setIssuesEnabled({ repo, enabled: false })
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues`)).status, 410)
    })
  )

  it.live("a transferred issue redirects, its comments do not, and they are at the new place", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      const { id: target } = yield* forge.addRepo({ repo: "acme/web" })
      yield* forge.openIssue({ repo: "acme/web", title: "taken" })
      yield* forge.openIssue({ repo, title: "one", labels: ["agent"] })
      const { id } = yield* forge.comment({ repo, number: 1, body: "hello" })
      assert.deepStrictEqual(ids(yield* ask(forge, `/repos/${repo}/issues/1/comments`)), [id])
      assert.deepStrictEqual(yield* forge.transferIssue({ repo, number: 1, to: "acme/web" }), { number: 2 })
      const got = yield* ask(forge, `/repos/${repo}/issues/1`)
      assert.strictEqual(got.status, 301)
      const to = got.headers.get("location") ?? ""
      assert.strictEqual(to, `${forge.url}/repositories/${target}/issues/2`)
      assert.isTrue((yield* ask(forge, to)).text.includes('"number":2'))
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues/1/comments`)).status, 404)
      const comments = yield* ask(forge, `/repos/acme/web/issues/2/comments`)
      assert.deepStrictEqual(ids(comments), [id])
      assert.isTrue(comments.text.includes("/repos/acme/web/issues/2"))
    })
  )

  it.live("a renamed repository redirects by its id until another takes its name", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one", labels: ["agent"] })
      yield* forge.renameRepo({ repo, to: "acme/renamed" })
      const got = yield* ask(forge, `/repos/${repo}/issues?labels=agent`)
      assert.deepStrictEqual(
        [got.status, got.headers.get("location")],
        [301, `${forge.url}/repositories/7000/issues?labels=agent`]
      )
      const there = yield* ask(forge, got.headers.get("location") ?? "")
      assert.deepStrictEqual(numbers(there), [1])
      assert.isTrue(there.text.includes("/acme/renamed/issues/1"))
      const posted = yield* ask(forge, `/repos/${repo}/issues/1/comments`, {
        method: "POST",
        body: JSON.stringify({ body: "hello" })
      })
      assert.strictEqual(posted.status, 307)
      const { id } = yield* forge.addRepo({ repo })
      const taken = yield* ask(forge, `/repos/${repo}`)
      assert.strictEqual(taken.status, 200)
      assert.isTrue(taken.text.startsWith(`{"id":${id},`))
    })
  )

  it.live("a comment's end is a 404, and a pending review is its author's alone", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openPull({ repo, title: "change" })
      const { id } = yield* forge.comment({ repo, number: 1, body: "gone soon" })
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues/comments/${id}`)).status, 200)
      yield* forge.deleteComment({ repo, number: 1, id })
      assert.strictEqual((yield* ask(forge, `/repos/${repo}/issues/comments/${id}`)).status, 404)
      const review = yield* forge.review({ repo, number: 1, by: "bob", state: "PENDING", body: "draft" })
      const reviews = `/repos/${repo}/pulls/1/reviews`
      assert.deepStrictEqual(ids(yield* ask(forge, reviews)), [])
      const own = yield* ask(forge, reviews, { token: "bob-token" })
      assert.deepStrictEqual([ids(own), own.text.includes("submitted_at")], [[review.id], false])
      yield* forge.submitReview({ repo, number: 1, id: review.id, state: "COMMENTED" })
      const all = yield* ask(forge, reviews)
      assert.deepStrictEqual([ids(all), all.text.includes("submitted_at")], [[review.id], true])
    })
  )
})
