/** The providers of a plan: made once, kept while their entry stays as it is. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Providers } from "../../src/tracker/Provider.ts"
import * as Live from "../../src/tracker/Providers.ts"
import { trackers } from "../../src/tracker/Trackers.ts"
import { layerNet, source } from "./onForge.ts"

describe("Providers", () => {
  it.live("a provider stays the same, with its memory, while its entry does", () =>
    Effect.gen(function* () {
      const { forSources } = yield* Providers
      const one = source({ url: "http://127.0.0.1:1" })
      const two = { ...one, name: "two" }
      const [first, second] = yield* forSources([one, two])
      const [again] = yield* forSources([structuredClone(one)])
      assert.strictEqual(again, first)
      const [other] = yield* forSources([source({ url: "http://127.0.0.1:1" }, { label: "else" })])
      assert.notStrictEqual(other, first)
      // What was gone from the plan was forgotten.
      assert.notStrictEqual((yield* forSources([one, two]))[1], second)
      assert.strictEqual(first?.host, second?.host)
      assert.deepStrictEqual(first?.scopes, ["acme/app"])
    }).pipe(Effect.provide(Live.layer.pipe(Layer.provide(layerNet()))))
  )

  it("every tracker has a name of its own", () => {
    assert.strictEqual(new Set(trackers.map(({ kind }) => kind.name)).size, trackers.length)
  })
})
