/** The forge's listings: filters, order, pages, links, and rows that are not to be seen yet. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, etagOf, furnished, ids, link, numbers } from "./asking.ts"

const repo = "acme/app"
const listed = `/repos/${repo}/issues?labels=agent&state=open&sort=updated&direction=desc&per_page=100`

describe("listing items", () => {
  it.live("filters by every label, whatever its case, and by state; pull requests are among them", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "both", labels: ["Agent", "good first: issue"] })
      yield* forge.openIssue({ repo, title: "one", labels: ["agent"] })
      yield* forge.openPull({ repo, title: "change", labels: ["agent"] })
      yield* forge.openIssue({ repo, title: "none" })
      yield* forge.close({ repo, number: 2 })
      assert.deepStrictEqual(numbers(yield* ask(forge, listed)), [3, 1])
      assert.deepStrictEqual(
        numbers(yield* ask(forge, `/repos/${repo}/issues?labels=AGENT,good%20first:%20issue`)),
        [1]
      )
      assert.deepStrictEqual(
        numbers(yield* ask(forge, `/repos/${repo}/issues?state=closed&labels=agent`)),
        [2]
      )
      assert.deepStrictEqual(
        numbers(yield* ask(forge, `/repos/${repo}/issues?state=all&direction=asc`)),
        [1, 2, 3, 4]
      )
      const rows = (yield* ask(forge, listed)).text
      assert.isTrue(rows.includes(`"pull_request":{"url":"${forge.url}/repos/acme/app/pulls/3"`))
    })
  )

  it.live("puts what changed last first, also within one second", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.setClock({ at: 1_800_000_000_400 })
      for (const title of ["a", "b", "c"]) yield* forge.openIssue({ repo, title, labels: ["agent"] })
      yield* forge.comment({ repo, number: 1, body: "look" })
      const got = yield* ask(forge, listed)
      assert.deepStrictEqual(numbers(got), [1, 3, 2])
      assert.strictEqual(got.headers.get("date"), "Fri, 15 Jan 2027 08:00:00 GMT")
      assert.isTrue(got.text.includes('"updated_at":"2027-01-15T08:00:00Z"'))
    })
  )

  it.live("cuts pages to a hundred, thirty by default, and says where the others are", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      for (let n = 0; n < 250; n += 1) yield* forge.openIssue({ repo, title: `t${n}`, labels: ["agent"] })
      const first = yield* ask(forge, listed.replace("per_page=100", "per_page=1000"))
      assert.strictEqual(numbers(first).length, 100)
      assert.isUndefined(link(first, "prev"))
      assert.isUndefined(link(first, "first"))
      assert.isTrue(link(first, "last")?.endsWith("&page=3"))
      assert.isTrue(link(first, "next")?.startsWith(`${forge.url}/repositories/7000/issues?`))
      const second = yield* ask(forge, link(first, "next") ?? "")
      assert.strictEqual(numbers(second)[0], 150)
      const third = yield* ask(forge, link(second, "next") ?? "")
      assert.strictEqual(numbers(third).length, 50)
      assert.isUndefined(link(third, "next"))
      assert.isUndefined(link(third, "last"))
      assert.isDefined(link(third, "prev"))
      assert.strictEqual(numbers(yield* ask(forge, `/repos/${repo}/issues`)).length, 30)
      const beyond = yield* ask(forge, `${listed}&page=9`)
      assert.deepStrictEqual(numbers(beyond), [])
      yield* forge.configure({ maxPerPage: 20, lastLink: false })
      const clamped = yield* ask(forge, listed)
      assert.strictEqual(numbers(clamped).length, 20)
      assert.isUndefined(link(clamped, "last"))
      assert.isDefined(link(clamped, "next"))
    })
  )

  it.live("an exactly full page has no next", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      for (let n = 0; n < 100; n += 1) yield* forge.openIssue({ repo, title: `t${n}`, labels: ["agent"] })
      const got = yield* ask(forge, listed)
      assert.strictEqual(numbers(got).length, 100)
      assert.isNull(got.headers.get("link"))
    })
  )

  it.live("reads since either way", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.setClock({ at: Date.parse("2027-01-01T10:00:00.700Z") })
      yield* forge.openIssue({ repo, title: "thread" })
      const { id: one } = yield* forge.comment({ repo, number: 1, body: "one" })
      const { id: two } = yield* forge.comment({ repo, number: 1, body: "two" })
      yield* forge.advanceClock({ millis: 1000 })
      const { id: three } = yield* forge.comment({ repo, number: 1, body: "three" })
      const since = `/repos/${repo}/issues/1/comments?since=2027-01-01T10:00:00Z`
      const everywhere = `/repos/${repo}/issues/comments?since=2027-01-01T10:00:00Z`
      assert.deepStrictEqual(ids(yield* ask(forge, since)), [one, two, three])
      yield* forge.configure({ since: "exclusive" })
      assert.deepStrictEqual(ids(yield* ask(forge, since)), [three])
      assert.deepStrictEqual(ids(yield* ask(forge, everywhere)), [three])
      yield* forge.editComment({ repo, number: 1, id: one, body: "one, again" })
      assert.deepStrictEqual(ids(yield* ask(forge, since)), [one, three])
    })
  )

  it.live("hides a row for so many listings, and counts whole listings", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "first", labels: ["agent"] })
      yield* forge.openIssue({ repo, title: "late", labels: ["agent"], hiddenFor: 2 })
      const first = yield* ask(forge, listed)
      assert.deepStrictEqual(numbers(first), [1])
      assert.strictEqual((yield* ask(forge, listed, { etag: etagOf(first) })).status, 304)
      const third = yield* ask(forge, listed, { etag: etagOf(first) })
      assert.deepStrictEqual(numbers(third), [2, 1])
      const { id } = yield* forge.comment({ repo, number: 1, body: "slow", hiddenFor: 1 })
      assert.deepStrictEqual(ids(yield* ask(forge, `/repos/${repo}/issues/1/comments`)), [])
      assert.deepStrictEqual(ids(yield* ask(forge, `/repos/${repo}/issues/1/comments`)), [id])
    })
  )

  it.live("answers a filtered listing from before a write while the item itself is current", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "closing", labels: ["agent"] })
      yield* forge.openIssue({ repo, title: "unlabelled" })
      yield* forge.freezeListing({ repo, listings: 1 })
      yield* forge.close({ repo, number: 1 })
      yield* forge.label({ repo, number: 2, label: "agent" })
      assert.deepStrictEqual(numbers(yield* ask(forge, listed)), [1])
      assert.isTrue((yield* ask(forge, `/repos/${repo}/issues/1`)).text.includes('"state":"closed"'))
      assert.deepStrictEqual(numbers(yield* ask(forge, listed)), [2])
    })
  )

  it.live("can lose an item between two pages", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      for (let n = 0; n < 101; n += 1) yield* forge.openIssue({ repo, title: `t${n}`, labels: ["agent"] })
      yield* forge.fault({
        match: { path: "/issues$", query: "per_page=100$" },
        failure: { kind: "after", operation: "close", input: { repo, number: 50 } },
        times: 1
      })
      const first = yield* ask(forge, listed)
      assert.isTrue(numbers(first).includes(50))
      const second = yield* ask(forge, link(first, "next") ?? "")
      assert.deepStrictEqual(numbers(second), [])
      assert.isTrue(numbers(yield* ask(forge, listed)).includes(1))
    })
  )

  it.live("a thousand comments on one item are ten pages, in order, and quick", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "busy" })
      const made: Array<number> = []
      for (let n = 0; n < 1000; n += 1)
        made.push((yield* forge.comment({ repo, number: 1, body: `c${n}` })).id)
      const seen: Array<number> = []
      let next: string | undefined = `/repos/${repo}/issues/1/comments?per_page=100`
      while (next !== undefined) {
        const got = yield* ask(forge, next)
        seen.push(...ids(got))
        next = link(got, "next")
      }
      assert.deepStrictEqual(seen, made)
      assert.strictEqual((yield* forge.usage({})).requests, 10)
    })
  )
})
