/** What people are told when a GitHub source cannot work, and what heed posts where it may not. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { everything, layerNet, numbers, provider, stage, target, token } from "./onForge.ts"

describe("GitHub bad input", () => {
  it.live("a repository that does not exist, or that the token may not see", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* forge.addRepo({ repo: "secret/app", private: true })
      const github = yield* provider(forge, { repos: ["acme/nope", "secret/app", "acme/app"] })
      for (const repo of ["acme/nope", "secret/app"]) {
        const error = yield* Effect.flip(github.list(repo, []))
        assert.strictEqual(error.reason, "Missing")
        assert.include(error.message, repo)
        assert.include(error.message, "a private repository answers 404")
      }
      // One fails alone.
      assert.deepStrictEqual(numbers(yield* github.list("acme/app", [])), [])
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a missing token, an unreachable host, an address that is no API", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      const tokenless = yield* provider(forge, { auth: { env: "NONE" } })
      const missing = yield* Effect.flip(tokenless.list("acme/app", []))
      assert.deepStrictEqual([missing.reason, missing.message.includes("NONE")], ["Unauthorized", true])
      const nowhere = yield* provider({ url: "http://127.0.0.1:1" })
      const refused = yield* Effect.flip(nowhere.list("acme/app", []))
      assert.deepStrictEqual([refused.reason, refused.message.includes("127.0.0.1:1")], ["Network", true])
      yield* forge.fault({
        match: {},
        failure: { kind: "status", status: 200, body: "<html>", headers: { "content-type": "text/html" } }
      })
      const page = yield* Effect.flip((yield* provider(forge)).list("acme/app", []))
      assert.strictEqual(page.reason, "BadAnswer")
      assert.include(page.message, "text/html")
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a listing that answers 410 or 403 is the source's failure (B37)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      for (const [status, reason] of [
        [410, "Missing"],
        [403, "Forbidden"],
        [502, "Unavailable"]
      ] as const) {
        const { fault } = yield* forge.fault({
          match: { path: "/issues$" },
          failure: { kind: "status", status }
        })
        const error = yield* Effect.flip((yield* provider(forge)).list("acme/app", []))
        assert.strictEqual(error.reason, reason)
        yield* forge.liftFault({ fault })
      }
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a page that fails on the way fails the listing (B41)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      for (let n = 0; n < 25; n += 1) {
        yield* forge.openIssue({ repo: "acme/app", title: "x", labels: ["agent"] })
      }
      yield* forge.configure({ maxPerPage: 10 })
      yield* forge.fault({
        match: { path: "/issues$", query: "page=2" },
        failure: { kind: "status", status: 502 }
      })
      const error = yield* Effect.flip((yield* provider(forge)).list("acme/app", []))
      assert.strictEqual(error.reason, "Unavailable")
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a token that stops working says so, and nothing else about the items (B42)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* forge.openIssue({ repo: "acme/app", title: "x", labels: ["agent"] })
      const github = yield* provider(forge)
      const row = yield* target(github, 1)
      yield* forge.revokeToken({ token })
      const errors = [
        yield* Effect.flip(github.list("acme/app", [])),
        yield* Effect.flip(github.observe(row, everything)),
        yield* Effect.flip(github.check(row, undefined)),
        yield* Effect.flip(github.post(row, "hi"))
      ]
      assert.deepStrictEqual(
        errors.map(({ reason }) => reason),
        ["Unauthorized", "Unauthorized", "Unauthorized", "Unauthorized"]
      )
      assert.notInclude(JSON.stringify(errors), token)
    }).pipe(Effect.provide(layerNet()))
  )

  it.live(
    "a token that is refused to many at once is asked for once more, and once again a while later",
    () => {
      let asked = 0
      // The second token is refused like the first.
      const variables = {
        get TOKEN() {
          asked += 1
          return `token-${Math.min(asked, 2)}`
        }
      }
      return Effect.gen(function* () {
        const forge = yield* stage
        const repos = ["acme/a", "acme/b", "acme/c", "acme/d", "acme/e"]
        const github = yield* provider(forge, { repos })
        const all = yield* Effect.forEach(repos, (repo) => Effect.flip(github.list(repo, [])), {
          concurrency: "unbounded"
        })
        assert.isTrue(all.every(({ reason }) => reason === "Unauthorized"))
        assert.strictEqual(asked, 2)
      }).pipe(Effect.provide(layerNet(variables)))
    }
  )

  it.live("no log line holds the token, at any level (B102)", () => {
    const lines: Array<string> = []
    const everyLine = Logger.layer([
      Logger.map(Logger.formatJson, (line) => {
        lines.push(line)
      })
    ])
    return Effect.gen(function* () {
      const forge = yield* stage
      yield* forge.openIssue({ repo: "acme/app", title: "x", labels: ["agent"] })
      const github = yield* provider(forge)
      const row = yield* target(github, 1)
      yield* forge.fault({
        match: { path: "/comments$" },
        failure: { kind: "status", status: 403, body: JSON.stringify({ message: `no ${token}` }) }
      })
      const seen = yield* github.observe(row, everything)
      assert.include(seen.streams["issue_comment"]?.why, "[token]")
      yield* forge.fault({ match: { path: "/issues$" }, failure: { kind: "broken-json" }, times: 1 })
      const error = yield* Effect.flip(github.list("acme/app", []))
      yield* Effect.logError(error, seen)
      assert.isAbove(lines.length, 0)
      assert.notInclude(lines.join("\n"), token)
    }).pipe(
      Effect.provide([layerNet(), everyLine]),
      Effect.provideService(References.MinimumLogLevel, "Trace")
    )
  })

  it.live(
    "posting: the word's key; a locked conversation, a reader's token and a 422 are said (B43, B17)",
    () =>
      Effect.gen(function* () {
        const forge = yield* stage
        yield* forge.addToken({ token: "bobs", login: "bob", access: "read" })
        yield* forge.openIssue({ repo: "acme/app", title: "x", labels: ["agent"] })
        const github = yield* provider(forge)
        const row = yield* target(github, 1)
        const key = yield* github.post(row, "hello")
        const [posted] = yield* forge.comments({ repo: "acme/app", number: 1 })
        assert.deepStrictEqual([key, posted?.body], [`issue_comment/${posted?.id}`, "hello"])
        assert.include(
          (yield* github.observe(row, everything)).comments.map(({ stream, id }) => `${stream}/${id}`),
          key
        )
        yield* forge.fault({
          match: { method: "POST" },
          failure: {
            kind: "status",
            status: 403,
            body: '{"message":"Unable to create comment because issue is locked."}'
          },
          times: 1
        })
        const locked = yield* Effect.flip(github.post(row, "hello"))
        assert.deepStrictEqual(
          [locked.reason, locked.message.includes("conversation on acme/app#1 is locked")],
          ["Forbidden", true]
        )
        assert.strictEqual((yield* Effect.flip(github.post(row, " "))).reason, "BadAnswer")
        const reader = yield* provider(forge, { auth: { env: "BOB" } })
        const denied = yield* Effect.flip(reader.post(row, "hello"))
        assert.notStrictEqual(denied.reason, "Limited")
        assert.include(denied.message, "acme/app#1")
      }).pipe(Effect.provide(layerNet({ TOKEN: token, BOB: "bobs" })))
  )

  it.live("who heed is; a token without an account is nobody (B20)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* forge.addAccount({ login: "Carol" })
      yield* forge.addToken({ token: "carols", login: "Carol" })
      const github = yield* provider(forge, { auth: { env: "CAROL" } })
      assert.strictEqual(yield* github.self, "carol")
      assert.strictEqual(github.principal("@Carol"), "carol")
      yield* forge.fault({ match: { path: "^/user$" }, failure: { kind: "status", status: 403 } })
      assert.isUndefined(yield* github.self)
    }).pipe(Effect.provide(layerNet({ CAROL: "carols" })))
  )
})
