/** Where a configuration is looked for, and in which order. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { find } from "../../src/config/Files.ts"

/** A home with a configuration under XDG's default folder, and a working folder without one. */
const world = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.makeTempDirectoryScoped()
  yield* fs.makeDirectory(`${home}/.config/heed`, { recursive: true })
  yield* fs.makeDirectory(`${home}/xdg/heed`, { recursive: true })
  return home
})

/** Looks from a working folder, without changing that of the process. */
const lookFrom = (folder: string, asked: string | undefined, env: Record<string, string>) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    return yield* find(asked).pipe(
      Effect.provideService(Path.Path, { ...path, resolve: (...parts) => path.resolve(folder, ...parts) })
    )
  }).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
    Effect.match({ onSuccess: (file) => file, onFailure: ({ message }) => message })
  )

describe("the configuration is", () => {
  it.effect("what was asked for, else $HEED_CONFIG, else ./heed.yaml, else XDG's", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* world
      const look = (asked: string | undefined, env: Record<string, string>) =>
        lookFrom(home, asked, { HOME: home, ...env })

      const nothing = yield* look(undefined, {})
      assert.include(
        nothing,
        `there is no configuration at ${home}/heed.yaml or ${home}/.config/heed/heed.yaml`
      )
      assert.include(nothing, "heed init")

      yield* fs.writeFileString(`${home}/.config/heed/heed.yaml`, "")
      assert.strictEqual(yield* look(undefined, {}), `${home}/.config/heed/heed.yaml`)
      yield* fs.writeFileString(`${home}/xdg/heed/heed.yaml`, "")
      assert.strictEqual(
        yield* look(undefined, { XDG_CONFIG_HOME: `${home}/xdg` }),
        `${home}/xdg/heed/heed.yaml`
      )
      yield* fs.writeFileString(`${home}/heed.yaml`, "")
      assert.strictEqual(yield* look(undefined, {}), `${home}/heed.yaml`)
      assert.strictEqual(yield* look(undefined, { HEED_CONFIG: "" }), `${home}/heed.yaml`)
      // What is named is taken even if it is missing, so that the error is about it.
      assert.strictEqual(yield* look(undefined, { HEED_CONFIG: "x.yaml" }), `${home}/x.yaml`)
      assert.strictEqual(yield* look("/a/y.yaml", { HEED_CONFIG: "x.yaml" }), "/a/y.yaml")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
