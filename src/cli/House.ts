/**
 * House: what commands ask of the rooms below, each part built only when a command needs it, so that a command that
 * only looks loads neither the lock's binding nor a tracker.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Loaded } from "../config/load.ts"
import type { Plan } from "../config/Plan.ts"
import type { ConfigError } from "../config/Problem.ts"
import type { RunLock } from "../disk/RunLock.ts"
import type { Dispatcher } from "../engine/Dispatcher.ts"
import type { Inspector } from "../engine/Inspector.ts"
import type { Naming } from "../engine/Naming.ts"
import type { Operator } from "../engine/Operator.ts"
import type { Poller } from "../engine/Poller.ts"
import type { Showing } from "../sink/Sink.ts"
import type { EventLog, LogLine } from "../state/EventLog.ts"
import type { Heartbeat } from "../state/Heartbeat.ts"
import type { Providers } from "../tracker/Provider.ts"
import type { Failure } from "./Failure.ts"

/** A root, without the rest of its plan. */
export type Rooted = Pick<Plan["state"], "root" | "allowNetworkFs">

/** What a first run does with the items that are there already (`--accept-backlog`). */
export type Backlog = "start" | "baseline"

export interface EngineOptions {
  readonly backlog?: Backlog
  /** What a person says of a root that is not where it was (`--moved`, `--copied`). */
  readonly place?: "moved" | "copied"
  /** Told of every line that the event log gets. */
  readonly narrate?: (line: LogLine, log: Plan["log"]) => Effect.Effect<void>
}

/** Everything that works on items. It must be built under the lock, and releasing it stops it. */
export type Engine = Poller | Dispatcher | Operator | Inspector | Naming | Providers | EventLog | Heartbeat

export class House extends Context.Service<
  House,
  {
    /** Finds, reads and checks the configuration; `undefined` looks where every command looks. */
    readonly load: (file: string | undefined) => Effect.Effect<Loaded, ConfigError>
    /** The JSON Schema of the configuration, or of the events that agents and routes get. */
    readonly schema: (which: "config" | "event") => Effect.Effect<Schema.Json>
    /**
     * The daemon's socket on this root; undefined while nobody ever started there, or when it is not where it was, for
     * then the socket may be another root's. Writes nothing.
     */
    readonly socket: (state: Rooted) => Effect.Effect<string | undefined, Failure>
    readonly lock: (state: Rooted) => Layer.Layer<RunLock, Failure>
    /** What lies on disk, for looking; only `append` of the log writes. */
    readonly records: (state: Rooted) => Layer.Layer<EventLog | Heartbeat, Failure>
    /** Which agents could not be started on this machine, and the mend of each. Asks no tracker. */
    readonly unready: (plan: Plan) => Effect.Effect<ReadonlyArray<string>>
    /** Fails when nothing of the plan can work here, as a start would. Needs no root and makes none. */
    readonly usable: (plan: Plan) => Effect.Effect<void, Failure>
    readonly inspector: (plan: Plan) => Layer.Layer<Inspector | Naming, Failure>
    /** What a terminal runs to show an item's open session; fails with what there is instead. */
    readonly show: (plan: Plan, item: string) => Effect.Effect<Showing, Failure>
    /** What changes an item without a daemon. Only under the lock. */
    readonly operator: (plan: Plan) => Layer.Layer<Operator | Naming, Failure>
    /** Opens the root and builds everything that works on items. Only under the lock. */
    readonly engine: (plan: Plan, options: EngineOptions) => Layer.Layer<Engine, Failure>
  }
>()("heed/cli/House") {}
