/**
 * heed/testing: the engine without disk, process or network. A memory layer for each service, a tracker and a sink that
 * a test moves by hand, and the embedded forge, which is a GitHub over HTTP on loopback.
 */
import * as Layer from "effect/Layer"
import { ConfigReloader } from "./config/ConfigReloader.ts"
import type { Plan } from "./config/Plan.ts"
import { RunLock } from "./disk/RunLock.ts"
import { Dispatcher } from "./engine/Dispatcher.ts"
import * as Engine from "./engine/Engine.ts"
import * as MemorySinks from "./sink/MemorySinks.ts"
import { Agents } from "./state/Agents.ts"
import { Backlog } from "./state/Backlog.ts"
import { EventLog } from "./state/EventLog.ts"
import { Heartbeat } from "./state/Heartbeat.ts"
import { Ledger } from "./state/Ledger.ts"
import * as State from "./state/State.ts"
import { Validators } from "./state/Validators.ts"
import type { Provider } from "./tracker/Provider.ts"
import * as Trackers from "./tracker/Providers.ts"

/** A tracker in memory: `make` answers with its `provider` and the `hands` that move it. */
export * as MemoryTracker from "./tracker/Memory.ts"
/** What the memory sink received, and the say over how each hand-over ends. */
export { type MemorySinksOptions, SinkInbox } from "./sink/MemorySinks.ts"
/** A stateful GitHub over HTTP on loopback, with GitHub's shapes and, on request, its faults. */
export { Forge, type Interface as ForgeControls, type Options as ForgeOptions } from "./forge/Forge.ts"

/** The given providers, whatever the plan's sources say. */
export const layerProviders = Trackers.layerMemory
/** One sink under whatever name an agent's entry says, and its inbox. */
export const layerSinks = MemorySinks.layerMemory
/** A plan that never changes. */
export const layerConfigReloader = ConfigReloader.layerMemory
/** Starts no agent: for a look at what would be decided. */
export const layerDispatcher = Dispatcher.layerMemory
/** Excludes within one build of the layer only. */
export const layerRunLock = RunLock.layerMemory
/** Records in memory. */
export const layerLedger = Ledger.layerMemory
/** Lines in memory. */
export const layerEventLog = EventLog.layerMemory
/** The last beat, in memory. */
export const layerHeartbeat = Heartbeat.layerMemory
/** Validators in memory: a new engine lists everything once. */
export const layerValidators = Validators.layerMemory
/** First runs in memory. */
export const layerBacklog = Backlog.layerMemory
/** How the agents fare, in memory. */
export const layerAgents = Agents.layerMemory
/** Ledger, event log, heartbeat, validators, backlog and how the agents fare, all in memory. */
export const layerState = State.layerMemory

/** What a whole engine in memory is made of. */
export interface MemoryEngineOptions {
  readonly plan: Plan
  readonly providers: ReadonlyArray<Provider>
  /** How the memory sink ends what it is given. Default: every hand-over is done at once. */
  readonly answer?: MemorySinks.MemorySinksOptions["answer"]
}

/** A whole engine in memory, with its lock; every service of it can be taken out of the context. */
export const layer = ({ answer, plan, providers }: MemoryEngineOptions) =>
  Engine.layer({ markKey: "heed/testing" }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        layerConfigReloader(plan),
        layerProviders(providers),
        layerSinks(answer === undefined ? {} : { answer }),
        layerState,
        layerRunLock
      )
    )
  )
