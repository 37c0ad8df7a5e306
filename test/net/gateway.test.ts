/** The one way by which trackers are asked, on real sockets. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createServer, type RequestListener } from "node:http"
import { Forge } from "../../src/forge/Forge.ts"
import { Breaker } from "../../src/net/Breaker.ts"
import { Gateway } from "../../src/net/Gateway.ts"
import { layerNet, stage, token } from "../tracker/onForge.ts"

const door = (base: string, variable = "TOKEN") =>
  Gateway.use((gateway) =>
    Effect.succeed(
      gateway.open({
        auth: { env: variable },
        host: "github.com",
        base,
        scheme: "Bearer",
        headers: { accept: "application/vnd.github+json" }
      })
    )
  )

const get = { method: "GET", path: "/repos/acme/app" } as const

/** A server that answers as a test says. */
const serving = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("Gateway", () => {
  it.live("sends the token as a header alone, the tag verbatim, and counts what came back", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      const github = yield* door(forge.url)
      const first = yield* github.ask(get)
      const second = yield* github.ask({ ...get, etag: first.etag })
      assert.deepStrictEqual([first.status, second.status, second.body], [200, 304, null])
      const usage = yield* github.usage
      assert.deepStrictEqual([usage.requests, usage.notModified], [2, 1])
      // A 304 costs nothing.
      assert.strictEqual(usage.budget?.remaining, (usage.budget?.limit ?? 0) - 1)
      assert.strictEqual(second.date, Date.parse("2026-11-30T12:00:00Z"))
      const log = yield* forge.log({})
      assert.strictEqual(log[1]?.headers["if-none-match"], first.etag)
      assert.notInclude(JSON.stringify(log), token)
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  it.live("a stop ends a slow request at once", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* forge.fault({ match: {}, failure: { kind: "hang" } })
      const github = yield* door(forge.url)
      const asking = yield* Effect.forkChild(github.ask(get))
      yield* forge.waitFor((log) => log.length === 1)
      yield* Fiber.interrupt(asking)
      // The connection is gone too: nobody waits for the answer.
      yield* forge.waitFor((log) => log[0]?.state === "dropped")
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  it.live("a stop ends a body that trickles", () =>
    Effect.gen(function* () {
      const answering = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const { url } = yield* serving((request, response) => {
        request.socket.on("close", () => gone.resolve())
        response.writeHead(200, { "content-type": "application/json" }).write("[", () => answering.resolve())
      })
      const asking = yield* (yield* door(url)).ask(get).pipe(Effect.forkChild)
      yield* Effect.promise(() => answering.promise)
      yield* Fiber.interrupt(asking)
      yield* Effect.promise(() => gone.promise)
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  it.live("a connection that was kept alive and dropped is no failure of a read", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      const github = yield* door(forge.url)
      yield* github.ask(get)
      yield* forge.fault({ match: {}, failure: { kind: "drop" }, times: 1 })
      assert.strictEqual((yield* github.ask(get)).status, 200)
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  it.live("a refused token is renewed once (B42); one that stays refused is not asked with again", () => {
    const variables: { TOKEN: string } = { TOKEN: token }
    return Effect.gen(function* () {
      const forge = yield* stage
      const github = yield* door(forge.url)
      yield* github.ask(get)
      yield* forge.revokeToken({ token })
      yield* forge.addToken({ token: "rotated", login: "alice" })
      variables.TOKEN = "rotated"
      assert.strictEqual((yield* github.ask(get)).status, 200)
      yield* forge.revokeToken({ token: "rotated" })
      const refused = yield* Effect.flip(github.ask(get))
      assert.strictEqual(refused.reason, "Unauthorized")
      const { requests } = yield* forge.usage({})
      assert.strictEqual((yield* Effect.flip(github.ask(get))).reason, "Unauthorized")
      assert.strictEqual((yield* forge.usage({})).requests, requests)
    }).pipe(Effect.scoped, Effect.provide(layerNet(variables)))
  })

  for (const shape of ["retry-after", "reset", "message", "bare", "html"] as const) {
    it.live(`after a limit (${shape}) nobody asks with this credential; others do`, () =>
      Effect.gen(function* () {
        const forge = yield* stage
        yield* forge.addToken({ token: "other", login: "bob" })
        const one = yield* door(forge.url)
        const same = yield* door(forge.url, "SAME")
        const other = yield* door(forge.url, "OTHER")
        const status = shape === "bare" || shape === "html" ? 429 : 403
        yield* forge.fault({
          match: { login: "alice" },
          failure: { kind: "limit", shape, status, seconds: 30 },
          times: 1
        })
        const limited = yield* Effect.flip(one.ask(get))
        assert.strictEqual(limited.reason, "Limited")
        const named = shape === "retry-after" || shape === "reset"
        const wait = limited.retryAfter ?? 0
        assert.isTrue(named ? wait >= 30_000 && wait < 34_000 : wait >= 60_000 && wait <= 75_000, `${wait}`)
        assert.strictEqual((yield* Effect.flip(same.ask(get))).reason, "Limited")
        assert.strictEqual((yield* other.ask(get)).status, 200)
        assert.strictEqual((yield* forge.usage({})).requests, 2)
        const waits = yield* (yield* Breaker).waits
        assert.strictEqual(waits.length, 1)
        assert.notInclude(JSON.stringify(waits), token)
      }).pipe(Effect.scoped, Effect.provide(layerNet({ TOKEN: token, SAME: token, OTHER: "other" })))
    )
  }

  it.live("writes go one by one, a second apart, and reads do not wait for them", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* forge.openIssue({ repo: "acme/app", title: "x" })
      const [one, two] = [yield* door(forge.url), yield* door(forge.url)]
      const write = {
        method: "POST",
        path: "/repos/acme/app/issues/1/comments",
        body: { body: "hi" }
      } as const
      const writing = yield* Effect.forkChild(
        Effect.all([one.ask(write), two.ask(write)], { concurrency: "unbounded" })
      )
      yield* forge.waitFor((log) => log.some(({ status }) => status === 201))
      yield* two.ask(get)
      assert.isUndefined(writing.pollUnsafe())
      yield* Fiber.join(writing)
      const [first = 0, second = 0] = (yield* forge.log({}))
        .filter(({ method }) => method === "POST")
        .map(({ at }) => at)
      // The pause is on the monotonic clock and `at` on the wall's, in whole milliseconds.
      assert.isAtLeast(second - first, 990)
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  it.live(
    "a link to another place is asked of the configured origin, so that the token goes nowhere else",
    () =>
      Effect.gen(function* () {
        const forge = yield* stage
        const elsewhere = yield* Forge.make()
        const github = yield* door(forge.url)
        yield* github.ask({ method: "GET", path: `${elsewhere.url}/repos/acme/app?x=1` })
        assert.strictEqual((yield* forge.usage({})).requests, 1)
        assert.strictEqual((yield* elsewhere.usage({})).requests, 0)
      }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  it.live("no redirect is followed", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* forge.renameRepo({ repo: "acme/app", to: "acme/new" })
      const moved = yield* Effect.flip((yield* door(forge.url)).ask(get))
      assert.strictEqual(moved.reason, "Moved")
      assert.match(moved.location ?? "", /\/repositories\/\d+/u)
      assert.strictEqual((yield* forge.usage({})).requests, 1)
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  const hostile =
    (body: (authorization: string) => string, status = 200): RequestListener =>
    (request, response) => {
      response.writeHead(status, { "content-type": "application/json" })
      response.end(body(request.headers.authorization ?? ""))
    }

  it.live("no error and no log holds the token, whatever fails (B102)", () =>
    Effect.gen(function* () {
      const echo = (authorization: string) => JSON.stringify({ message: `bad ${authorization}` })
      const urls = [
        "http://127.0.0.1:1",
        "http://no-such-host.invalid",
        (yield* serving(hostile(echo, 401))).url,
        (yield* serving(hostile(echo, 403))).url,
        (yield* serving(hostile(echo, 500))).url,
        (yield* serving(hostile((authorization) => `{"x": ${authorization}`))).url,
        (yield* serving((_, response) => response.destroy())).url,
        `${(yield* serving(hostile(echo))).url.replace("http:", "https:")}`
      ]
      const said: Array<string> = []
      for (const url of urls) {
        const error = yield* Effect.flip((yield* door(url)).ask(get))
        said.push(`${error.reason} ${error.message} ${error.stack ?? ""} ${JSON.stringify(error)}`)
      }
      const all = said.join("\n")
      assert.notInclude(all, token)
      assert.deepStrictEqual(
        said.map((text) => text.split(" ")[0]),
        ["Network", "Network", "Unauthorized", "Forbidden", "Unavailable", "BadAnswer", "Network", "Network"]
      )
      assert.include(said[0], "nothing listens at 127.0.0.1:1 (ECONNREFUSED)")
      assert.include(said[1], "no-such-host.invalid cannot be resolved")
      assert.include(said[2], "[token]")
      assert.include(said[7], "TLS with")
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )

  it.live("a missing token asks nothing and names the variable", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      const missing = yield* Effect.flip((yield* door(forge.url, "NONE")).ask(get))
      assert.strictEqual(missing.reason, "Unauthorized")
      assert.include(missing.message, "NONE")
      assert.strictEqual((yield* forge.usage({})).requests, 0)
    }).pipe(Effect.scoped, Effect.provide(layerNet()))
  )
})
