import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Validators } from "../../src/state/Validators.ts"
import { inFolder } from "./ledgers.ts"
import { at } from "./records.ts"

const opened = (root: string) =>
  Validators.layer({ root }).pipe(Layer.fresh, Layer.provide(NodeFileSystem.layer))

const vouched = { pages: [{ url: "https://api.github.com/x?page=1", etag: 'W/"1"' }], rows: { i1: "f1" } }
const nothing = { pages: [], rows: {} }

describe("Validators", () => {
  inFolder("what was flushed is there after a restart, and nothing else is", (root) =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const validators = yield* Validators
        assert.deepStrictEqual(yield* validators.get("github/acme/app"), nothing)
        yield* validators.flush
        assert.isFalse(existsSync(join(root, "validators.json")))
        yield* validators.set("github/acme/app", vouched)
        yield* validators.swept(at)
        assert.deepStrictEqual(yield* validators.get("github/acme/app"), vouched)
        assert.isFalse(existsSync(join(root, "validators.json")))
        yield* validators.flush
        yield* validators.set("github/other", vouched)
      }).pipe(Effect.provide(opened(root)))
      yield* Effect.gen(function* () {
        const validators = yield* Validators
        assert.deepStrictEqual(yield* validators.get("github/acme/app"), vouched)
        assert.deepStrictEqual(yield* validators.get("github/other"), nothing)
        assert.strictEqual(yield* validators.sweptAt, at)
        const before = statSync(join(root, "validators.json"), { bigint: true })
        yield* validators.set("github/acme/app", structuredClone(vouched))
        yield* validators.flush
        assert.strictEqual(statSync(join(root, "validators.json"), { bigint: true }).ino, before.ino)
      }).pipe(Effect.provide(opened(root)))
    })
  )

  inFolder("a damaged file costs requests and nothing else", (root) =>
    Effect.gen(function* () {
      for (const damage of ["", "{", '{"version":2}', '{"version":1,"listings":{"a":{"pages":1}}}']) {
        writeFileSync(join(root, "validators.json"), damage)
        yield* Effect.gen(function* () {
          const validators = yield* Validators
          assert.deepStrictEqual(yield* validators.get("a"), nothing)
          yield* validators.set("a", vouched)
          yield* validators.flush
          assert.deepStrictEqual(JSON.parse(readFileSync(join(root, "validators.json"), "utf8")), {
            version: 1,
            listings: { a: vouched }
          })
        }).pipe(Effect.provide(opened(root)))
      }
    })
  )

  it.effect("in memory it answers alike", () =>
    Effect.gen(function* () {
      const validators = yield* Validators
      yield* validators.set("a", vouched)
      yield* validators.swept(at)
      assert.deepStrictEqual([yield* validators.get("a"), yield* validators.sweptAt], [vouched, at])
    }).pipe(Effect.provide(Validators.layerMemory))
  )
})
