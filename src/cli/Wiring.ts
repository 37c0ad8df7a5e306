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
import type { Naming } from "../engine/Naming.ts"
import type { Operator } from "../engine/Operator.ts"
import type { Showing } from "../sink/Sink.ts"
import type { Failure } from "./Failure.ts"
import type { Engine, EngineOptions } from "./House.ts"

/** What every room may use. */
export type World = FileSystem.FileSystem | Path.Path

export interface Wiring {
  /** What a configuration may name. */
  readonly rooms: Effect.Effect<Rooms>
  /** As `House` has both. */
  readonly unready: (plan: Plan) => Effect.Effect<ReadonlyArray<string>, never, World>
  readonly usable: (plan: Plan) => Effect.Effect<void, Failure, World>
  /** Reads only; needs no lock. */
  readonly inspector: (plan: Plan) => Layer.Layer<Inspector | Naming, Failure, World>
  /** As `House` has it. */
  readonly show: (plan: Plan, item: string) => Effect.Effect<Showing, Failure, World>
  /** What changes an item without a daemon. Only under the lock. */
  readonly operator: (plan: Plan) => Layer.Layer<Operator | Naming, Failure, World>
  /** Opens the root and builds everything that works on items. Only under the lock. */
  readonly engine: (plan: Plan, options: EngineOptions) => Layer.Layer<Engine, Failure, World>
}

const later = <A, E, R>(build: () => Promise<Layer.Layer<A, E, R>>): Layer.Layer<A, E, R> =>
  Layer.unwrap(Effect.promise(build))

const liveEngine = Effect.promise(() => import("./LiveEngine.ts"))

export const wiring: Wiring = {
  rooms: Effect.promise(async () => (await import("../live/Rooms.ts")).rooms),
  unready: (plan) => Effect.flatMap(liveEngine, (live) => live.unready(plan)),
  usable: (plan) => Effect.flatMap(liveEngine, (live) => live.usablePlan(plan)),
  inspector: (plan) => later(async () => (await import("./LiveEngine.ts")).inspector(plan)),
  show: (plan, item) => Effect.flatMap(liveEngine, (live) => live.show(plan, item)),
  operator: (plan) => later(async () => (await import("./LiveEngine.ts")).operator(plan)),
  engine: (plan, options) => later(async () => (await import("./LiveEngine.ts")).engine(plan, options))
}
