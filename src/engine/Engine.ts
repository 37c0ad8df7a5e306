/**
 * Engine: the rooms of this floor, put together over whatever state, configuration, providers and sinks a program
 * chose.
 */
import * as Layer from "effect/Layer"
import { version } from "../domain/Version.ts"
import { AgentHealth } from "./AgentHealth.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { Inspector } from "./Inspector.ts"
import { Operator } from "./Operator.ts"
import { Poller } from "./Poller.ts"
import { Running } from "./Running.ts"
import { Words } from "./Words.ts"

export interface EngineOptions {
  /**
   * The key that signs the marks under heed's own comments, by which they are known again (traps B20). Any text, secret,
   * and the same for as long as one ledger lives; a `Root` keeps one.
   */
  readonly markKey: string
  /** A newer version tries again what an older one gave up. Default: this heed's. */
  readonly version?: string
  /** What becomes of the items that a first run finds; otherwise more than `polling.firstRun.max` are held. */
  readonly backlog?: "start" | "baseline"
}

/** Everything that works on items, with the given dispatcher. */
export const layerWith = <E, R>(options: EngineOptions, dispatcher: Layer.Layer<Dispatcher, E, R>) =>
  Layer.mergeAll(Poller.layer, Operator.layer, Inspector.layer).pipe(
    Layer.provideMerge(dispatcher),
    Layer.provideMerge(AgentHealth.layer),
    Layer.provideMerge(Layer.mergeAll(Running.layer({ version, ...options }), Words.layer))
  )

/** Everything that works on items. */
export const layer = (options: EngineOptions) => layerWith(options, Dispatcher.layer)
