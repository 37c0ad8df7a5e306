/** The forge as Octokit sees it: a client that nobody here wrote, and that knows GitHub. */
import { assert, describe, it } from "@effect/vitest"
import { Octokit } from "@octokit/rest"
import * as Effect from "effect/Effect"
import { furnished } from "../forge/asking.ts"

const owner = "acme"
const repo = "app"
const name = `${owner}/${repo}`

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const setting = Effect.gen(function* () {
  const forge = yield* furnished
  const octokit = new Octokit({ auth: "alice-token", baseUrl: forge.url, log: quiet })
  return { forge, octokit }
})

/** The status and headers of an answer that Octokit takes for an error. */
const refused = (asking: () => Promise<unknown>) =>
  Effect.promise(() =>
    asking().then(
      () => assert.fail("It was answered."),
      (error: unknown) => {
        if (!(error instanceof Error) || !("status" in error)) throw error
        return error.status
      }
    )
  )

describe("Octokit", () => {
  it.live("pages through everything, by the links", () =>
    Effect.gen(function* () {
      const { forge, octokit } = yield* setting
      for (let n = 1; n <= 230; n += 1) {
        yield* forge.openIssue({
          repo: name,
          title: `t${n}`,
          labels: n % 2 === 0 ? ["agent", "even"] : ["agent"]
        })
      }
      const all = yield* Effect.promise(() =>
        octokit.paginate(octokit.rest.issues.listForRepo, {
          owner,
          repo,
          labels: "agent",
          state: "open",
          sort: "updated",
          direction: "desc",
          per_page: 100
        })
      )
      assert.deepStrictEqual(
        all.map(({ number }) => number),
        Array.from({ length: 230 }, (_, index) => 230 - index)
      )
      const even = yield* Effect.promise(() =>
        octokit.paginate(octokit.rest.issues.listForRepo, { owner, repo, labels: "even,agent" })
      )
      assert.strictEqual(even.length, 115)
      assert.strictEqual((yield* forge.usage({})).requests, 3 + 4)
    })
  )

  it.live("asks whether something changed", () =>
    Effect.gen(function* () {
      const { forge, octokit } = yield* setting
      yield* forge.openIssue({ repo: name, title: "one" })
      const first = yield* Effect.promise(() => octokit.rest.issues.listForRepo({ owner, repo }))
      const etag = first.headers.etag ?? ""
      const again = () => octokit.rest.issues.listForRepo({ owner, repo, headers: { "if-none-match": etag } })
      assert.strictEqual(yield* refused(again), 304)
      yield* forge.comment({ repo: name, number: 1, body: "news" })
      assert.strictEqual((yield* Effect.promise(again)).data[0]?.comments, 1)
    })
  )

  it.live("comments, edits, labels, closes and reopens", () =>
    Effect.gen(function* () {
      const { forge, octokit } = yield* setting
      const made = yield* Effect.promise(() =>
        octokit.rest.issues.create({ owner, repo, title: "one", body: "text", labels: ["agent"] })
      )
      const issue_number = made.data.number
      const said = yield* Effect.promise(() =>
        octokit.rest.issues.createComment({ owner, repo, issue_number, body: "hällo 🦉" })
      )
      assert.strictEqual(said.status, 201)
      assert.strictEqual(said.data.user?.login, "alice")
      yield* Effect.promise(() =>
        octokit.rest.issues.updateComment({ owner, repo, comment_id: said.data.id, body: "hello" })
      )
      const labels = yield* Effect.promise(() =>
        octokit.rest.issues.addLabels({ owner, repo, issue_number, labels: ["a b", "c/d"] })
      )
      assert.deepStrictEqual(
        labels.data.map((label) => label.name),
        ["agent", "a b", "c/d"]
      )
      const left = yield* Effect.promise(() =>
        octokit.rest.issues.removeLabel({ owner, repo, issue_number, name: "c/d" })
      )
      assert.strictEqual(left.data.length, 2)
      assert.strictEqual(
        yield* refused(() => octokit.rest.issues.removeLabel({ owner, repo, issue_number, name: "x" })),
        404
      )
      const closed = yield* Effect.promise(() =>
        octokit.rest.issues.update({
          owner,
          repo,
          issue_number,
          state: "closed",
          state_reason: "not_planned"
        })
      )
      assert.deepStrictEqual([closed.data.state, closed.data.state_reason], ["closed", "not_planned"])
      const reopened = yield* Effect.promise(() =>
        octokit.rest.issues.update({ owner, repo, issue_number, state: "open" })
      )
      assert.deepStrictEqual([reopened.data.state, reopened.data.closed_at], ["open", null])
      const reaction = yield* Effect.promise(() =>
        octokit.rest.reactions.createForIssueComment({
          owner,
          repo,
          comment_id: said.data.id,
          content: "eyes"
        })
      )
      assert.deepStrictEqual([reaction.status, reaction.data.content], [201, "eyes"])
      const events = yield* Effect.promise(() =>
        octokit.rest.issues.listEvents({ owner, repo, issue_number })
      )
      assert.deepStrictEqual(
        events.data.map(({ event, actor }) => `${event} ${actor.login}`),
        [...Array<string>(3).fill("labeled alice"), "unlabeled alice", "closed alice", "reopened alice"]
      )
      assert.deepStrictEqual(
        (yield* forge.comments({ repo: name, number: issue_number })).map(({ body }) => body),
        ["hello"]
      )
      yield* Effect.promise(() =>
        octokit.rest.issues.deleteComment({ owner, repo, comment_id: said.data.id })
      )
      assert.deepStrictEqual(yield* forge.comments({ repo: name, number: issue_number }), [])
    })
  )

  it.live("reads a pull request and its three streams", () =>
    Effect.gen(function* () {
      const { forge, octokit } = yield* setting
      yield* forge.openPull({ repo: name, title: "change", labels: ["agent"], author: "bob" })
      yield* forge.comment({ repo: name, number: 1, by: "bob", body: "said" })
      yield* forge.inlineComment({ repo: name, number: 1, by: "bob", body: "here", path: "a.ts", line: 3 })
      yield* forge.review({ repo: name, number: 1, by: "alice", state: "CHANGES_REQUESTED", body: "no" })
      const at = { owner, repo, pull_number: 1 }
      const pull = yield* Effect.promise(() => octokit.rest.pulls.get(at))
      assert.deepStrictEqual(
        [pull.data.user.login, pull.data.comments, pull.data.review_comments, pull.data.head.repo?.full_name],
        ["bob", 1, 1, name]
      )
      const inline = yield* Effect.promise(() => octokit.paginate(octokit.rest.pulls.listReviewComments, at))
      assert.deepStrictEqual(
        inline.map(({ path, line, body }) => [path, line, body]),
        [["a.ts", 3, "here"]]
      )
      const reviews = yield* Effect.promise(() => octokit.paginate(octokit.rest.pulls.listReviews, at))
      assert.deepStrictEqual(
        reviews.map(({ state, body, user }) => [state, body, user?.login]),
        [["CHANGES_REQUESTED", "no", "alice"]]
      )
      const everywhere = yield* Effect.promise(() =>
        octokit.paginate(octokit.rest.issues.listCommentsForRepo, { owner, repo })
      )
      assert.deepStrictEqual(
        everywhere.map(({ body }) => body),
        ["said"]
      )
      const timeline = yield* Effect.promise(() =>
        octokit.rest.issues.listEventsForTimeline({ owner, repo, issue_number: 1 })
      )
      assert.deepStrictEqual(
        timeline.data.map(({ event }) => event),
        ["labeled", "commented"]
      )
    })
  )

  it.live("knows itself, its budget and its rights, and follows a rename", () =>
    Effect.gen(function* () {
      const { forge, octokit } = yield* setting
      const me = yield* Effect.promise(() => octokit.rest.users.getAuthenticated())
      assert.strictEqual(me.data.login, "alice")
      const rate = yield* Effect.promise(() => octokit.rest.rateLimit.get())
      assert.deepStrictEqual([rate.data.rate.used, rate.data.resources.core.limit], [1, 5000])
      const right = yield* Effect.promise(() =>
        octokit.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: "alice" })
      )
      assert.deepStrictEqual([right.data.permission, right.data.role_name], ["write", "maintain"])
      yield* forge.renameRepo({ repo: name, to: "acme/next" })
      const followed = yield* Effect.promise(() => octokit.rest.repos.get({ owner, repo }))
      assert.deepStrictEqual([followed.data.id, followed.data.full_name], [7000, "acme/next"])
      assert.strictEqual(yield* refused(() => octokit.rest.repos.get({ owner, repo: "nope" })), 404)
    })
  )
})
