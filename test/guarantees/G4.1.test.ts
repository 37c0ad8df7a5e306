/** G4.1: only a definite answer about an item ends its session. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Failure } from "../../src/forge/Faults.ts"
import type { LoggedRequest } from "../../src/forge/Meter.ts"
import { repo, type World, world } from "../support/world.ts"

const listing = `/repos/${repo}/issues`
const direct = "/issues/\\d+$"

/** Sessions on a few items, at most two of which fit on a page of the listing. */
const alive = Effect.fnUntraced(function* (count: number) {
  const w = yield* world({ polling: { sweepEvery: "100ms" }, limits: { sessions: 16 } })
  yield* w.forge.configure({ maxPerPage: 2 })
  const numbers = yield* Effect.forEach(Array.from({ length: count }), (_, n) => w.issue(`item ${n}`))
  const heed = yield* w.start("start")
  for (const number of numbers) yield* w.untilState(number, "live")
  return { w, numbers, heed }
})

const nothingEnded = (w: World, why: string) => {
  assert.deepStrictEqual(
    w.records().filter(({ sessions }) => sessions["default"]?.state !== "live"),
    [],
    why
  )
  assert.deepStrictEqual(
    w.events().filter(({ event }) => event === "poll.closure_detected" || event === "session.ended"),
    [],
    why
  )
}

/** Waits for so many requests that are like this. */
const untilAsked = (w: World, what: string, times: number, like: (request: LoggedRequest) => boolean) =>
  w.forge
    .waitFor((log) => log.filter((request) => request.state !== "open" && like(request)).length >= times)
    .pipe(
      Effect.timeoutOrElse({
        duration: "20 seconds",
        orElse: () => Effect.die(new Error(`nobody asks: ${what}\n${w.report()}`))
      })
    )

type Broken = readonly [what: string, page: string | undefined, failure: Failure]
const onPage2: ReadonlyArray<Broken> = [
  ["the second page fails", "2", { kind: "status", status: 502 }],
  ["the second page is forbidden", "2", { kind: "status", status: 403 }],
  ["the second page is not there", "2", { kind: "status", status: 404 }],
  ["the second page is half a page", "2", { kind: "broken-json" }],
  ["the second page is cut off", "2", { kind: "cut" }],
  ["the second page holds rows nobody knows", "2", { kind: "status", status: 200, body: "[{}, {}]" }]
]
const whole: ReadonlyArray<Broken> = [
  ["the listing is not there", undefined, { kind: "status", status: 404 }],
  ["the listing is unauthorized", undefined, { kind: "status", status: 401 }],
  [
    "the listing is a redirect",
    undefined,
    { kind: "status", status: 301, headers: { location: "/elsewhere" } }
  ],
  ["the listing is HTML", undefined, { kind: "status", status: 200, body: "<html></html>" }],
  ["the listing is an object", undefined, { kind: "status", status: 200, body: '{"message":"soon"}' }],
  ["the listing is limited", undefined, { kind: "limit", shape: "bare", status: 429 }]
]

