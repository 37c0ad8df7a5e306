/**
 * `heed start`: the daemon, or with `--once` a single cycle. First the configuration, then the lock, then all else.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { Plan } from "../config/Plan.ts"
import * as ControlServer from "../control/ControlServer.ts"
import type { RunLockError } from "../disk/RunLock.ts"
import { version } from "../domain/Version.ts"
import { Dispatcher } from "../engine/Dispatcher.ts"
import { type CycleSummary, Poller } from "../engine/Poller.ts"
import { EventLog } from "../state/EventLog.ts"
import { Providers } from "../tracker/Provider.ts"
import { banner } from "./Banner.ts"
import { Ending } from "./Ending.ts"
import { Failure, refused } from "./Failure.ts"
import { House } from "./House.ts"
import { acquire } from "./Locking.ts"
import * as Narrator from "./Narrator.ts"
import { plan } from "./Root.ts"
import { count } from "./Text.ts"

interface Input {
  readonly once: boolean
  readonly wait: boolean
  readonly skipIfHeld: boolean
  readonly moved: boolean
  readonly copied: boolean
  readonly acceptBacklog: Option.Option<"start" | "baseline">
}

/** Somebody else has the root: that is said, once in its log too, and nothing else is touched (G1.1). */
const blocked = Effect.fn("start.blocked")(function* (which: Plan, input: Input, error: RunLockError) {
  const house = yield* House
  if (error.reason !== "Held") return yield* refused(error.message)
  yield* Effect.flatMap(EventLog, (log) =>
    log.append({
      event: "poller.blocked",
      level: "warn",
      pidfile: error.pidfile,
      pid: process.pid,
      ...(error.holder === undefined ? {} : { holder: error.holder.pid, role: error.holder.role })
    })
  ).pipe(Effect.provide(house.records(which.state)))
  if (!input.skipIfHeld) return yield* refused(error.message)
})

/** One cycle, and everything that can start because of it; undefined when it was stopped on the way. */
const once = (input: Input, stopping: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const poller = yield* Poller
    const dispatcher = yield* Dispatcher
    const work = Effect.tap(poller.cycle, () => (input.wait ? dispatcher.settled : dispatcher.drained))
    return yield* Effect.raceFirst(
      Effect.raceFirst(work, dispatcher.supervise),
      Effect.as(Deferred.await(stopping), undefined)
    )
  })

/** Cycles until it is stopped. A defect of the loop or a worker ends it: no daemon lives on deaf. */
const loop = (stopping: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const poller = yield* Poller
    const dispatcher = yield* Dispatcher
    yield* Effect.raceFirst(Effect.raceFirst(poller.run, dispatcher.supervise), Deferred.await(stopping))
  })

const incomplete = (summary: CycleSummary | undefined): Failure | undefined => {
  const why =
    summary === undefined || summary.interrupted
      ? "it was interrupted"
      : summary.errors > 0
        ? `${count(summary.errors, "source or item", "sources or items")} failed; "heed events --since 10m" tells which`
        : undefined
  return why === undefined
    ? undefined
    : new Failure({ reason: "Incomplete", message: `this cycle is incomplete: ${why}` })
}

/** What the daemon does while it holds the lock and its engine is built. */
const run = Effect.fn("start.run")(function* (
  which: Plan,
  input: Input,
  how: Narrator.Narration,
  stopping: Deferred.Deferred<void>
) {
  const log = yield* EventLog
  const providers = yield* (yield* Providers).forSources(which.sources)
  if (how.json)
    yield* Effect.forEach(which.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  else for (const line of banner(which, providers, how)) how.write(line)
  const started = yield* Clock.currentTimeMillis
  yield* log.append({
    event: "poller.started",
    level: "info",
    version,
    pid: process.pid,
    mode: input.once ? "once" : "daemon",
    sources: which.sources.map(({ name }) => name)
  })
  return yield* (input.once ? once(input, stopping) : Effect.as(loop(stopping), undefined)).pipe(
    Effect.ensuring(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        log.append({ event: "poller.stopped", level: "info", pid: process.pid, ms: now - started })
      )
    )
  )
})

const start = Effect.fn("cli.start")(function* (input: Input) {
  const fs = yield* FileSystem.FileSystem
  const house = yield* House
  const ending = yield* Ending
  if (input.wait && !input.once)
    return yield* refused(
      "--wait belongs to --once: a daemon does not wait for its runs\nsee: heed start --help"
    )
  if (input.moved && input.copied)
    return yield* refused(
      "a root was either moved or copied: give --moved or --copied\nsee: heed start --help"
    )
  const which = yield* plan
  // From here on a signal is a stop (G2.3).
  yield* Ref.set(ending.interrupted, input.once ? 75 : 0)
  // A start that is refused leaves no new root behind; whether there is one the lock says better than this look.
  const isThere = yield* fs
    .exists(which.state.root)
    .pipe(Effect.catchTag("PlatformError", () => Effect.succeed(true)))
  if (!isThere) yield* house.usable(which)
  const held = yield* acquire(input.once ? "once" : "daemon", which).pipe(
    Effect.catchTag("RunLockError", (error) => Effect.as(blocked(which, input, error), undefined))
  )
  if (held === undefined) return
  const how = yield* Narrator.narration(which.log)
  const stopping = yield* Deferred.make<void>()
  const engine = house.engine(which, {
    ...(Option.isSome(input.acceptBacklog) ? { backlog: input.acceptBacklog.value } : {}),
    ...(input.moved ? { place: "moved" } : input.copied ? { place: "copied" } : {}),
    narrate: Narrator.tell(how)
  })
  // Beside the engine, above the lock: the socket goes first, then the engine, then the lock.
  const control = Layer.unwrap(
    Effect.map(house.socket(which.state), (path) =>
      path === undefined
        ? Layer.empty
        : ControlServer.layer({
            path,
            root: which.state.root,
            role: input.once ? "once" : "daemon",
            stop: Effect.asVoid(Deferred.succeed(stopping, undefined))
          })
    )
  )
  const summary = yield* run(which, input, how, stopping).pipe(
    Effect.provide(Layer.provideMerge(control, engine).pipe(Layer.provideMerge(Narrator.layerLogger(how)))),
    Effect.catchTag(["ControlServerError", "PlatformError"], (error) => Effect.fail(refused(error.message)))
  )
  const failure = input.once ? incomplete(summary) : undefined
  if (failure !== undefined) return yield* failure
}, Effect.scoped)

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

export const command = Command.make(
  "start",
  {
    once: flag("once", "one cycle, then leave when all runs have started"),
    wait: flag("wait", "with --once: wait for the runs to end"),
    skipIfHeld: flag("skip-if-held", "leave quietly when another heed runs here"),
    moved: flag("moved", "the state root was moved here: keep it"),
    copied: flag("copied", "the state root is a copy: make a new one of it"),
    acceptBacklog: Flag.Literals("accept-backlog", ["start", "baseline"]).pipe(
      Flag.withDescription("what to do with the items of a held first run"),
      Flag.optional
    )
  },
  start
).pipe(
  Command.withDescription("Watches the sources and puts agents to work, until it is stopped."),
  Command.withShortDescription("watch the sources, put agents to work"),
  Command.withExamples([
    { command: "heed start" },
    { command: "heed start --once --skip-if-held", description: "from cron" }
  ])
)
