/** G1.1: a second start on a held root refuses, says who holds it, and touches nothing but the event log. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { daemon, finished } from "../cli/process.ts"
import { folder, heedYaml, world } from "../cli/run.ts"

/** Every file below a folder with its content. */
const snapshot = Effect.fn("test.snapshot")(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(root, { recursive: true })).sort()
  return yield* Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const info = yield* fs.stat(`${root}/${name}`)
      return [
        name,
        info.mode,
        info.type === "File" ? yield* fs.readFileString(`${root}/${name}`) : info.type
      ] as const
    })
  )
})

describe("G1.1", () => {
  it.live.each([
    [["start"], 1],
    [["start", "--once"], 1],
    [["start", "--once", "--skip-if-held"], 0]
  ] as const)("a second heed %j exits with %i", ([args, expected]) =>
    Effect.gen(function* () {
      const path = yield* folder()
      const running = yield* daemon(path)
      const before = yield* snapshot(`${path}/.heed`)
      const { code, err, out } = yield* finished(path, [...args])
      const after = yield* snapshot(`${path}/.heed`)
      assert.deepStrictEqual([code, out], [expected, ""])
      if (expected === 0) assert.strictEqual(err, "")
      else {
        assert.include(err, String(running.pid))
        assert.include(err, `${path}/.heed/heed.pid`)
        assert.include(err, "heed stop")
      }
      const others = (all: typeof before) => all.filter(([name]) => name !== "events.jsonl")
      assert.deepStrictEqual(others(after), others(before))
      const log = (all: typeof before) => all.find(([name]) => name === "events.jsonl")?.[2] ?? ""
      const added = log(after).slice(log(before).length)
      assert.isTrue(log(after).startsWith(log(before)))
      assert.match(added, /^\{[^\n]*"event":"poller\.blocked"[^\n]*\}\n$/u)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("an invalid configuration is said before the lock is even tried", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      yield* daemon(path)
      const before = yield* snapshot(`${path}/.heed`)
      yield* fs.writeFileString(`${path}/heed.yaml`, `${heedYaml}bogus: 1\n`)
      const { code, err } = yield* finished(path, ["start"])
      assert.strictEqual(code, 78)
      assert.include(err, "bogus")
      assert.deepStrictEqual(yield* snapshot(`${path}/.heed`), before)
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
