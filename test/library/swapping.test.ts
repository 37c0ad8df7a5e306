/** Each service of a live engine gives way to a memory one, and the others do not notice. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import {
  type ConfigError,
  type ConfigReloader,
  Dispatcher,
  Engine,
  EventLog,
  Identity,
  Ledger,
  type LedgerError,
  Live,
  Plan,
  Poller,
  type Providers,
  type RootError,
  RunLock,
  type Sinks
} from "../../src/index.ts"
import * as Testing from "../../src/testing.ts"

/** A forge with one labelled issue, a root, and a configuration file whose agent leaves a file behind. */
const stage = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped({ prefix: "heed-swap-" })
  const forge = yield* Testing.Forge.make()
  yield* forge.addAccount({ login: "alice" })
  yield* forge.addToken({ token: "ghp_0123456789abcdefghijABCDEFGHIJ012345", login: "alice" })
  yield* forge.addRepo({ repo: "alice/app" })
  yield* forge.openIssue({ repo: "alice/app", author: "alice", title: "The first one", labels: ["agent"] })
  yield* files.writeFileString(`${folder}/token`, "ghp_0123456789abcdefghijABCDEFGHIJ012345\n", {
    mode: 0o600
  })
  yield* files.writeFileString(
    `${folder}/heed.yaml`,
    `sources: [{ provider: github, apiUrl: "${forge.url}", auth: { file: ${folder}/token }, repos: [alice/app] }]
access: { users: [alice] }
agents: { default: { sink: process, command: [sh, -c, "cat > ${folder}/agent-was-here"] } }
`
  )
  const { plan } = yield* Plan.load(`${folder}/heed.yaml`)
  const live = {
    config: Live.layerConfigReloader(plan.file),
    providers: Live.layerProviders,
    state: Live.layerState(plan),
    sinks: Live.layerSinks(plan),
    lock: RunLock.layer({ root: plan.state.root }),
    engine: Live.layerEngine()
  }
  return { agent: files.exists(`${folder}/agent-was-here`), files, folder, live, plan }
})

type World = Layer.Success<typeof NodeServices.layer>
type StateOf = Layer.Success<ReturnType<typeof Live.layerState>>

/** What any choice of rooms has to be. */
interface Rooms {
  readonly config: Layer.Layer<ConfigReloader, ConfigError, World>
  readonly providers: Layer.Layer<Providers, never, World | ConfigReloader>
  readonly state: Layer.Layer<StateOf, RootError | LedgerError, World | ConfigReloader>
  readonly sinks: Layer.Layer<Sinks, never, World | StateOf>
  readonly lock: Layer.Layer<RunLock>
  readonly engine: Layer.Layer<
    Layer.Success<ReturnType<typeof Live.layerEngine>>,
    never,
    ConfigReloader | Providers | Sinks | StateOf
  >
}

/** The rooms put together. */
const house = (rooms: Rooms) =>
  rooms.engine.pipe(
    Layer.provideMerge(Layer.merge(rooms.sinks, rooms.providers)),
    Layer.provideMerge(rooms.state),
    Layer.provideMerge(rooms.config),
    Layer.provideMerge(rooms.lock)
  )

/** One cycle under the lock, and the runs that it started. */
const cycle = Effect.gen(function* () {
  yield* (yield* RunLock).acquire("daemon")
  const summary = yield* (yield* Poller).cycle
  yield* (yield* Dispatcher).settled
  return summary
})

const staged = <A, E>(
  test: (given: Effect.Success<typeof stage>) => Effect.Effect<A, E, Effect.Services<typeof stage> | World>
) => stage.pipe(Effect.flatMap(test), Effect.scoped, Effect.provide(NodeServices.layer))

