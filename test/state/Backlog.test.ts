/** Backlog: which listings had their first run, in a file that several of them write at once. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { instant } from "../../src/domain/Item.ts"
import { Backlog } from "../../src/state/Backlog.ts"
import { Root } from "../../src/state/Root.ts"

describe("backlog", () => {
  it.live("eight first runs at once are all remembered, by the next heed too and by who only looks", () =>
    Effect.gen(function* () {
      const path = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const names = Array.from({ length: 8 }, (_, n) => `tracker/acme/r${n}`)
      const live = Layer.provide(Backlog.layer, Root.layer({ path })).pipe(Layer.fresh)
      const all = Effect.flatMap(Backlog, (backlog) => backlog.all)
      yield* Effect.flatMap(Backlog, (backlog) =>
        Effect.forEach(names, (name) => backlog.set(name, { state: "settled", at: instant(0), count: 1 }), {
          concurrency: 8
        })
      ).pipe(Effect.provide(live))
      assert.sameMembers(Object.keys(yield* Effect.provide(all, live)), names)
      const looking = Backlog.layerReadOnly({ root: path })
      assert.sameMembers(Object.keys(yield* Effect.provide(all, looking)), names)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
