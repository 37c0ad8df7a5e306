import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Beat, Heartbeat } from "../../src/state/Heartbeat.ts"
import { inFolder } from "./ledgers.ts"
import { at } from "./records.ts"

const beat: Beat = {
  version: 1,
  pid: 4711,
  heed: "0.1.0",
  at,
  startedAt: at,
  cycles: 3,
  idleCycles: 2,
  sources: [{ source: "github", scope: "acme/app", state: "ok", failures: 0, items: 4 }],
  warnings: []
}

describe("Heartbeat", () => {
  inFolder("the last beat can be read, a damaged one is none", (root) =>
    Effect.gen(function* () {
      const heartbeat = yield* Heartbeat
      assert.strictEqual(yield* heartbeat.read, undefined)
      yield* heartbeat.write({ ...beat, cycles: 2 })
      yield* heartbeat.write(beat)
      assert.deepStrictEqual(yield* heartbeat.read, beat)
      assert.deepStrictEqual(readdirSync(root), ["heartbeat.json"])
      writeFileSync(join(root, "heartbeat.json"), '{"version":1')
      assert.strictEqual(yield* heartbeat.read, undefined)
    }).pipe(Effect.provide(Heartbeat.layer({ root }).pipe(Layer.provide(NodeFileSystem.layer))))
  )
})
