/**
 * State: everything that lies under one root, as one layer: the root itself, the ledger, the event log, the heartbeat,
 * the validators, the backlog and how the agents fare.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Role, RunLock } from "../disk/RunLock.ts"
import { Agents } from "./Agents.ts"
import { Backlog } from "./Backlog.ts"
import { EventLog } from "./EventLog.ts"
import { Heartbeat } from "./Heartbeat.ts"
import { Ledger } from "./Ledger.ts"
import type { Limits } from "./LineFile.ts"
import { Root, type RootOptions } from "./Root.ts"
import { Validators } from "./Validators.ts"

export interface StateOptions extends RootOptions {
  /** Of the event log; asked before each line. Default: five files of 50 MB. */
  readonly events?: Effect.Effect<Limits>
}

const usual: Limits = { maxSize: 50_000_000, files: 5 }

/**
 * The state under `path` (absolute), made when missing. Only under the `RunLock` of the same root. Fails when the root
 * was moved or copied, is damaged, or cannot be written.
 */
export const layer = (options: StateOptions) =>
  Layer.mergeAll(
    Ledger.layer,
    Backlog.layer,
    Agents.layer,
    Heartbeat.layer({ root: options.path }),
    Validators.layer({ root: options.path }),
    EventLog.layer({ root: options.path, limits: options.events ?? Effect.succeed(usual) })
  ).pipe(Layer.provideMerge(Root.layer(options)))

/**
 * The same, with the root's `RunLock` taken first and given back last. Whoever holds the lock already, or takes it
 * elsewhere, uses `layer`. The lock in the context has to be one of this root.
 */
export const layerLocked = (options: StateOptions, role: Role = "daemon") =>
  layer(options).pipe(
    Layer.provide(
      Layer.effectDiscard(
        Effect.gen(function* () {
          yield* (yield* RunLock).acquire(role)
        })
      )
    )
  )

/** The same in memory, but for the root: there is none. */
export const layerMemory = Layer.mergeAll(
  Ledger.layerMemory,
  Backlog.layerMemory,
  Agents.layerMemory,
  Heartbeat.layerMemory,
  Validators.layerMemory,
  EventLog.layerMemory
)
