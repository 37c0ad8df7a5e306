import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as ExclusiveClaim from "../../src/disk/ExclusiveClaim.ts"

describe("ExclusiveClaim", () => {
  it.live("of many that claim, one wins and all others read its whole record", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      for (let round = 0; round < 20; round++) {
        const folder = yield* files.makeTempDirectoryScoped()
        assert.strictEqual(yield* ExclusiveClaim.claimant(folder), undefined)
        const records = Array.from({ length: 12 }, (_, at) => `${at}:${"x".repeat(10_000)}`)
        const answers = yield* Effect.forEach(records, (record) => ExclusiveClaim.claim(folder, record), {
          concurrency: "unbounded"
        })
        const winners = records.filter((_, at) => answers[at]?._tag === "Won")
        assert.strictEqual(winners.length, 1)
        const lost = answers.flatMap((answer) => (answer._tag === "Lost" ? [answer.content] : []))
        assert.deepStrictEqual(new Set(lost), new Set(winners))
        assert.deepStrictEqual(readdirSync(folder), ["claim"])
        assert.strictEqual(readFileSync(join(folder, "claim"), "utf8"), winners[0])
        assert.strictEqual(yield* ExclusiveClaim.claimant(folder), winners[0])
      }
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live("a folder that is gone is an error, not a win", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(ExclusiveClaim.claim("/nonexistent/heed", "x"))
      assert.strictEqual(failure.reason, "Missing")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