describe("a live engine", () => {
  it.live("starts the agent, as it stands", () =>
    staged(
      Effect.fnUntraced(function* ({ agent, live }) {
        const { errors, spawned } = yield* cycle.pipe(Effect.provide(house(live)))
        assert.deepStrictEqual({ errors, spawned }, { errors: 0, spawned: 1 })
        assert.isTrue(yield* agent)
      })
    )
  )

  it.live("takes a Provider in memory", () =>
    staged(
      Effect.fnUntraced(function* ({ agent, live }) {
        const { hands, provider } = yield* Testing.MemoryTracker.make({ repos: ["acme/other"] })
        const number = yield* hands.open({ title: "Not on the forge" })
        const swapped = house({ ...live, providers: Testing.layerProviders([provider]) })
        const entries = yield* Effect.provide(
          Effect.andThen(
            cycle,
            Effect.flatMap(Ledger, (ledger) => ledger.entries)
          ),
          swapped
        )
        assert.deepStrictEqual(
          entries.map(({ ref }) => ref),
          [`github:memory.test/acme/other#${number}`]
        )
        assert.isTrue(yield* agent)
      })
    )
  )

  it.live("takes a Ledger in memory", () =>
    staged(
      Effect.fnUntraced(function* ({ agent, files, live, plan }) {
        const state = Layer.merge(live.state, Testing.layerLedger)
        const known = yield* Effect.provide(
          Effect.andThen(
            cycle,
            Effect.flatMap(Ledger, (ledger) => ledger.entries)
          ),
          house({ ...live, state })
        )
        assert.lengthOf(known, 1)
        assert.deepStrictEqual(yield* files.readDirectory(`${plan.state.root}/items`), [])
        assert.isTrue(yield* agent)
      })
    )
  )

  it.live("takes a RunLock in memory", () =>
    staged(
      Effect.fnUntraced(function* ({ agent, files, live, plan }) {
        const swapped = house({ ...live, lock: Testing.layerRunLock })
        yield* Effect.provide(
          Effect.gen(function* () {
            yield* cycle
            const second = yield* Effect.flip((yield* RunLock).acquire("daemon"))
            assert.strictEqual(second.reason, "Held")
          }).pipe(Effect.scoped),
          swapped
        )
        assert.isFalse(yield* files.exists(`${plan.state.root}/heed.pid`))
        assert.isTrue(yield* agent)
      })
    )
  )

  it.live("takes a Dispatcher in memory: it decides and records, and starts nobody", () =>
    staged(
      Effect.fnUntraced(function* ({ agent, live }) {
        const engine = Engine.layerWith({ markKey: "any" }, Testing.layerDispatcher)
        const record = yield* Effect.provide(
          Effect.gen(function* () {
            yield* cycle
            const ledger = yield* Ledger
            const [entry] = yield* ledger.entries
            return yield* ledger.get(entry?.identity ?? Identity.make("none:none"))
          }),
          house({ ...live, engine })
        )
        assert.strictEqual(record?.sessions["default"]?.state, "wanted")
        assert.isFalse(yield* agent)
      })
    )
  )

  it.live("takes a ConfigReloader in memory", () =>
    staged(
      Effect.fnUntraced(function* ({ agent, files, folder, live, plan }) {
        const nobody = { ...plan, access: { users: [] } }
        const swapped = house({ ...live, config: Testing.layerConfigReloader(nobody) })
        yield* files.remove(`${folder}/heed.yaml`)
        const { events, spawned } = yield* Effect.provide(
          Effect.gen(function* () {
            const { spawned } = yield* cycle
            return { spawned, events: (yield* (yield* EventLog).read).map(({ event }) => event) }
          }),
          swapped
        )
        assert.strictEqual(spawned, 0)
        assert.notInclude(events, "config.rejected")
        assert.isFalse(yield* agent)
      })
    )
  )

  it.live("takes Sinks in memory", () =>
    staged(
      Effect.fnUntraced(function* ({ agent, live }) {
        const sinks = Testing.layerSinks()
        const received = yield* Effect.provide(
          Effect.andThen(
            cycle,
            Effect.flatMap(Testing.SinkInbox, (inbox) => inbox.received)
          ),
          Layer.merge(house({ ...live, sinks }), sinks)
        )
        assert.deepStrictEqual(
          received.map(({ kind }) => kind),
          ["start"]
        )
        assert.isFalse(yield* agent)
      })
    )
  )

  it.live("is no more than heed/testing's own layer", () =>
    Effect.gen(function* () {
      const { hands, provider } = yield* Testing.MemoryTracker.make()
      yield* hands.open({ title: "In memory" })
      const plan = Plan.make({ users: ["alice"], agents: { default: { sink: "memory" } } })
      const { spawned } = yield* cycle.pipe(
        Effect.provide(Testing.layer({ plan, providers: [provider] })),
        Effect.scoped
      )
      assert.strictEqual(spawned, 1)
    })
  )
})
