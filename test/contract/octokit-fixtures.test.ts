/** GitHub's own answers, as recorded by Octokit, pass through the gateway, the walk and the decoders. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { readFileSync } from "node:fs"
import { Breaker } from "../../src/net/Breaker.ts"
import { Credentials } from "../../src/net/Credentials.ts"
import { Gateway } from "../../src/net/Gateway.ts"
import { Account, Issue, Repository } from "../../src/tracker/github/Answers.ts"
import { decodeAnswer, headers, walk } from "../../src/tracker/github/Api.ts"
import { issueItem } from "../../src/tracker/github/Facts.ts"

const Recordings = Schema.Array(
  Schema.Struct({
    method: Schema.String,
    path: Schema.String,
    status: Schema.Int,
    response: Schema.Json,
    headers: Schema.Record(Schema.String, Schema.Json)
  })
)

const recordings = (scenario: string) =>
  Schema.decodeUnknownSync(Recordings)(
    JSON.parse(
      readFileSync(
        new URL(
          `../../node_modules/@octokit/fixtures/scenarios/api.github.com/${scenario}/normalized-fixture.json`,
          import.meta.url
        ),
        "utf8"
      )
    )
  )

/** Answers what was recorded, to the request that was recorded. */
const replaying = (scenario: string) => {
  const recorded = recordings(scenario)
  return Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.sync(() => {
        const found = recorded.find(
          ({ method, path }) =>
            method.toUpperCase() === request.method && path === `${url.pathname}${url.search}`
        )
        if (found === undefined)
          throw new Error(`not recorded: ${request.method} ${url.pathname}${url.search}`)
        const kept = Object.entries(found.headers).filter(([name]) => name !== "content-length")
        return HttpClientResponse.fromWeb(
          request,
          new Response(found.status === 204 ? null : JSON.stringify(found.response), {
            status: found.status,
            headers: kept.map(([name, value]) => [name, String(value)])
          })
        )
      })
    )
  )
}

const onRecording = (scenario: string) =>
  Layer.fresh(
    Gateway.layer.pipe(
      Layer.provide(Layer.mergeAll(Credentials.layerMemory("token"), Breaker.layer(), replaying(scenario)))
    )
  )

const door = Gateway.use((gateway) =>
  Effect.succeed(
    gateway.open({
      auth: { env: "TOKEN" },
      host: "github.com",
      base: "https://api.github.com",
      scheme: "Bearer",
      headers
    })
  )
)

describe("recorded answers of GitHub", () => {
  it.live("a listing of five pages is walked by its links and decodes", () =>
    Effect.gen(function* () {
      const read = yield* walk(
        yield* door,
        "/repos/octokit-fixture-org/paginate-issues/issues?per_page=3",
        Issue,
        "the recording"
      )
      assert.isTrue(read.complete)
      assert.strictEqual(read.rows.length, 13)
      const home = { host: "github.com", repo: "octokit-fixture-org/paginate-issues", repository: 1000 }
      const items = read.rows.map((issue) => issueItem(home, issue))
      assert.strictEqual(items[0]?.ref, "github:github.com/octokit-fixture-org/paginate-issues#13")
      assert.deepStrictEqual([items[0]?.body, items[0]?.updatedAt], ["", "2017-10-10T16:00:00.000Z"])
      assert.strictEqual(items[0]?.author?.principal, "octokit-fixture-user-a")
    }).pipe(Effect.provide(onRecording("paginate-issues")))
  )

  it.live("a repository decodes", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* door).ask({
        method: "GET",
        path: "/repos/octokit-fixture-org/hello-world"
      })
      const found = yield* decodeAnswer(Repository, answer, "the recording")
      assert.deepStrictEqual([found.full_name, found.has_issues], ["octokit-fixture-org/hello-world", true])
    }).pipe(Effect.provide(onRecording("get-repository")))
  )

  it.live("a renamed repository redirects to its number, which tells the new name", () =>
    Effect.gen(function* () {
      const github = yield* door
      const moved = yield* Effect.flip(
        github.ask({ method: "GET", path: "/repos/octokit-fixture-org/rename-repository" })
      )
      assert.strictEqual(moved.reason, "Moved")
      const answer = yield* github.ask({ method: "GET", path: moved.location ?? "" })
      assert.match((yield* decodeAnswer(Repository, answer, "the recording")).full_name, /rename/u)
    }).pipe(Effect.provide(onRecording("rename-repository")))
  )

  it.live("a refused write is a refusal with GitHub's words", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(
        (yield* door).ask({ method: "POST", path: "/repos/octokit-fixture-org/errors/labels", body: {} })
      )
      assert.deepStrictEqual([refused.reason, refused.said], ["Refused", "Validation Failed"])
    }).pipe(Effect.provide(onRecording("errors")))
  )

  it("issues of a search decode as issues do", () => {
    const Found = Schema.Struct({ items: Schema.Array(Issue) })
    const [recorded] = recordings("search-issues")
    assert.isAbove(Schema.decodeUnknownSync(Found)(recorded?.response).items.length, 0)
    assert.strictEqual(Schema.decodeUnknownSync(Account)({ login: "x", id: 1 }).login, "x")
  })
})