describe("G4.1", () => {
  for (const [which, cases] of [
    ["partial", onPage2],
    ["failed, redirected or forbidden", whole]
  ] as const) {
    it.live(`a ${which} listing ends nothing, even where no item answers`, () =>
      Effect.gen(function* () {
        const { heed, numbers, w } = yield* alive(4)
        for (const [what, page, failure] of cases) {
          // What is not on the first page also seems gone when it is asked about directly.
          yield* w.forge.fault({ match: { path: direct }, failure: { kind: "status", status: 410 } })
          const query = page === undefined ? {} : { query: `[?&]?page=${page}` }
          yield* w.forge.fault({ match: { path: "/issues$", ...query }, failure })
          yield* w.forge.resetLog({})
          yield* w.forge.edit({ repo, number: numbers[0] ?? 0, title: what })
          const times = failure.kind === "limit" ? 1 : 3
          yield* untilAsked(
            w,
            what,
            times,
            (request) =>
              request.path.endsWith("/issues") &&
              request.status !== 304 &&
              (page === undefined || request.query["page"] === page)
          )
          nothingEnded(w, what)
          yield* w.forge.liftFault({})
          if (failure.kind === "limit") break
          yield* w.untilHealthy
        }
        yield* heed.stop
        nothingEnded(w, "after all")
      }).pipe(Effect.scoped)
    )
  }

  it.live("a listing that changed while it was read ends nothing", () =>
    Effect.gen(function* () {
      const { heed, numbers, w } = yield* alive(4)
      const [first = 0, hidden = 0] = numbers
      yield* w.forge.hideItem({ repo, number: hidden, listings: 1000 })
      yield* w.forge.fault({
        match: { path: `/issues/${hidden}$` },
        failure: { kind: "status", status: 410 }
      })
      // Whenever somebody reads the second page, the first one changes.
      const speak = { repo, number: first, by: "bob", body: "meanwhile" }
      yield* w.forge.fault({
        match: { path: "/issues$", query: "page=2$" },
        failure: { kind: "after", operation: "comment", input: speak }
      })
      yield* w.forge.resetLog({})
      yield* w.say(first, "say-something")
      yield* untilAsked(
        w,
        "page 2",
        4,
        ({ path, query }) => path.endsWith("/issues") && query["page"] === "2"
      )
      nothingEnded(w, "the listing is no snapshot")
      yield* w.forge.liftFault({})
      yield* heed.stop
    }).pipe(Effect.scoped)
  )

  it.live("doubt about an unlisted item ends nothing; closed, merged, deleted and moved do", () =>
    Effect.gen(function* () {
      const { heed, numbers, w } = yield* alive(5)
      const [doubtful = 0, closed = 0, deleted = 0, moved = 0, unlabelled = 0] = numbers
      const pull = (yield* w.forge.openPull({ repo, title: "merge me", author: "alice", labels: ["agent"] }))
        .number
      yield* w.untilState(pull, "live")
      const doubts: ReadonlyArray<Failure> = [
        { kind: "status", status: 403 },
        { kind: "status", status: 500 },
        { kind: "status", status: 451 },
        { kind: "status", status: 404, body: "<html>" },
        { kind: "broken-json" }
      ]
      const own = `${listing}/${doubtful}$`
      for (const failure of doubts) {
        yield* w.forge.hideItem({ repo, number: doubtful, listings: 1000 })
        yield* w.forge.fault({ match: { path: own }, failure, times: 1 })
        yield* w.forge.resetLog({})
        yield* w.forge.edit({ repo, number: doubtful, title: JSON.stringify(failure) })
        yield* untilAsked(w, "a doubtful item", 1, ({ path }) => path === `${listing}/${doubtful}`)
        nothingEnded(w, JSON.stringify(failure))
        yield* w.forge.liftFault({})
        yield* w.forge.resetLog({})
        yield* untilAsked(
          w,
          "again",
          1,
          ({ path, status }) => path === `${listing}/${doubtful}` && status === 200
        )
      }
      yield* w.forge.addRepo({ repo: "acme/elsewhere" })
      yield* w.forge.close({ repo, number: closed, by: "alice" })
      yield* w.forge.deleteIssue({ repo, number: deleted })
      yield* w.forge.transferIssue({ repo, number: moved, to: "acme/elsewhere" })
      yield* w.forge.merge({ repo, number: pull })
      yield* w.forge.unlabel({ repo, number: unlabelled, label: "agent" })
      const isEnded = (number: number) => w.record(number)?.sessions["default"]?.state === "ended"
      for (const number of [closed, deleted, moved, pull]) yield* w.untilState(number, "ended")
      yield* w.untilListed(2)
      yield* heed.stop
      assert.deepStrictEqual([isEnded(doubtful), isEnded(unlabelled)], [false, false])
      assert.deepStrictEqual(
        [closed, deleted, moved, pull].map((number) => w.record(number)?.state),
        ["closed", "deleted", "moved", "merged"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a listing that drops from many to none is doubted until a second cycle says the same", () =>
    Effect.gen(function* () {
      const { heed, numbers, w } = yield* alive(2)
      yield* heed.stop
      for (const number of numbers) yield* w.forge.close({ repo, number, by: "alice" })
      yield* w.age
      yield* w.forge.resetLog({})
      assert.strictEqual((yield* w.run("start", "--once")).code, 0)
      nothingEnded(w, "one empty listing")
      assert.strictEqual((yield* w.run("start", "--once")).code, 0)
      assert.deepStrictEqual(
        w.records().map(({ sessions }) => sessions["default"]?.state),
        ["ended", "ended"],
        "the doubt outlives the process, so that heed from cron ends what has ended"
      )
    }).pipe(Effect.scoped)
  )
})
