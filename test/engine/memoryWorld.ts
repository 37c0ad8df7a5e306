/**
 * A world without disk, process or network: a tracker that fails item by item, and a heed that is restarted by `once`
 * after each act, over a ledger, validators, a backlog and runs that outlive it.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  type Agents,
  type Backlog,
  type CycleSummary,
  Dispatcher,
  Engine,
  EventLog,
  Identity,
  type Inspector,
  type ItemRecord,
  Ledger,
  type LogLine,
  type Operator,
  Plan,
  Poller,
  type Provider,
  SourceError,
  State,
  type Validators
} from "../../src/index.ts"
import type { HandOverTry } from "../../src/domain/HandOver.ts"
import type { Running } from "../../src/engine/Running.ts"
import type { Words } from "../../src/engine/Words.ts"
import type { Result } from "../../src/sink/Sink.ts"
import * as Testing from "../../src/testing.ts"

type Reason = SourceError["reason"]
type Known =
  | Ledger
  | EventLog
  | Validators
  | Backlog
  | Agents
  | Poller
  | Operator
  | Inspector
  | Dispatcher
  | Running
  | Words

/** What goes wrong with the tracker; a test changes it between two cycles. */
export interface Faults {
  /** Why looking at an item fails, by its number. */
  readonly observe: Map<number, Reason>
  /** Why a scope's listing fails. */
  readonly list: Map<string, Reason>
  /** Items that the listing does not show, though they are in scope. */
  readonly hidden: Set<number>
  /** Items whose words cannot be read. */
  readonly wordless: Set<number>
  /** Why posting fails; `after` it was posted all the same. */
  post: { readonly reason: Reason; readonly when: "before" | "after" } | undefined
}

