/**
 * Live: the rooms of this machine, put together: its files, its processes, its network. What a daemon needs, and what a
 * program takes that wants the same.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dirname } from "node:path"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import type { Plan } from "../config/Plan.ts"
import { Dispatcher } from "../engine/Dispatcher.ts"
import * as Engine from "../engine/Engine.ts"
import { Breaker } from "../net/Breaker.ts"
import { layerClient } from "../net/Client.ts"
import { Credentials } from "../net/Credentials.ts"
import { Gateway } from "../net/Gateway.ts"
import * as LiveSinks from "../sink/LiveSinks.ts"
import { Root, type RootOptions } from "../state/Root.ts"
import * as State from "../state/State.ts"
import * as Trackers from "../tracker/Providers.ts"
import { rooms } from "./Rooms.ts"

/** Waiting that every source on one host and credential shares, beginning with `polling.interval`. */
const layerBreaker = Layer.unwrap(
  Effect.map(ConfigReloader, (config) =>
    Breaker.layer({ interval: Effect.map(config.current, ({ polling }) => polling.interval) })
  )
)

/** The providers of this heed's trackers, over HTTP: connections, credentials, budgets and back-off included. */
export const layerProviders = Trackers.layer.pipe(
  Layer.provide(Layer.provide(Gateway.layer, Layer.merge(layerClient, Credentials.layer))),
  Layer.provideMerge(layerBreaker)
)

/** The running plan, read from a configuration file (absolute) and looked at again before every cycle. */
export const layerConfigReloader = (file: string) => ConfigReloader.layer({ file, ...rooms })

/** How a plan's root is opened. `HEED_MARK_KEY` stands in for the stored key where roots are short-lived. */
export const rootOf = (plan: Plan, now?: RootOptions["now"]) => ({
  path: plan.state.root,
  ...(now === undefined ? {} : { now }),
  ...(process.env["HEED_MARK_KEY"] === undefined ? {} : { markKey: process.env["HEED_MARK_KEY"] })
})

/**
 * Everything under a plan's root; the event log follows the running plan's limits. `now` is what a person says of a root
 * that is not where it was.
 */
export const layerState = (plan: Plan, now?: RootOptions["now"]) =>
  Layer.unwrap(
    Effect.map(ConfigReloader, (config) =>
      State.layer({ ...rootOf(plan, now), events: Effect.map(config.current, ({ state }) => state.events) })
    )
  )

/** The folder of the command that runs, so that an agent finds the same heed at the end of its PATH. */
const heedFolder = dirname(process.argv[1] ?? process.execPath)

/** This heed's sinks, over the runs of a root. */
export const layerSinks = (plan: Plan) =>
  Layer.unwrap(
    Effect.map(Root, ({ runs, tmuxSocket }) =>
      LiveSinks.layer({
        runs,
        tmuxSocket,
        maxPerRun: plan.state.runs.maxPerRun,
        variables: process.env,
        config: plan.file,
        heedFolder
      })
    )
  )

/** The engine as the owner of an opened root, with the given dispatcher: its marks are signed with the root's key. */
export const layerEngineWith = <E, R>(
  dispatcher: Layer.Layer<Dispatcher, E, R>,
  options: Omit<Engine.EngineOptions, "markKey"> = {}
) => Layer.unwrap(Effect.map(Root, ({ markKey }) => Engine.layerWith({ ...options, markKey }, dispatcher)))

/** The engine as the owner of an opened root. */
export const layerEngine = (options: Omit<Engine.EngineOptions, "markKey"> = {}) =>
  layerEngineWith(Dispatcher.layer, options)
