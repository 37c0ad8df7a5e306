/** Who may do what at the forge, and what it says to those who may not. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, furnished } from "./asking.ts"

const repo = "acme/app"
const post = (body: string) => ({ method: "POST", body: JSON.stringify({ body }) })

describe("access", () => {
  it.live("a credential that is unknown, revoked or missing is 401", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      const unknown = yield* ask(forge, "/user", { token: "nobody" })
      assert.strictEqual(unknown.status, 401)
      assert.isTrue(unknown.text.includes('"message":"Bad credentials"'))
      assert.strictEqual((yield* ask(forge, "/user")).status, 200)
      yield* forge.revokeToken({ token: "alice-token" })
      assert.strictEqual((yield* ask(forge, "/user")).status, 401)
    })
  )

  it.live("an app's token is not told who it is, and works otherwise", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.addToken({ token: "app", login: "helper[bot]" })
      assert.strictEqual((yield* ask(forge, "/user", { token: "app" })).status, 403)
      assert.strictEqual((yield* ask(forge, `/repos/${repo}`, { token: "app" })).status, 200)
    })
  )

  it.live("a private repository does not exist for outsiders", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.addRepo({ repo: "acme/secret", private: true })
      yield* forge.openIssue({ repo: "acme/secret", title: "s" })
      for (const path of ["", "/issues", "/issues/1"]) {
        assert.strictEqual((yield* ask(forge, `/repos/acme/secret${path}`)).status, 404)
      }
      yield* forge.setRole({ repo: "acme/secret", login: "alice", role: "read" })
      const got = yield* ask(forge, "/repos/acme/secret")
      assert.isTrue(got.text.includes('"pull":true') && got.text.includes('"push":false'))
    })
  )

  it.live("readers comment, triagers label, and a token may be for reading alone", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one" })
      const comments = `/repos/${repo}/issues/1/comments`
      const labels = `/repos/${repo}/issues/1/labels`
      const label = { method: "POST", body: '{"labels":["agent"]}' }
      assert.strictEqual((yield* ask(forge, comments, { token: "bob-token", ...post("hi") })).status, 201)
      assert.strictEqual((yield* ask(forge, labels, { token: "bob-token", ...label })).status, 403)
      assert.strictEqual((yield* ask(forge, labels, label)).status, 200)
      assert.strictEqual((yield* ask(forge, comments, { token: "alice-reads", ...post("hi") })).status, 403)
      assert.strictEqual((yield* ask(forge, comments, { token: "alice-reads" })).status, 200)
    })
  )

  it.live("a locked conversation is closed to those who cannot write", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one" })
      yield* forge.lock({ repo, number: 1 })
      const path = `/repos/${repo}/issues/1/comments`
      const refused = yield* ask(forge, path, { token: "bob-token", ...post("hi") })
      assert.deepStrictEqual([refused.status, refused.text.includes("locked")], [403, true])
      assert.strictEqual((yield* ask(forge, path, post("hi"))).status, 201)
    })
  )

  it.live("a comment has at most 65,536 characters and is not blank", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one" })
      const path = `/repos/${repo}/issues/1/comments`
      assert.strictEqual((yield* ask(forge, path, post("x".repeat(65_536)))).status, 201)
      assert.strictEqual((yield* ask(forge, path, post("x".repeat(65_537)))).status, 422)
      assert.strictEqual((yield* ask(forge, path, post(" \n"))).status, 422)
      assert.strictEqual((yield* ask(forge, path, { method: "POST", body: "{}" })).status, 422)
      assert.strictEqual((yield* ask(forge, path, { method: "POST", body: "{" })).status, 400)
      assert.strictEqual((yield* forge.comments({ repo, number: 1 })).length, 1)
    })
  )

  it.live("a spent budget answers 403 until its hour is over by the forge's clock", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.setClock({ at: 1_800_000_000_000 })
      yield* forge.setRate({ login: "alice", remaining: 1, resetIn: 30_000 })
      assert.strictEqual((yield* ask(forge, "/user")).status, 200)
      const spent = yield* ask(forge, "/user")
      assert.deepStrictEqual(
        [spent.status, spent.headers.get("x-ratelimit-remaining"), spent.headers.get("x-ratelimit-reset")],
        [403, "0", "1800000030"]
      )
      assert.strictEqual((yield* ask(forge, "/rate_limit")).status, 200)
      assert.strictEqual((yield* ask(forge, "/user", { token: "bob-token" })).status, 200)
      yield* forge.advanceClock({ millis: 30_000 })
      const again = yield* ask(forge, "/user")
      assert.deepStrictEqual([again.status, again.headers.get("x-ratelimit-remaining")], [200, "4999"])
    })
  )

  it.live("the log has what was asked, and no credential", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* ask(forge, `/repos/${repo}/issues?labels=agent`, { etag: 'W/"x"' })
      yield* ask(forge, "/user", { token: "not-a-token" })
      const log = yield* forge.log({})
      assert.deepStrictEqual(
        log.map(({ method, path, query, login, status }) => ({ method, path, query, login, status })),
        [
          {
            method: "GET",
            path: `/repos/${repo}/issues`,
            query: { labels: "agent" },
            login: "alice",
            status: 200
          },
          { method: "GET", path: "/user", query: {}, login: undefined, status: 401 }
        ]
      )
      assert.strictEqual(log[0]?.headers["if-none-match"], 'W/"x"')
      assert.isFalse(/alice-token|not-a-token/u.test(JSON.stringify(log)))
    })
  )
})
