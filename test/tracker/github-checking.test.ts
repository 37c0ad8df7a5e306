/** What ends an item for certain, and what does not (G4.1). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Check } from "../../src/domain/Item.ts"
import type { Interface } from "../../src/forge/Forge.ts"
import { everything, layerNet, provider, stage, target } from "./onForge.ts"

const item = { repo: "acme/app", number: 1 }

const issue = Effect.gen(function* () {
  const forge = yield* stage
  yield* forge.openIssue({ repo: "acme/app", title: "x", labels: ["agent"] })
  yield* forge.openPull({ repo: "acme/app", title: "y", labels: ["agent"] })
  const github = yield* provider(forge)
  return { forge, github, row: yield* target(github, 1), change: yield* target(github, 2) }
})

const told = (check: Check) =>
  check._tag === "Present" ? check.item.state : check._tag === "Gone" ? `gone: ${check.how}` : check._tag

const path = "/issues/1$"

describe("GitHub checking", () => {
  it.live("an item that is there, and a 304 when nothing changed", () =>
    Effect.gen(function* () {
      const { forge, github, row, change } = yield* issue
      for (const which of [row, change]) {
        const first = yield* github.check(which, undefined)
        assert.strictEqual(told(first), "open")
        const validator = first._tag === "Present" ? first.validator : undefined
        assert.deepStrictEqual(yield* github.check(which, validator), { _tag: "Unchanged" })
        yield* forge.close({ repo: "acme/app", number: which.number })
        assert.strictEqual(told(yield* github.check(which, validator)), "closed")
      }
    }).pipe(Effect.provide(layerNet()))
  )

  const ends: ReadonlyArray<readonly [string, (forge: Interface) => Effect.Effect<unknown>, string]> = [
    ["closed", (forge) => forge.close(item), "closed"],
    ["merged", (forge) => forge.merge({ ...item, number: 2 }), "merged"],
    ["deleted", (forge) => forge.deleteIssue(item), "gone: deleted"],
    ["converted to a discussion (B38)", (forge) => forge.convertToDiscussion(item), "closed"],
    [
      "transferred (B35)",
      (forge) =>
        Effect.andThen(forge.addRepo({ repo: "acme/web" }), forge.transferIssue({ ...item, to: "acme/web" })),
      "gone: moved"
    ]
  ]
  for (const [name, act, expected] of ends) {
    it.live(`${name} is an end`, () =>
      Effect.gen(function* () {
        const { forge, github, row, change } = yield* issue
        yield* act(forge)
        assert.strictEqual(told(yield* github.check(name === "merged" ? change : row, undefined)), expected)
      }).pipe(Effect.provide(layerNet()))
    )
  }

  const status = (code: number) => (forge: Interface) =>
    forge.fault({ match: { path }, failure: { kind: "status", status: code } })

  const doubts: ReadonlyArray<readonly [string, (forge: Interface) => Effect.Effect<unknown>]> = [
    ["403", status(403)],
    ["404 once", status(404)],
    ["502", status(502)],
    ["a redirect to a place that is no repository's", status(302)],
    ["half a body", (forge) => forge.fault({ match: { path }, failure: { kind: "broken-json" } })],
    ["a renamed repository (B36)", (forge) => forge.renameRepo({ repo: "acme/app", to: "acme/new" })],
    [
      "issues switched off (B37)",
      (forge) =>
        Effect.andThen(forge.setIssuesEnabled({ repo: "acme/app", enabled: false }), status(410)(forge))
    ],
    ["a deleted repository", (forge) => forge.deleteRepo({ repo: "acme/app" })],
    [
      "a redirect while the repository cannot be seen",
      (forge) =>
        Effect.gen(function* () {
          yield* forge.addRepo({ repo: "acme/web" })
          yield* forge.transferIssue({ ...item, to: "acme/web" })
          yield* forge.fault({
            match: { path: "/repos/acme/app$" },
            failure: { kind: "status", status: 500 }
          })
        })
    ]
  ]
  for (const [name, act] of doubts) {
    it.live(`${name} is no end, however a restart falls`, () =>
      Effect.gen(function* () {
        const { forge, github, row } = yield* issue
        yield* act(forge)
        for (const asked of [github, yield* provider(forge)]) {
          const check = yield* asked
            .check(row, undefined)
            .pipe(Effect.catch(({ reason }) => Effect.succeed({ _tag: "Unknown" as const, why: reason })))
          assert.strictEqual(check._tag, "Unknown")
        }
      }).pipe(Effect.provide(layerNet()))
    )
  }

  it.live("another item of the same name is no end of this one, and none of its words are its (B36)", () =>
    Effect.gen(function* () {
      const { forge, row } = yield* issue
      yield* forge.deleteRepo({ repo: "acme/app" })
      yield* forge.addRepo({ repo: "acme/app" })
      yield* forge.openIssue({ repo: "acme/app", title: "another", labels: ["agent"] })
      const github = yield* provider(forge)
      assert.strictEqual(told(yield* github.check(row, undefined)), "Unknown")
      assert.strictEqual((yield* Effect.flip(github.observe(row, everything))).reason, "Moved")
    }).pipe(Effect.provide(layerNet()))
  )

  it.live("404 twice with its repository there is deleted; with the repository gone it never is (B37)", () =>
    Effect.gen(function* () {
      const { forge, github, row } = yield* issue
      const { fault } = yield* status(404)(forge)
      assert.strictEqual(told(yield* github.check(row, undefined)), "Unknown")
      yield* forge.liftFault({ fault })
      // Seen in between: counting begins anew.
      assert.strictEqual(told(yield* github.check(row, undefined)), "open")
      yield* status(404)(forge)
      assert.strictEqual(told(yield* github.check(row, undefined)), "Unknown")
      assert.strictEqual(told(yield* github.check(row, undefined)), "gone: deleted")
      yield* forge.fault({ match: { path: "/repos/acme/app$" }, failure: { kind: "status", status: 404 } })
      const blind = yield* provider(forge)
      for (let n = 0; n < 4; n += 1) assert.strictEqual(told(yield* blind.check(row, undefined)), "Unknown")
    }).pipe(Effect.provide(layerNet()))
  )

  for (const [shape, failure, reason] of [
    ["limit", { kind: "limit", shape: "reset" }, "Limited"],
    ["dropped connection", { kind: "drop" }, "Network"]
  ] as const) {
    it.live(`a ${shape} is the source's failure, not the item's`, () =>
      Effect.gen(function* () {
        const { forge, github, row } = yield* issue
        yield* forge.fault({ match: { path }, failure })
        assert.strictEqual((yield* Effect.flip(github.check(row, undefined))).reason, reason)
      }).pipe(Effect.provide(layerNet()))
    )
  }
})
