/**
 * A house for tests: the real lock, root, event log and heartbeat, with an engine that is told by environment
 * variables how to behave. What is under test here is the command line and the socket, not the engine.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Engine, EngineOptions } from "../../src/cli/House.ts"
import * as Narrator from "../../src/cli/Narrator.ts"
import { Failure, refused } from "../../src/cli/Failure.ts"
import type { Wiring, World } from "../../src/cli/Wiring.ts"
import { ConfigReloader } from "../../src/config/ConfigReloader.ts"
import type { Plan } from "../../src/config/Plan.ts"
import { Ref } from "../../src/domain/Ref.ts"
import { Dispatcher } from "../../src/engine/Dispatcher.ts"
import { type DryRun, Inspector, type SessionLine } from "../../src/engine/Inspector.ts"
import { Naming } from "../../src/engine/Naming.ts"
import { Operator, OperatorError } from "../../src/engine/Operator.ts"
import { type CycleSummary, Poller } from "../../src/engine/Poller.ts"
import { EventLog } from "../../src/state/EventLog.ts"
import { Heartbeat } from "../../src/state/Heartbeat.ts"
import { Root } from "../../src/state/Root.ts"
import { Providers } from "../../src/tracker/Provider.ts"
import { rooms } from "../config/kinds.ts"

/** `loop` and `cycle`: quiet, defect, hang. `stopping`: quick, never. */
export interface Behaviour {
  readonly cycle?: "ok" | "errors" | "hang"
  readonly loop?: "quiet" | "defect"
  readonly worker?: "quiet" | "defect"
  /** What is wrong with the agent. */
  readonly agent?: string
  readonly stopping?: "quick" | "never"
}

export const session: SessionLine = {
  ref: "github:github.com/acme/app#12",
  url: "https://github.com/acme/app/issues/12",
  title: "Title",
  agent: "default",
  generation: 1,
  session: "11111111-2222-5333-8444-555555555555",
  state: "live",
  why: "its start was confirmed",
  since: "2026-11-30T12:00:00.000Z",
  working: true,
  open: false,
  waiting: 2,
  waitingFor: "the run at work"
}

const summary: CycleSummary = {
  items: 1,
  changed: 0,
  spawned: 0,
  forwarded: 0,
  settled: 0,
  closed: 0,
  gaveUp: 0,
  errors: 0,
  interrupted: false,
  requests: 1,
  notModified: 1,
  ms: 5
}

const naming = Layer.succeed(
  Naming,
  Naming.of({
    resolve: (text) =>
      text === "acme/app#12" || text === "broken"
        ? Effect.succeed(Ref.make(text === "broken" ? "github:broken" : "github:github.com/acme/app#12"))
        : Effect.fail(new OperatorError({ reason: "Unknown", message: `no item is called "${text}"` }))
  })
)

const operator = Layer.succeed(
  Operator,
  Operator.of({
    retry: (ref) => Effect.as(Effect.logWarning("a word of the engine"), `retry ${ref}`),
    pause: (ref) => Effect.succeed(`pause ${ref}`),
    resume: (ref) => Effect.succeed(`resume ${ref}`),
    stop: (ref) => Effect.succeed(`stop ${ref}`),
    acceptBacklog: (how) => Effect.succeed(`accepted: ${how}`)
  })
)

const inspector = Layer.succeed(
  Inspector,
  Inspector.of({
    sessions: Effect.succeed([session]),
    pauses: Effect.succeed([]),
    plan: (only) =>
      Effect.succeed<DryRun>({
        items: [],
        failures:
          only === "github:broken" ? [{ source: "github", scope: "acme/app", message: "no answer" }] : []
      }),
    explain: () => Effect.succeed(undefined)
  })
)

const engine = (
  behaviour: Behaviour,
  plan: Plan,
  options: EngineOptions
): Layer.Layer<Engine, Failure, World> => {
  const root = Layer.catchTag(Root.layer({ path: plan.state.root }), "RootError", (error) =>
    Layer.effect(Root, Effect.fail(refused(error.message)))
  )
  const written = Layer.provideMerge(
    EventLog.layer({ root: plan.state.root, limits: Effect.succeed(plan.state.events) }),
    root
  )
  const log =
    options.narrate === undefined
      ? written
      : Layer.provide(Narrator.layer(options.narrate), Layer.merge(written, ConfigReloader.layerMemory(plan)))
  const stopping = Layer.effectDiscard(
    Effect.addFinalizer(() => (behaviour.stopping === "never" ? Effect.never : Effect.void))
  )
  return Layer.mergeAll(
    log,
    stopping,
    Heartbeat.layer({ root: plan.state.root }),
    inspector,
    Layer.succeed(
      Poller,
      Poller.of({
        cycle:
          behaviour.cycle === "hang"
            ? Effect.never
            : Effect.succeed({ ...summary, errors: behaviour.cycle === "errors" ? 2 : 0 }),
        run: behaviour.loop === "defect" ? Effect.die(new Error("a broken loop")) : Effect.never,
        nudge: Effect.void
      })
    ),
    Layer.succeed(
      Dispatcher,
      Dispatcher.of({
        offer: () => Effect.void,
        recover: Effect.void,
        refresh: Effect.void,
        waitingFor: () => Effect.succeed(undefined),
        drained: Effect.void,
        settled: Effect.void,
        supervise: behaviour.worker === "defect" ? Effect.die(new Error("a broken worker")) : Effect.never
      })
    ),
    naming,
    operator,
    Layer.succeed(Providers, Providers.of({ forSources: () => Effect.succeed([]) }))
  )
}

/** A wiring whose engine behaves as told. */
export const wiring = (behaviour: Behaviour = {}): Wiring => ({
  rooms: Effect.succeed(rooms),
  unready: () => Effect.succeed(behaviour.agent === undefined ? [] : [`agent default: ${behaviour.agent}`]),
  usable: () =>
    behaviour.agent === undefined
      ? Effect.void
      : Effect.fail(new Failure({ reason: "Unusable", message: behaviour.agent })),
  inspector: () => Layer.merge(inspector, naming),
  show: (_plan, item) => Effect.fail(refused(`"${item}" has no session`)),
  operator: () => Layer.merge(operator, naming),
  engine: (plan, options) => engine(behaviour, plan, options)
})
