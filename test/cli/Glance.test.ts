/** What `heed status` prints while a daemon runs, without the command line: the same as the command line, or nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { glance } from "../../src/cli/Glance.ts"
import { daemon, finished } from "./process.ts"
import { folder, heedYaml, world } from "./run.ts"

const look = (...args: ReadonlyArray<string>) =>
  Effect.promise(() => glance(args, { variables: {}, page: { columns: 80, colour: false, now: Date.now() } }))

/** Ages differ between two looks. */
const still = (text: string | undefined) =>
  text?.replaceAll(/\b\d+s\b/gu, "?s").replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/gu, '"?"')

describe("a glance at a running daemon", () => {
  it.live.each([
    ["the default root", heedYaml],
    ["a root of its own", `state: { root: elsewhere }\n${heedYaml}`],
    ["a root in quotes and escapes", `"st\\u0061te": { root: "elsew\\u0068ere" }\n${heedYaml}`]
  ] as const)("tells what the command line tells: %s", ([, yaml]) =>
    Effect.gen(function* () {
      const path = yield* folder(yaml)
      yield* daemon(path)
      for (const flags of [[], ["--json"]]) {
        const whole = yield* finished(path, ["status", ...flags])
        const quick = yield* look("status", ...flags, "--config", `${path}/heed.yaml`)
        assert.strictEqual(still(quick), still(whole.out), whole.err)
        assert.include(quick, flags.length === 0 ? "heed is running" : '"from": "daemon"')
      }
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("leaves to the command line what is not plainly a status of a running daemon", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      const config = ["--config", `${path}/heed.yaml`]
      assert.isUndefined(yield* look("status", ...config), "no daemon")
      yield* daemon(path)
      assert.isDefined(yield* look(...config, "status"))
      for (const args of [["status", "--help"], ["status", "--bogus"], ["status", "status"], ["stop"], []])
        assert.isUndefined(yield* look(...args, ...config), args.join(" "))
      assert.isUndefined(yield* look("status", "--config"), "no file named")
      assert.isUndefined(yield* look("status", "--config", `${path}/missing.yaml`), "no such file")
      yield* fs.writeFileString(`${path}/heed.yaml`, "state: { root: [\n")
      assert.isUndefined(yield* look("status", ...config), "no YAML")
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
