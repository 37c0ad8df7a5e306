/** Entity tags: they change exactly when the body does, differ between credentials, and what is unchanged is free. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Forge } from "../../src/forge/Forge.ts"
import { ask, etagOf, furnished, type Got } from "./asking.ts"

const repo = "acme/app"

const addresses = [
  `/user`,
  `/repos/${repo}`,
  `/repos/${repo}/labels`,
  `/repos/${repo}/issues?state=all&per_page=100`,
  `/repos/${repo}/issues?labels=agent&sort=updated`,
  `/repos/${repo}/issues/1`,
  `/repos/${repo}/issues/1/comments`,
  `/repos/${repo}/issues/1/events`,
  `/repos/${repo}/issues/1/timeline`,
  `/repos/${repo}/issues/comments`,
  `/repos/${repo}/pulls/2`,
  `/repos/${repo}/pulls/2/reviews`,
  `/repos/${repo}/pulls/2/comments`,
  `/repos/${repo}/pulls/comments`
]

const look = (forge: Forge["Service"]) => Effect.forEach(addresses, (address) => ask(forge, address))

/** One of every way in which a reply may change, and some in which none does. */
const steps = (forge: Forge["Service"]): ReadonlyArray<readonly [string, Effect.Effect<unknown>]> => [
  ["comment", forge.comment({ repo, number: 1, by: "bob", body: "hello" })],
  ["edit comment", forge.editComment({ repo, number: 1, id: 9000, body: "hello!" })],
  ["the same edit", forge.editComment({ repo, number: 1, id: 9000, body: "hello!" })],
  ["label", forge.label({ repo, number: 1, by: "alice", label: "agent" })],
  ["the same label", forge.label({ repo, number: 1, by: "bob", label: "AGENT" })],
  ["unlabel", forge.unlabel({ repo, number: 1, label: "agent" })],
  ["unlabel again", forge.unlabel({ repo, number: 1, label: "agent" })],
  ["edit", forge.edit({ repo, number: 1, title: "other", body: "text" })],
  ["review", forge.review({ repo, number: 2, by: "bob", state: "APPROVED", body: "" })],
  ["pending", forge.review({ repo, number: 2, by: "bob", state: "PENDING", body: "draft" })],
  ["submit", forge.submitReview({ repo, number: 2, id: 43, state: "COMMENTED" })],
  ["inline", forge.inlineComment({ repo, number: 2, by: "bob", body: "here" })],
  ["edit inline", forge.editComment({ repo, number: 2, stream: "review_comment", id: 500, body: "there" })],
  ["push", forge.push({ repo, number: 2 })],
  ["role", forge.setRole({ repo, login: "bob", role: "triage" })],
  ["lock", forge.lock({ repo, number: 1 })],
  ["close", forge.close({ repo, number: 1, by: "alice" })],
  ["close again", forge.close({ repo, number: 1, by: "bob" })],
  ["reopen", forge.reopen({ repo, number: 1 })],
  ["delete account", forge.deleteAccount({ login: "bob" })],
  ["delete comment", forge.deleteComment({ repo, number: 1, id: 9000 })],
  ["merge", forge.merge({ repo, number: 2, by: "alice" })],
  ["convert", forge.convertToDiscussion({ repo, number: 1 })],
  ["clock alone", forge.advanceClock({ millis: 5000 })],
  ["touch", forge.touch({ repo, number: 1 })]
]

describe("entity tags", () => {
  it.live("change exactly when the body does, and no drawing is kept too long", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.setClock({ at: 1_800_000_000_000 })
      yield* forge.addRepo({ repo: "acme/other" })
      yield* forge.openIssue({ repo, title: "one", body: "b" })
      yield* forge.openPull({ repo, title: "two", body: "b", author: "bob" })
      const changes = new Set<string>()
      let before: ReadonlyArray<Got> = yield* look(forge)
      for (const [name, step] of steps(forge)) {
        yield* forge.advanceClock({ millis: 1000 })
        yield* step
        const after = yield* look(forge)
        for (const [index, got] of after.entries()) {
          const old = before[index]
          const changed = old?.text !== got.text
          if (changed) changes.add(name)
          assert.strictEqual(
            etagOf(got) !== (old === undefined ? "" : etagOf(old)),
            changed,
            `${name} ${addresses[index]}`
          )
        }
        // A role elsewhere redraws everything: what comes out must be what was there.
        yield* forge.setRole({ repo: "acme/other", login: "bob", role: "read" })
        const redrawn = yield* look(forge)
        assert.deepStrictEqual(
          redrawn.map(({ text }) => text),
          after.map(({ text }) => text),
          name
        )
        before = after
      }
      const silent = [
        "the same edit",
        "the same label",
        "unlabel again",
        "pending",
        "close again",
        "clock alone"
      ]
      for (const [name] of steps(forge)) assert.strictEqual(changes.has(name), !silent.includes(name), name)
    })
  )

  it.live("304 has no body and costs nothing; a tag belongs to its credential", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      yield* forge.openIssue({ repo, title: "one", labels: ["agent"] })
      const path = `/repos/${repo}/issues`
      const first = yield* ask(forge, path)
      assert.isTrue(etagOf(first).startsWith('W/"'))
      const again = yield* ask(forge, path, { etag: etagOf(first) })
      assert.deepStrictEqual([again.status, again.text, etagOf(again)], [304, "", etagOf(first)])
      assert.isNull(again.headers.get("content-type"))
      assert.strictEqual(again.headers.get("x-ratelimit-used"), "1")
      assert.strictEqual((yield* ask(forge, path, { etag: `"x", ${etagOf(first)}` })).status, 304)
      for (const token of ["alice-second", "bob-token"]) {
        const other = yield* ask(forge, path, { token, etag: etagOf(first) })
        assert.deepStrictEqual([other.status, etagOf(other) === etagOf(first)], [200, false])
      }
      assert.deepStrictEqual(yield* forge.usage({}), {
        requests: 5,
        notModified: 2,
        points: 3,
        maxConcurrency: 1
      })
    })
  )

  it.live("a 304 repeats the page's links only when it is told to", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      for (const title of ["a", "b"]) yield* forge.openIssue({ repo, title })
      const path = `/repos/${repo}/issues?per_page=1`
      const etag = etagOf(yield* ask(forge, path))
      assert.isNull((yield* ask(forge, path, { etag })).headers.get("link"))
      yield* forge.configure({ linkWhenNotModified: true })
      assert.isNotNull((yield* ask(forge, path, { etag })).headers.get("link"))
    })
  )
})
