/** What a GitHub source lists, and what it costs (traps A, D). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Gateway } from "../../src/net/Gateway.ts"
import { layerNet, numbers, provider, rowsOf, settle, stage, target, token, validatorsOf } from "./onForge.ts"

const open = Effect.fnUntraced(function* (
  forge: Effect.Success<typeof stage>,
  ...labels: ReadonlyArray<ReadonlyArray<string>>
) {
  for (const set of labels) yield* forge.openIssue({ repo: "acme/app", title: "x", labels: set })
})

const many = (count: number) => Array.from({ length: count }, () => ["agent"])

/** The gateway behind a proxy that strips every tag. */
const untagged = Effect.map(Gateway, (gateway) =>
  Gateway.of({
    open: (options) => {
      const door = gateway.open(options)
      return {
        ...door,
        ask: (ask) =>
          Effect.map(door.ask({ ...ask, etag: undefined }), ({ etag: _etag, ...answer }) => answer)
      }
    }
  })
)

describe("GitHub listing", () => {
  it.live("issues and pull requests in one go, told apart, and filtered by monitor (B01)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ["agent"])
      yield* forge.openPull({ repo: "acme/app", title: "change", labels: ["agent"] })
      yield* open(forge, ["other"])
      yield* settle(forge)
      const both = yield* (yield* provider(forge)).list("acme/app", [])
      assert.deepStrictEqual(
        rowsOf(both)
          .map(({ ref, kind }) => [ref, kind])
          .toSorted(),
        [
          ["github:github.com/acme/app#1", "work_item"],
          ["github:github.com/acme/app#2", "change_proposal"]
        ]
      )
      const issues = yield* provider(forge, { monitor: { issues: true, pullRequests: false } })
      assert.deepStrictEqual(numbers(yield* issues.list("acme/app", [])), [1])
      const pulls = yield* provider(forge, { monitor: { issues: false, pullRequests: true } })
      assert.deepStrictEqual(numbers(yield* pulls.list("acme/app", [])), [2])
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("anyOf is a union and allOf an intersection (B02), whatever the case and characters (B03)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ["good first: issue"], ["b"], ["good first: issue", "b"], ["c"])
      yield* settle(forge)
      const any = yield* provider(forge, { labels: { anyOf: ["Good First: Issue", "B"] } })
      const listing = yield* any.list("acme/app", [])
      assert.deepStrictEqual(numbers(listing), [1, 2, 3])
      assert.deepStrictEqual(yield* any.list("acme/app", validatorsOf(listing)), { _tag: "Unchanged" })
      const all = yield* provider(forge, { labels: { allOf: ["good first: issue", "b"] } })
      assert.deepStrictEqual(numbers(yield* all.list("acme/app", [])), [3])
      const asked = (yield* forge.log({})).map(({ query }) => query["labels"])
      assert.include(asked, "Good First: Issue")
    }).pipe(Effect.provide(layerNet()))
  )

  it.live(
    "an item that the server lists wrongly is left out, and one row that makes no sense loses itself",
    () =>
      Effect.gen(function* () {
        const forge = yield* stage
        yield* open(forge, ["agent"], ["AGENT"], ["other"], ["agent"])
        yield* forge.close({ repo: "acme/app", number: 4 })
        yield* settle(forge)
        const all = yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${token}` }
          const rows: unknown = await (
            await fetch(`${forge.url}/repos/acme/app/issues?state=all`, { headers })
          ).json()
          return Array.isArray(rows) ? rows : []
        })
        const { fault } = yield* forge.fault({
          match: { path: "/issues$" },
          failure: { kind: "status", status: 200, body: JSON.stringify(all) }
        })
        const github = yield* provider(forge)
        const listing = yield* github.list("acme/app", [])
        assert.deepStrictEqual(numbers(listing), [1, 2])
        yield* forge.liftFault({ fault })
        yield* forge.fault({
          match: { path: "/issues$" },
          failure: { kind: "status", status: 200, body: JSON.stringify([...all, { number: "five" }]) }
        })
        const odd = yield* github.list("acme/app", [])
        assert.deepStrictEqual(numbers(odd), [1, 2])
        assert.isFalse(odd._tag === "Listed" && odd.complete)
        assert.deepStrictEqual(validatorsOf(odd), [])
      }).pipe(Effect.provide(layerNet()))
  )

  it.live("an unchanged listing costs one request per stored page, all 304 and free", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ...many(250))
      yield* settle(forge)
      const github = yield* provider(forge)
      const listing = yield* github.list("acme/app", [])
      assert.strictEqual(numbers(listing).length, 250)
      assert.strictEqual(validatorsOf(listing).length, 3)
      yield* forge.resetLog({})
      // Another process: nothing but the stored validators.
      const other = yield* provider(forge)
      assert.deepStrictEqual(yield* other.list("acme/app", validatorsOf(listing)), { _tag: "Unchanged" })
      const { requests, notModified, points } = yield* forge.usage({})
      assert.deepStrictEqual({ requests, notModified, points }, { requests: 3, notModified: 3, points: 0 })
      const usage = yield* other.usage
      assert.deepStrictEqual([usage.requests, usage.notModified], [3, 3])
    }).pipe(Effect.provide(layerNet()))
  )

  it.live(
    "a full last page needs no probe (B08), and a newcomer, a change or a leaver is seen on any page (B30)",
    () =>
      Effect.gen(function* () {
        const forge = yield* stage
        yield* open(forge, ...many(200))
        yield* settle(forge)
        const github = yield* provider(forge)
        let known = validatorsOf(yield* github.list("acme/app", []))
        assert.strictEqual(known.length, 2)
        const changes: ReadonlyArray<readonly [Effect.Effect<unknown>, number]> = [
          [forge.close({ repo: "acme/app", number: 1 }), 199],
          [forge.openIssue({ repo: "acme/app", title: "new", labels: ["agent"] }), 200],
          [forge.openIssue({ repo: "acme/app", title: "new", labels: ["agent"] }), 201],
          [forge.comment({ repo: "acme/app", number: 50, body: "hi" }), 201],
          [forge.unlabel({ repo: "acme/app", number: 100, label: "agent" }), 200]
        ]
        for (const [change, expected] of changes) {
          yield* change
          yield* settle(forge)
          const listing = yield* github.list("acme/app", known)
          assert.strictEqual(numbers(listing).length, expected)
          known = validatorsOf(listing)
          assert.deepStrictEqual(yield* github.list("acme/app", known), { _tag: "Unchanged" })
        }
      }).pipe(Effect.provide(layerNet()))
  )

  it.live("the server's page size and its rel=last do not matter, only rel=next", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ...many(25))
      yield* forge.configure({ maxPerPage: 10, lastLink: false })
      yield* settle(forge)
      const github = yield* provider(forge)
      const listing = yield* github.list("acme/app", [])
      assert.deepStrictEqual(
        [numbers(listing).length, listing._tag === "Listed" && listing.complete],
        [25, true]
      )
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a listing that changes while it is read is incomplete and vouched for by nothing (B07)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ...many(201))
      yield* settle(forge)
      const github = yield* provider(forge)
      // After page 1 is read, one of its items leaves, so that the first of page 2 slips onto page 1 unseen.
      yield* forge.fault({
        match: { path: "/issues$", query: "page=2" },
        failure: { kind: "before", operation: "close", input: { repo: "acme/app", number: 201 } },
        times: 1
      })
      const drifted = yield* github.list("acme/app", [])
      assert.isFalse(drifted._tag === "Listed" && drifted.complete)
      assert.deepStrictEqual(validatorsOf(drifted), [])
      assert.isFalse(numbers(drifted).includes(101))
      const next = yield* github.list("acme/app", validatorsOf(drifted))
      assert.isTrue(next._tag === "Listed" && next.complete)
      assert.isTrue(numbers(next).includes(101))
      // The same between pages 2 and 3, which page 1 does not show.
      yield* forge.fault({
        match: { path: "/issues$", query: "page=3" },
        failure: { kind: "before", operation: "close", input: { repo: "acme/app", number: 90 } },
        times: 1
      })
      yield* open(forge, ["agent"], ["agent"])
      const later = yield* github.list("acme/app", [])
      assert.isFalse(later._tag === "Listed" && later.complete)
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a server whose tags vouch for nothing still gives complete listings", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ...many(25))
      yield* forge.configure({ maxPerPage: 10 })
      yield* settle(forge)
      const github = yield* Effect.provideService(provider(forge), Gateway, yield* untagged)
      const listing = yield* github.list("acme/app", [])
      assert.isTrue(listing._tag === "Listed" && listing.complete)
      assert.deepStrictEqual([numbers(listing).length, validatorsOf(listing)], [25, []])
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a row too fresh to be sure of is marked, and no validator is given", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ["agent"])
      const github = yield* provider(forge)
      const fresh = yield* github.list("acme/app", [])
      assert.deepStrictEqual([rowsOf(fresh)[0]?.fresh, validatorsOf(fresh)], [true, []])
      yield* forge.advanceClock({ millis: 6000 })
      const sure = yield* github.list("acme/app", [])
      assert.deepStrictEqual([rowsOf(sure)[0]?.fresh, validatorsOf(sure).length], [false, 1])
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("the fingerprint changes with a comment, a title, a label, and not by itself", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ["agent"])
      const github = yield* provider(forge)
      const prints = new Set<string>()
      const look = Effect.gen(function* () {
        yield* settle(forge)
        prints.add((yield* target(github, 1)).fingerprint)
      })
      yield* look
      yield* look
      assert.strictEqual(prints.size, 1)
      yield* forge.comment({ repo: "acme/app", number: 1, body: "hi" })
      yield* look
      yield* forge.edit({ repo: "acme/app", number: 1, title: "y" })
      yield* look
      yield* forge.label({ repo: "acme/app", number: 1, label: "more" })
      yield* look
      assert.strictEqual(prints.size, 4)
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("one new comment, seen by a process that just began, costs three requests beyond the listing", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ...many(100))
      yield* settle(forge)
      const before = yield* (yield* provider(forge)).list("acme/app", [])
      yield* forge.comment({ repo: "acme/app", number: 7, body: "hi" })
      yield* settle(forge)
      yield* forge.resetLog({})
      const github = yield* provider(forge)
      const after = yield* github.list("acme/app", validatorsOf(before))
      const known = new Set(rowsOf(before).map(({ fingerprint }) => fingerprint))
      const changed = rowsOf(after).filter(({ fingerprint }) => !known.has(fingerprint))
      assert.deepStrictEqual(
        changed.map(({ number }) => number),
        [7]
      )
      for (const row of changed) yield* github.observe(row, { since: {}, labelling: false })
      assert.strictEqual((yield* forge.usage({})).requests, 1 + 3)
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a validator is worth nothing with another credential (B29)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ["agent"])
      yield* settle(forge)
      const known = validatorsOf(yield* (yield* provider(forge)).list("acme/app", []))
      yield* forge.addToken({ token: "another", login: "bob" })
      yield* forge.resetLog({})
      const listing = yield* Effect.gen(function* () {
        return yield* (yield* provider(forge)).list("acme/app", known)
      }).pipe(Effect.provide(layerNet({ TOKEN: "another" })))
      assert.deepStrictEqual(numbers(listing), [1])
      assert.isTrue((yield* forge.log({})).every(({ headers }) => headers["if-none-match"] === undefined))
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("a renamed repository says its new name; a replaced one is refused, over a restart too (B36)", () =>
    Effect.gen(function* () {
      const forge = yield* stage
      yield* open(forge, ["agent"])
      yield* settle(forge)
      const github = yield* provider(forge)
      const known = validatorsOf(yield* github.list("acme/app", []))
      yield* forge.renameRepo({ repo: "acme/app", to: "acme/application" })
      const renamed = yield* Effect.flip(github.list("acme/app", known))
      assert.strictEqual(renamed.reason, "Moved")
      assert.include(renamed.message, "acme/application")
      yield* forge.addRepo({ repo: "acme/app" })
      yield* open(forge, ["agent"])
      yield* settle(forge)
      for (const other of [github, yield* provider(forge)]) {
        const replaced = yield* Effect.flip(other.list("acme/app", known))
        assert.strictEqual(replaced.reason, "Moved")
        assert.include(replaced.message, "another repository")
      }
    }).pipe(Effect.provide(layerNet()))
  )
})
