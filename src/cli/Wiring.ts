/**
 * Wiring: which rooms this heed has: its trackers and sinks as the configuration may name them, and the engine built
 * of live layers. Each is imported when a command first needs it.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { Plan } from "../config/Plan.ts"
import type { Rooms } from "../config/Read.ts"
import type { Inspector } from "../engine/Inspector.ts"
import { type Failure, refused } from "./Failure.ts"
import type { Engine, EngineOptions } from "./House.ts"

/** What every room may use. */
export type World = FileSystem.FileSystem | Path.Path

export interface Wiring {
  /** What a configuration may name. */
  readonly rooms: Effect.Effect<Rooms>
  /** Reads only; needs no lock. */
  readonly inspector: (plan: Plan) => Layer.Layer<Inspector, Failure, World>
  /** Opens the root and builds everything that works on items. Only under the lock. */
  readonly engine: (plan: Plan, options: EngineOptions) => Layer.Layer<Engine, Failure, World>
}

const missing = Effect.fail(refused("this heed is not put together yet"))

export const wiring: Wiring = {
  rooms: Effect.succeed({
    kinds: { providers: [], sinks: [], notYet: { providers: [], sinks: [] } },
    templates: { builtIn: { start: "", comment: "", resume: "" }, check: () => undefined }
  }),
  inspector: () => Layer.unwrap(missing),
  engine: () => Layer.unwrap(missing)
}
