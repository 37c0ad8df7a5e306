/**
 * LiveEngine: the engine on this machine's files, processes and network.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dirname } from "node:path"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import type { Plan } from "../config/Plan.ts"
import { version } from "../domain/Version.ts"
import { Dispatcher } from "../engine/Dispatcher.ts"
import * as EngineRoom from "../engine/Engine.ts"
import { Inspector } from "../engine/Inspector.ts"
import { Naming } from "../engine/Naming.ts"
import { Operator } from "../engine/Operator.ts"
import { Running } from "../engine/Running.ts"
import { Breaker } from "../net/Breaker.ts"
import { layerClient } from "../net/Client.ts"
import { Credentials } from "../net/Credentials.ts"
import { Gateway } from "../net/Gateway.ts"
import * as LiveSinks from "../sink/LiveSinks.ts"
import { Backlog } from "../state/Backlog.ts"
import { EventLog } from "../state/EventLog.ts"
import { Heartbeat } from "../state/Heartbeat.ts"
import { Ledger, newerShare } from "../state/Ledger.ts"
import { Root } from "../state/Root.ts"
import { Validators } from "../state/Validators.ts"
import * as Trackers from "../tracker/Providers.ts"
import { Failure, refused } from "./Failure.ts"
import type { Engine, EngineOptions } from "./House.ts"
import * as Narrator from "./Narrator.ts"
import { rooms } from "./Rooms.ts"

/** A failing host is left alone for `polling.interval` at first. */
const breaker = Layer.unwrap(
  Effect.map(ConfigReloader, (config) =>
    Breaker.layer({ interval: Effect.map(config.current, ({ polling }) => polling.interval) })
  )
)

const providers = Trackers.layer.pipe(
  Layer.provide(Gateway.layer),
  Layer.provide(Layer.mergeAll(layerClient, Credentials.layer, breaker))
)

const rootOf = (plan: Plan) => ({
  path: plan.state.root,
  ...(process.env["HEED_MARK_KEY"] === undefined ? {} : { markKey: process.env["HEED_MARK_KEY"] })
})

/** The folder of the command that runs, so that an agent finds the same heed at the end of its PATH. */
const heedFolder = dirname(process.argv[1] ?? process.execPath)

const eventLog = (plan: Plan, { narrate }: EngineOptions) => {
  const written = Layer.unwrap(
    Effect.map(ConfigReloader, (config) =>
      EventLog.layer({
        root: plan.state.root,
        limits: Effect.map(config.current, ({ state }) => state.events)
      })
    )
  )
  return narrate === undefined ? written : Layer.provide(Narrator.layer(narrate), written)
}

const sinks = (plan: Plan) =>
  Layer.unwrap(
    Effect.map(Root, ({ runs }) =>
      LiveSinks.layer({
        runs,
        maxPerRun: plan.state.runs.maxPerRun,
        variables: process.env,
        config: plan.file,
        heedFolder
      })
    )
  )

/** A root that mostly holds records of a newer heed is that heed's: this one says so and leaves it alone (G3.5). */
const notNewer = Layer.effectDiscard(
  Effect.gen(function* () {
    const entries = yield* (yield* Ledger).entries
    if (newerShare(entries) <= 0.5) return
    return yield* new Failure({
      reason: "Invalid",
      message: `most records of this root were written by a newer heed than ${version}: run that one, or give this one a state.root of its own`
    })
  })
)

/** Does what `--accept-backlog` says before the first cycle. */
const accepting = ({ backlog }: EngineOptions) =>
  backlog === undefined
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.flatMap(Operator, (operator) => operator.acceptBacklog(backlog)).pipe(
          Effect.flatMap((said) => Effect.logInfo(said)),
          Effect.mapError(({ message }) => refused(message))
        )
      )

/** Opens the root and builds everything that works on items. Only under the lock. */
export const engine = (plan: Plan, options: EngineOptions): Layer.Layer<Engine, Failure> => {
  const root = plan.state.root
  const state = Layer.mergeAll(
    Ledger.layer,
    Backlog.layer,
    Heartbeat.layer({ root }),
    Validators.layer({ root }),
    eventLog(plan, options),
    sinks(plan)
  ).pipe(
    Layer.provideMerge(Root.layer(rootOf(plan))),
    Layer.provideMerge(ConfigReloader.layer({ file: plan.file, ...rooms }))
  )
  const working = Layer.unwrap(Effect.map(Root, ({ markKey }) => EngineRoom.layer({ version, markKey })))
  return Layer.mergeAll(Naming.layer, notNewer, accepting(options)).pipe(
    Layer.provideMerge(working),
    Layer.provideMerge(Layer.provideMerge(providers, state)),
    Layer.provide(NodeServices.layer),
    Layer.catchTag(["RootError", "LedgerError"], ({ message }) => failing(refused(message))),
    Layer.catchTag("ConfigError", ({ message }) => failing(new Failure({ reason: "Invalid", message })))
  )
}

const failing = (failure: Failure) => Layer.effectContext(Effect.fail(failure))

/** What looks without the lock: the records as they lie on disk, and the trackers. */
export const inspector = (plan: Plan): Layer.Layer<Inspector | Naming, Failure> => {
  const { root } = plan.state
  const markKey = Effect.map(Root, (opened) => opened.markKey).pipe(
    Effect.provide(Root.layerReadOnly(rootOf(plan))),
    Effect.catchTag("RootError", (error) =>
      // Where no heed ever ran there is no mark to know either.
      error.reason === "Missing" ? Effect.succeed("") : Effect.fail(refused(error.message))
    )
  )
  const running = Layer.unwrap(Effect.map(markKey, (key) => Running.layer({ version, markKey: key })))
  return Layer.mergeAll(Inspector.layer, Naming.layer).pipe(
    Layer.provide(Layer.mergeAll(running, Dispatcher.layerMemory)),
    Layer.provide(
      Layer.mergeAll(
        Ledger.layerReadOnly({ root }),
        Validators.layer({ root }),
        Layer.provideMerge(providers, ConfigReloader.layerMemory(plan))
      )
    ),
    Layer.provide(NodeServices.layer)
  )
}