export const memoryWorld = Effect.fnUntraced(function* (
  options: {
    readonly firstRun?: number
    readonly attempts?: number
    readonly onUnlabel?: "keep" | "stop"
    /** Words on an item within an hour; default: the plan's own. */
    readonly perItemPerHour?: number
    /** What waits is handed over word by word. */
    readonly wordByWord?: true
    /** Characters of one prompt. */
    readonly capacity?: number
    /** Keep the state in files under this folder, opened anew by each life; default: in memory. */
    readonly root?: string
    readonly answer?: NonNullable<Parameters<typeof Testing.layerSinks>[0]>["answer"]
    /** What the files under `root` are on; default: this machine's. */
    readonly files?: Layer.Layer<FileSystem.FileSystem>
    /** The tracker's clock; default: heed's own. */
    readonly clock?: Clock.Clock
  } = {}
) {
  const { hands, provider: tracker } = yield* Testing.MemoryTracker.make()
  const there = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    options.clock === undefined ? effect : Effect.provideService(effect, Clock.Clock, options.clock)
  const repos = [...tracker.scopes]
  const faults: Faults = {
    observe: new Map(),
    list: new Map(),
    hidden: new Set(),
    wordless: new Set(),
    post: undefined
  }
  const asked: Array<string> = []
  const fail = (reason: Reason) => new SourceError({ reason, message: `it was told to fail: ${reason}` })

  const provider: Provider = {
    ...tracker,
    scopes: repos,
    list: Effect.fnUntraced(function* (scope, validators) {
      asked.push(`list ${scope}${validators.length === 0 ? "" : " conditionally"}`)
      const reason = faults.list.get(scope)
      if (reason !== undefined) return yield* fail(reason)
      const tail = ` without ${[...faults.hidden].join()}`
      const given = validators.flatMap(({ etag, url }) =>
        etag.endsWith(tail) ? [{ url, etag: etag.slice(0, -tail.length) }] : []
      )
      const answer = yield* there(tracker.list(scope, given))
      return answer._tag === "Unchanged"
        ? answer
        : {
            ...answer,
            rows: answer.rows.filter(({ number }) => !faults.hidden.has(number)),
            validators: answer.validators.map(({ etag, url }) => ({ url, etag: `${etag}${tail}` }))
          }
    }),
    observe: Effect.fnUntraced(function* (target, look) {
      asked.push(`observe ${target.number}`)
      const reason = faults.observe.get(target.number)
      if (reason !== undefined) return yield* fail(reason)
      const observation = yield* there(tracker.observe(target, look))
      return faults.wordless.has(target.number)
        ? { ...observation, comments: [], streams: { issue_comment: { complete: false, why: "502" } } }
        : observation
    }),
    check: (target, validator) => {
      asked.push(`check ${target.number}`)
      return there(tracker.check(target, validator))
    },
    post: Effect.fnUntraced(function* (target, text) {
      asked.push(`post ${target.number}`)
      const { post } = faults
      if (post?.when === "before") return yield* fail(post.reason)
      const key = yield* there(tracker.post(target, text))
      return post === undefined ? key : yield* fail(post.reason)
    })
  }

  const made = Plan.make({
    users: ["alice"],
    agents: { default: { sink: "memory", coalesce: options.wordByWord !== true } },
    sources: [
      { provider: "memory", name: tracker.source, settings: {}, onUnlabel: options.onUnlabel ?? "keep" }
    ]
  })
  const { attempts = made.polling.attempts, firstRun: max = 25 } = options
  const { perItemPerHour = made.limits.perItemPerHour } = options
  let plan: Plan.Plan = {
    ...made,
    polling: { ...made.polling, attempts, firstRun: { max } },
    limits: { ...made.limits, perItemPerHour }
  }
  const sinks = yield* Layer.build(
    Testing.layerSinks({
      ...(options.answer === undefined ? {} : { answer: options.answer }),
      ...(options.capacity === undefined ? {} : { capacity: options.capacity })
    })
  )
  const state =
    options.root === undefined
      ? Layer.succeedContext(yield* Layer.build(Testing.layerState))
      : Layer.orDie(State.layer({ path: options.root })).pipe(
          Layer.provide(
            options.files === undefined ? NodeServices.layer : Layer.merge(NodeServices.layer, options.files)
          ),
          Layer.fresh
        )

  /** The plan of the engines that are built from now on. */
  const configure = (change: (plan: Plan.Plan) => Plan.Plan): Plan.Plan => (plan = change(plan))

  /** Does something with a newly built engine, which is gone when that is done. */
  const living = <A, E>(
    life: Effect.Effect<A, E, Known>,
    engine: { readonly backlog?: "start" | "baseline"; readonly version?: string } = {}
  ): Effect.Effect<A, E> =>
    Effect.suspend(() =>
      life.pipe(
        Effect.provide(
          Engine.layer({ markKey: "any", ...engine }).pipe(
            Layer.provideMerge(
              Layer.mergeAll(
                Testing.layerConfigReloader(plan),
                Testing.layerProviders([provider]),
                Layer.succeedContext(sinks),
                state
              )
            ),
            Layer.fresh
          )
        )
      )
    )

  const cycle = Effect.gen(function* () {
    // Every cycle has a minute of its own, so that nothing that happened before one is too fresh for it.
    yield* TestClock.adjust("1 minute")
    asked.length = 0
    const summary: CycleSummary = yield* (yield* Poller).cycle
    yield* (yield* Dispatcher).settled
    return summary
  })

  const identity = (number: number, repo = "acme/app"): Identity =>
    Identity.make(`github:memory.test/${repo}/${number}`)
  const inState = <A, E>(effect: Effect.Effect<A, E, Ledger | EventLog | Validators | Backlog | Agents>) =>
    Effect.provide(effect, state)

  return {
    hands,
    /** Does something at the tracker, by the tracker's clock. */
    there,
    faults,
    /** The scopes that are listed; a test may add one. */
    repos,
    configure,
    /** The plan of the next engine. */
    get plan() {
      return plan
    },
    /** What the tracker was asked; begun anew by each cycle. */
    asked,
    living,
    /** One cycle and the hand-overs that follow from it, in an engine that lives already. */
    cycle,
    /** `heed start --once --wait` in a process of its own. */
    once: (engine: Parameters<typeof living>[1] = {}) => living(cycle, engine),
    record: (number: number, repo?: string): Effect.Effect<ItemRecord | undefined> =>
      inState(Effect.flatMap(Ledger, (ledger) => ledger.get(identity(number, repo)))).pipe(Effect.orDie),
    identity,
    inState,
    events: (name: string): Effect.Effect<ReadonlyArray<LogLine>> =>
      inState(Effect.flatMap(EventLog, (log) => log.read)).pipe(
        Effect.map((lines) => lines.filter(({ event }) => event === name))
      ),
    /** Ends a hand-over that is at work. */
    settle: (which: HandOverTry, result: Result) =>
      Effect.provide(
        Effect.flatMap(Testing.SinkInbox, (inbox) => inbox.settle(which, result)),
        sinks
      ),
    /** Waits until so many hand-overs have reached an agent. */
    arrived: (count: number) =>
      Effect.provide(
        Effect.flatMap(Testing.SinkInbox, (inbox) => inbox.arrived(count)),
        sinks
      ),
    received: Effect.provide(
      Effect.flatMap(Testing.SinkInbox, (inbox) => inbox.received),
      sinks
    )
  }
})
export type MemoryWorld = Effect.Success<ReturnType<typeof memoryWorld>>
