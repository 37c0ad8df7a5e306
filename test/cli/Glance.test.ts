/** A glance says what the command line says, or leaves it to the command line. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { glance, rootOf } from "../../src/cli/Glance.ts"
import { daemon } from "./process.ts"
import { folder, heed, heedYaml, world } from "./run.ts"

describe("Glance", () => {
  it.live("shows a running daemon as heed status does, a broken file beside it or not", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      const file = `${path}/heed.yaml`
      const seen = (...args: ReadonlyArray<string>) => Effect.promise(() => glance(["status", ...args]))
      assert.isUndefined(yield* seen("--config", file))
      yield* daemon(path)
      assert.strictEqual(yield* seen("--config", file), (yield* heed(["status", "--config", file])).out)
      assert.strictEqual(
        yield* seen("--json", `--config=${file}`),
        (yield* heed(["status", "--json", "--config", file])).out
      )
      yield* fs.writeFileString(file, `${heedYaml}bogus: 1\n`)
      assert.match((yield* seen("--config", file)) ?? "", /^heed is running/u)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("leaves to the command line what is not plain", () =>
    Effect.promise(async () => {
      for (const args of [
        ["plan"],
        ["status", "--help"],
        ["status", "--config"],
        ["status", "--config", "/nowhere.yaml"]
      ])
        assert.isUndefined(await glance(args))
    })
  )

  it.each([
    ["agents: {}\n", ".heed"],
    ["state:\n  keep: 30d\n  root: ../x/.heed\nagents: {}\n", "../x/.heed"],
    ["state:\r\n  root: a\r\n", "a"],
    ["state: { root: a }\n", undefined],
    ["state:\n  root: 'a'\n", undefined],
    ["state:\n  root: a # root\n", undefined],
    ["agents:\n  default:\n    root: a\n", undefined],
    ['"state":\n  "r\\u006fot": a\n', undefined]
  ])("of %j the root is %s", (text, root) => assert.strictEqual(rootOf(text), root))
})
