/**
 * LiveEngine: the engine on this machine's files, processes and network.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import type { Plan } from "../config/Plan.ts"
import { version } from "../domain/Version.ts"
import { Dispatcher } from "../engine/Dispatcher.ts"
import { Inspector } from "../engine/Inspector.ts"
import { Naming } from "../engine/Naming.ts"
import { Operator } from "../engine/Operator.ts"
import * as Readiness from "../engine/Readiness.ts"
import { Running } from "../engine/Running.ts"
import { Breaker } from "../net/Breaker.ts"
import { Words } from "../engine/Words.ts"
import { Agents } from "../state/Agents.ts"
import { Backlog } from "../state/Backlog.ts"
import type { EventLog } from "../state/EventLog.ts"
import { Heartbeat } from "../state/Heartbeat.ts"
import * as Live from "../live/Live.ts"
import { Ledger, newerShare } from "../state/Ledger.ts"
import { Root, type RootOptions } from "../state/Root.ts"
import { Validators } from "../state/Validators.ts"
import { type Showing, Sinks } from "../sink/Sink.ts"
import { Failure, refused } from "./Failure.ts"
import type { Engine, EngineOptions } from "./House.ts"
import * as Narrator from "./Narrator.ts"
import * as ShownSession from "./ShownSession.ts"
import { complaint } from "./Text.ts"
import { columnsOf } from "./Width.ts"

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

const usable = Layer.effectDiscard(
  Readiness.check.pipe(Effect.mapError(({ message }) => new Failure({ reason: "Unusable", message })))
)

/** A former heed's waits outlive it: a restart is no reason to ask a tracker sooner than it said (traps B27). */
const stillWaiting = Layer.effectDiscard(
  Effect.gen(function* () {
    const beat = yield* (yield* Heartbeat).read
    yield* (yield* Breaker).restore(beat?.waits ?? [])
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
  const opened = Live.layerState(plan, options.place)
  const state =
    options.narrate === undefined ? opened : Layer.provideMerge(Narrator.layer(options.narrate), opened)
  return Layer.mergeAll(Naming.layer, notNewer, usable, stillWaiting, accepting(options)).pipe(
    Layer.provideMerge(Live.layerEngine(options.backlog === undefined ? {} : { backlog: options.backlog })),
    Layer.provideMerge(Layer.merge(Live.layerSinks(plan), Live.layerProviders)),
    Layer.provideMerge(state),
    Layer.provideMerge(Live.layerConfigReloader(plan.file)),
    Layer.provide(NodeServices.layer),
    Layer.catchTag(["RootError", "LedgerError"], ({ message }) => failing(refused(message))),
    Layer.catchTag("ConfigError", ({ message }) => failing(new Failure({ reason: "Invalid", message })))
  )
}

/** What a command needs that changes an item without a daemon: it starts no agent and asks no tracker. */
export const operator = (plan: Plan): Layer.Layer<Operator | Naming | EventLog, Failure> =>
  Layer.merge(Naming.layer, notNewer).pipe(
    Layer.provideMerge(Live.layerEngineWith(Dispatcher.layerMemory)),
    Layer.provideMerge(Layer.merge(Live.layerSinks(plan), Live.layerProviders)),
    Layer.provideMerge(Live.layerState(plan)),
    Layer.provide(ConfigReloader.layerMemory(plan)),
    Layer.provide(NodeServices.layer),
    Layer.catchTag(["RootError", "LedgerError"], ({ message }) => failing(refused(message)))
  )

const failing = (failure: Failure) => Layer.effectContext(Effect.fail(failure))

/** The sinks of a plan and what runs, without a root: nothing is run by them, they are only asked. */
const askable = (plan: Plan) => {
  const { root: path } = plan.state
  const nowhere = {
    path,
    id: "",
    markKey: "",
    socket: "",
    tmuxSocket: "",
    items: join(path, "items"),
    runs: join(path, "runs")
  }
  return Layer.merge(
    Layer.provide(Live.layerSinks(plan), Layer.succeed(Root, Root.of(nowhere))),
    Running.layer({ version, markKey: "" })
  ).pipe(
    Layer.provide(Layer.provideMerge(Live.layerProviders, ConfigReloader.layerMemory(plan))),
    Layer.provide(NodeServices.layer)
  )
}

/** Which agents of a plan could not be started on this machine, and the mend of each. */
export const unready = (plan: Plan): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const sinks = yield* Sinks
    const found = yield* Effect.forEach(Object.entries(plan.agents), ([name, agent]) =>
      (sinks.get(agent.plan.sink)?.ready(agent.plan) ?? Effect.void).pipe(
        Effect.as([]),
        Effect.catch(({ message }) => Effect.succeed([`agent ${name}: ${message}`]))
      )
    )
    return found.flat()
  }).pipe(Effect.provide(askable(plan)))

/** Fails when nothing of a plan can work here, before there is a root. */
export const usablePlan = (plan: Plan): Effect.Effect<void, Failure> =>
  Readiness.check.pipe(
    Effect.mapError(({ message }) => new Failure({ reason: "Unusable", message })),
    Effect.provide(askable(plan))
  )

/** What looks without the lock: the records as they lie on disk, and the trackers. */
export const inspector = (plan: Plan): Layer.Layer<Inspector | Naming, Failure> => {
  const { root } = plan.state
  const keyOf = (options: RootOptions) =>
    Effect.map(Root, (opened) => opened.markKey).pipe(Effect.provide(Root.layerReadOnly(options)))
  const markKey = keyOf(Live.rootOf(plan)).pipe(
    // Whoever has to say whether it was moved or copied must be able to look at it.
    Effect.catchIf(
      ({ reason }) => reason === "Elsewhere",
      ({ message }) =>
        Effect.andThen(
          Console.error(complaint("warning", message, columnsOf(process.stderr))),
          keyOf({ ...Live.rootOf(plan), now: "moved" })
        )
    ),
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
        Agents.layerReadOnly({ root }),
        Backlog.layerReadOnly({ root }),
        Words.layer,
        Layer.provideMerge(Live.layerProviders, ConfigReloader.layerMemory(plan))
      )
    ),
    Layer.provide(NodeServices.layer)
  )
}

/** What a terminal runs to show an item's open session. Looks only, without the lock. */
export const show = (plan: Plan, item: string): Effect.Effect<Showing, Failure> => {
  const root = Root.layerReadOnly(Live.rootOf(plan)).pipe(
    Layer.catchTag("RootError", ({ message }) => failing(refused(message)))
  )
  const rooms = Layer.merge(Live.layerSinks(plan), Naming.layer).pipe(
    Layer.provideMerge(Layer.merge(root, Ledger.layerReadOnly({ root: plan.state.root }))),
    Layer.provide(Layer.provideMerge(Live.layerProviders, ConfigReloader.layerMemory(plan))),
    Layer.provide(NodeServices.layer)
  )
  return Effect.provide(ShownSession.of(item), rooms)
}
