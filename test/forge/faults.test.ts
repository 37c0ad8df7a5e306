/** What the forge can be made to get wrong. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { ask, furnished } from "./asking.ts"

const repo = "acme/app"
const issues = `/repos/${repo}/issues`

describe("faults", () => {
  it.live("limits come in every shape", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.setClock({ at: 1_800_000_000_000 })
      const limited = (shape: "retry-after" | "reset" | "message" | "bare" | "html", status: 403 | 429) =>
        Effect.gen(function* () {
          yield* forge.fault({
            match: { path: "/issues$" },
            failure: { kind: "limit", shape, status, seconds: 30 },
            times: 1
          })
          const got = yield* ask(forge, issues)
          assert.strictEqual(got.status, status)
          return {
            wait: got.headers.get("retry-after"),
            left: got.headers.get("x-ratelimit-remaining"),
            reset: got.headers.get("x-ratelimit-reset"),
            says: /rate limit/iu.test(got.text),
            type: got.headers.get("content-type")?.split(";")[0]
          }
        })
      const json = "application/json"
      const hour = "1800003600"
      for (const status of [403, 429] as const) {
        assert.deepStrictEqual(yield* limited("retry-after", status), {
          wait: "30",
          left: "5000",
          reset: hour,
          says: true,
          type: json
        })
        assert.deepStrictEqual(yield* limited("reset", status), {
          wait: null,
          left: "0",
          reset: "1800000030",
          says: true,
          type: json
        })
        assert.deepStrictEqual(yield* limited("message", status), {
          wait: null,
          left: "5000",
          reset: hour,
          says: true,
          type: json
        })
        const silent = { wait: null, left: null, reset: null, says: false }
        assert.deepStrictEqual(yield* limited("bare", status), { ...silent, type: json })
        assert.deepStrictEqual(yield* limited("html", status), { ...silent, type: "text/html" })
      }
      assert.strictEqual((yield* ask(forge, issues)).status, 200)
    })
  )

  it.live("a status stands in for matching requests only, as often as it is told", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one" })
      const { fault } = yield* forge.fault({
        match: { method: "GET", path: "/issues/1$", login: "alice" },
        failure: {
          kind: "status",
          status: 502,
          body: "<html>bad gateway</html>",
          headers: { "x-was": "here" }
        }
      })
      const got = yield* ask(forge, `${issues}/1`)
      assert.deepStrictEqual(
        [got.status, got.text, got.headers.get("x-was")],
        [502, "<html>bad gateway</html>", "here"]
      )
      assert.strictEqual((yield* ask(forge, `${issues}/1`, { token: "bob-token" })).status, 200)
      assert.strictEqual((yield* ask(forge, issues)).status, 200)
      assert.strictEqual((yield* ask(forge, `${issues}/1`)).status, 502)
      yield* forge.liftFault({ fault })
      assert.strictEqual((yield* ask(forge, `${issues}/1`)).status, 200)
    })
  )

  it.live("breaks JSON in the middle of a 200", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one" })
      yield* forge.fault({ match: {}, failure: { kind: "broken-json" }, times: 1 })
      const got = yield* ask(forge, issues)
      assert.strictEqual(got.status, 200)
      assert.throws(() => JSON.parse(got.text))
      assert.isArray(JSON.parse((yield* ask(forge, issues)).text))
    })
  )

  it.live("holds a request until it is let go, and notices a client that leaves", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      const { fault } = yield* forge.fault({ match: { path: "/issues$" }, failure: { kind: "hang" } })
      const held = yield* Effect.forkChild(ask(forge, issues))
      yield* forge.waitFor((log) => log.some(({ state }) => state === "open"))
      assert.strictEqual((yield* ask(forge, "/user")).status, 200)
      const leaving = yield* Effect.forkChild(ask(forge, `${issues}?labels=leaving`))
      yield* forge.waitFor((log) => log.some(({ query }) => query["labels"] === "leaving"))
      yield* Fiber.interrupt(leaving)
      const log = yield* forge.waitFor((log) => log.some(({ state }) => state === "dropped"))
      assert.deepStrictEqual(
        log.map(({ state }) => state),
        ["open", "answered", "dropped"]
      )
      yield* forge.liftFault({ fault })
      assert.strictEqual((yield* Fiber.join(held)).status, 200)
      assert.strictEqual((yield* forge.usage({})).maxConcurrency, 2)
    })
  )

  it.live("drops a connection without an answer, or in the middle of one", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.fault({ match: { path: "/issues$" }, failure: { kind: "drop" }, times: 1 })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ask(forge, issues))))
      yield* forge.waitFor((log) => log.at(-1)?.state === "dropped")
      yield* forge.fault({ match: { path: "/issues$" }, failure: { kind: "cut" }, times: 1 })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ask(forge, issues))))
      assert.strictEqual((yield* ask(forge, issues)).status, 200)
    })
  )

  it.live("strips HTML comments from bodies, or leaves none, tags included", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one", body: "text" })
      yield* forge.comment({ repo, number: 1, body: "seen <!-- mark:\n 1 -->" })
      const path = `${issues}/1/comments`
      const raw = yield* ask(forge, path)
      assert.isTrue(raw.text.includes("<!-- mark"))
      yield* forge.configure({ bodies: "without-html-comments" })
      const stripped = yield* ask(forge, path, { etag: raw.headers.get("etag") ?? "" })
      assert.deepStrictEqual([stripped.status, stripped.text.includes('"body":"seen "')], [200, true])
      yield* forge.configure({ bodies: "null" })
      assert.isTrue((yield* ask(forge, path)).text.includes('"body":null'))
    })
  )

  it.live("every request takes the delay that was set", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.configure({ delay: 30 })
      const before = performance.now()
      yield* ask(forge, issues)
      assert.isAtLeast(performance.now() - before, 29)
    })
  )
})
