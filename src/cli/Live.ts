/**
 * Live: the real rooms that the commands stand on, each imported when a command first needs it.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { refused } from "./Failure.ts"
import { House, type Rooted } from "./House.ts"
import type { Wiring } from "./Wiring.ts"

const configRoom = Effect.promise(() => import("../config/load.ts"))
const configFiles = Effect.promise(() => import("../config/Files.ts"))
const jsonSchemas = Effect.promise(() => import("../config/JsonSchema.ts"))
const rootRoom = Effect.promise(() => import("../state/Root.ts"))

const later = <A, E, R>(build: () => Promise<Layer.Layer<A, E, R>>): Layer.Layer<A, E, R> =>
  Layer.unwrap(Effect.promise(build))

/** The socket as the root's owner would make it; undefined while there is no root. Writes nothing. */
const socket = Effect.fn("Live.socket")(function* ({ root: path }: Rooted) {
  const { Root } = yield* rootRoom
  return yield* Effect.map(Root, (root): string | undefined => root.socket).pipe(
    Effect.provide(Root.layerReadOnly({ path })),
    Effect.catchTag("RootError", (error) =>
      error.reason === "Missing" || error.reason === "Unwritable" || error.reason === "Elsewhere"
        ? Effect.succeed(undefined)
        : Effect.fail(refused(error.message))
    )
  )
})

/** The house on this machine's files, with what a wiring puts into it. */
export const layer = (wiring: Wiring): Layer.Layer<House, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    House,
    Effect.gen(function* () {
      const world = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const given = Layer.succeedContext(world)
      return House.of({
        load: (file) =>
          Effect.gen(function* () {
            const { find } = yield* configFiles
            const { load } = yield* configRoom
            return yield* load(yield* find(file), yield* wiring.rooms)
          }).pipe(Effect.provideContext(world)),
        schema: (which) =>
          Effect.gen(function* () {
            const { eventJsonSchema, fileJsonSchema } = yield* jsonSchemas
            return which === "event" ? eventJsonSchema() : fileJsonSchema((yield* wiring.rooms).kinds)
          }),
        socket: (state) => socket(state).pipe(Effect.provideContext(world)),
        lock: (state) =>
          later(async () =>
            (await import("../disk/RunLock.ts")).RunLock.layer({
              root: state.root,
              allowNetworkFs: state.allowNetworkFs
            })
          ),
        records: (state) =>
          Layer.mergeAll(
            later(async () =>
              (await import("../state/EventLog.ts")).EventLog.layerUnlocked({ root: state.root })
            ),
            later(async () => (await import("../state/Heartbeat.ts")).Heartbeat.layer({ root: state.root }))
          ).pipe(Layer.provide(given)),
        unready: (plan) => wiring.unready(plan).pipe(Effect.provideContext(world)),
        usable: (plan) => wiring.usable(plan).pipe(Effect.provideContext(world)),
        inspector: (plan) => Layer.provide(wiring.inspector(plan), given),
        show: (plan, item) => wiring.show(plan, item).pipe(Effect.provideContext(world)),
        operator: (plan) => Layer.provide(wiring.operator(plan), given),
        engine: (plan, options) => Layer.provide(wiring.engine(plan, options), given)
      })
    })
  )
