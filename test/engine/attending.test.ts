/** How sessions are attended: reloads that wake, stops that drain, claims in doubt, what is said and when. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { ItemRecord } from "../../src/domain/Record.ts"
import {
  ConfigReloader,
  Dispatcher,
  Engine,
  EventLog,
  Ledger,
  LedgerError,
  Plan,
  Poller,
  type Sink,
  Sinks
} from "../../src/index.ts"
import { SinkError } from "../../src/sink/Sink.ts"
import * as MemorySinks from "../../src/sink/MemorySinks.ts"
import * as Testing from "../../src/testing.ts"

type Limits = NonNullable<Parameters<typeof Plan.make>[0]["limits"]>

const planOf = (limits: Limits = {}) =>
  Plan.make({ users: ["alice"], agents: { default: { sink: "memory", coalesce: false } }, limits })

/** A tracker, a root and a sink that outlive each engine; what is in force, and how sink and ledger behave, may change. */
const world = Effect.fnUntraced(function* (limits: Limits = {}) {
  const { hands, provider } = yield* Testing.MemoryTracker.make()
  const { inbox, sink } = yield* MemorySinks.make("memory", { answer: () => undefined })
  const state = yield* Layer.build(Testing.layerState)
  const log = yield* Effect.provide(EventLog, state)
  const ledger = yield* Effect.provide(Ledger, state)
  const w = {
    hands,
    inbox,
    ledger,
    real: sink,
    plan: planOf(limits),
    sink: sink as Sink,
    /** Before each read of the ledger, and before each line of the event log. */
    reading: Effect.void as Effect.Effect<void, LedgerError>,
    saying: (_event: string): Effect.Effect<void> => Effect.void,
    events: (event: string) => Effect.map(log.read, (lines) => lines.filter((line) => line.event === event)),
    record: Effect.flatMap(ledger.entries, ([entry]) =>
      entry === undefined ? Effect.succeed(undefined) : ledger.get(entry.identity)
    ),
    layer: () => {
      let known = w.plan
      const watched = state.pipe(
        Context.add(
          Ledger,
          Ledger.of({
            ...ledger,
            get: (identity) =>
              Effect.andThen(
                Effect.suspend(() => w.reading),
                ledger.get(identity)
              )
          })
        ),
        Context.add(
          EventLog,
          EventLog.of({
            ...log,
            append: (...lines) =>
              Effect.andThen(
                Effect.forEach(lines, ({ event }) => w.saying(event), { discard: true }),
                log.append(...lines)
              )
          })
        )
      )
      return Engine.layer({ markKey: "any" }).pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            Layer.succeedContext(watched),
            Testing.layerProviders([provider]),
            Layer.succeed(
              ConfigReloader,
              ConfigReloader.of({
                current: Effect.sync(() => w.plan),
                check: Effect.sync(() => {
                  if (known === w.plan) return { _tag: "Unchanged" as const }
                  known = w.plan
                  return { _tag: "Reloaded" as const, plan: known, needRestart: [] }
                })
              })
            ),
            Layer.sync(Sinks, () => Sinks.of({ get: () => w.sink, tidy: () => Effect.void }))
          )
        ),
        Layer.fresh
      )
    }
  }
  return w
})

describe("attending", () => {
  it.live("a reload gives the new slots at once to those that wait", () =>
    Effect.gen(function* () {
      const w = yield* world({ sessions: 1, handOvers: 1 })
      for (let count = 0; count < 3; count += 1) yield* w.hands.open({})
      yield* Effect.gen(function* () {
        const poller = yield* Poller
        yield* poller.cycle
        yield* (yield* Dispatcher).drained
        assert.strictEqual((yield* w.inbox.received).length, 1)
        w.plan = planOf({ sessions: 3 })
        yield* poller.cycle
        yield* w.inbox.arrived(3)
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
    }).pipe(Effect.scoped)
  )

  it.live("a result is said once it is durable", () =>
    Effect.gen(function* () {
      const w = yield* world()
      yield* w.hands.open({})
      const claims: Array<[string, boolean]> = []
      w.saying = (event) =>
        Effect.map(Effect.orDie(w.record), (record) => {
          if (!["dispatch.started", "dispatch.succeeded", "session.started"].includes(event)) return
          claims.push([event, record?.sessions["default"]?.claim !== undefined])
        })
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        const [start] = yield* w.inbox.arrived(1)
        if (start !== undefined) yield* w.inbox.settle(start, { _tag: "Done" })
        yield* (yield* Dispatcher).settled
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
      assert.deepStrictEqual(claims, [
        ["dispatch.started", true],
        ["dispatch.succeeded", false],
        ["session.started", false]
      ])
    }).pipe(Effect.scoped)
  )

  it.live(
    "a stop waits for a send no longer than limits.drain, and names everything that it leaves unsent",
    () =>
      Effect.gen(function* () {
        const w = yield* world({ handOvers: 1, drain: 50 })
        for (let count = 0; count < 3; count += 1) yield* w.hands.open({})
        const sending = yield* Deferred.make<void>()
        w.sink = { ...w.real, send: () => Effect.andThen(Deferred.succeed(sending, undefined), Effect.never) }
        yield* Effect.gen(function* () {
          yield* (yield* Poller).cycle
          yield* Deferred.await(sending)
        }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
        const abandoned = yield* w.events("dispatch.abandoned")
        assert.strictEqual(new Set(abandoned.map(({ ref }) => ref)).size, 3)
        const records = yield* Effect.forEach(yield* w.ledger.entries, ({ identity }) =>
          w.ledger.get(identity)
        )
        const claims = records.map((record) => record?.sessions["default"]?.claim)
        assert.strictEqual(claims.filter((claim) => claim !== undefined).length, 1)
      }).pipe(Effect.scoped)
  )

  it.live("nor does it wait longer for what is being given back: its claim stays, and is named", () =>
    Effect.gen(function* () {
      const w = yield* world({ drain: 50 })
      yield* w.hands.open({})
      const withdrawing = yield* Deferred.make<void>()
      w.sink = {
        ...w.real,
        send: () => Effect.fail(new SinkError({ reason: "NotReady", message: "it does not answer" })),
        withdraw: () => Effect.andThen(Deferred.succeed(withdrawing, undefined), Effect.never)
      }
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        yield* Deferred.await(withdrawing)
      }).pipe(Effect.provide(w.layer()), Effect.timeout("5 seconds"))
      assert.property((yield* w.record)?.sessions["default"], "claim")
      assert.strictEqual((yield* w.events("dispatch.abandoned")).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("what stops between two hand-overs takes no other: it stays pending", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const number = yield* w.hands.open({})
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(w.layer(), scope)
      const poller = yield* Effect.provide(Poller, context)
      yield* poller.cycle
      const [start] = yield* w.inbox.arrived(1)
      if (start !== undefined) yield* w.inbox.settle(start, { _tag: "Done" })
      yield* (yield* Effect.provide(Dispatcher, context)).settled
      for (const body of ["one", "two"]) yield* w.hands.comment({ number }, { by: "alice", body })
      yield* poller.cycle
      const [, word] = yield* w.inbox.arrived(2)
      const preparing = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      w.sink = {
        ...w.real,
        prepare: (handOver) =>
          Deferred.succeed(preparing, undefined).pipe(
            Effect.andThen(Deferred.await(go)),
            Effect.andThen(w.real.prepare(handOver))
          )
      }
      if (word !== undefined) yield* w.inbox.settle(word, { _tag: "Done" })
      yield* Deferred.await(preparing)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      const record = yield* w.record
      assert.strictEqual(record?.sessions["default"]?.claim, undefined)
      assert.strictEqual(record?.waiting.length, 1)
      assert.include(Object.values(record?.seen ?? {}), "handed over")
      assert.strictEqual((yield* w.inbox.received).length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("a claim in doubt, of a sink that never will know, is repeated, and says so (G3.2)", () =>
    Effect.gen(function* () {
      const w = yield* world({ drain: 10 })
      yield* w.hands.open({ title: "Lamps" })
      const sending = yield* Deferred.make<void>()
      w.sink = { ...w.real, send: () => Effect.andThen(Deferred.succeed(sending, undefined), Effect.never) }
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        yield* Deferred.await(sending)
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
      const first = (yield* w.record)?.sessions["default"]?.claim
      w.sink = {
        ...w.real,
        evidence: (which) =>
          which.try === 1 ? Effect.succeed({ _tag: "Lost", why: "who knows" }) : w.real.evidence(which)
      }
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        const [again] = yield* w.inbox.arrived(1)
        assert.deepStrictEqual([again?.id, again?.try, again?.attempt], [first?.id, 2, 1])
        assert.strictEqual(again?.mayRepeat, true)
        assert.include(again?.prompt, "may repeat")
        assert.strictEqual((yield* w.events("dispatch.started"))[0]?.["may_repeat"], true)
        if (again !== undefined) yield* w.inbox.settle(again, { _tag: "Done" })
        yield* (yield* Dispatcher).settled
        assert.notProperty((yield* w.record)?.sessions["default"], "mayRepeat")
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
    }).pipe(Effect.scoped)
  )

  it.live("a session that ends with a claim in doubt does end", () =>
    Effect.gen(function* () {
      const w = yield* world({ drain: 10 })
      const number = yield* w.hands.open({})
      const sending = yield* Deferred.make<void>()
      const lost = Effect.succeed({ _tag: "Lost", why: "who knows" } as const)
      w.sink = { ...w.real, send: () => Effect.andThen(Deferred.succeed(sending, undefined), Effect.never) }
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        yield* Deferred.await(sending)
        yield* w.hands.setState({ number }, "closed")
        yield* (yield* Poller).cycle
        assert.strictEqual((yield* w.record)?.sessions["default"]?.state, "ending")
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
      w.sink = { ...w.real, evidence: () => lost, withdraw: () => lost }
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        yield* (yield* Dispatcher).drained
        assert.strictEqual((yield* w.record)?.sessions["default"]?.state, "ended")
        assert.deepStrictEqual((yield* w.record)?.waiting, [])
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
    }).pipe(Effect.scoped)
  )

  it.live("while a sink that will know cannot tell, nothing is sent, given back or ended", () =>
    Effect.gen(function* () {
      const w = yield* world({ drain: 10 })
      const number = yield* w.hands.open({})
      const sending = yield* Deferred.make<void>()
      const unknown = Effect.succeed({ _tag: "Unknown", why: "who knows" } as const)
      w.sink = { ...w.real, send: () => Effect.andThen(Deferred.succeed(sending, undefined), Effect.never) }
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        yield* Deferred.await(sending)
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
      w.sink = { ...w.real, evidence: () => unknown, withdraw: () => unknown }
      yield* Effect.gen(function* () {
        const dispatcher = yield* Dispatcher
        yield* (yield* Poller).cycle
        yield* dispatcher.drained
        assert.strictEqual((yield* w.record)?.sessions["default"]?.claim?.try, 1)
        yield* w.hands.setState({ number }, "closed")
        yield* (yield* Poller).cycle
        yield* dispatcher.drained
        const [entry] = yield* w.ledger.entries
        const session = (yield* w.record)?.sessions["default"]
        assert.deepStrictEqual([session?.state, session?.claim?.try], ["ending", 1])
        const why = entry && (yield* dispatcher.waitingFor(entry.identity, "default"))
        assert.strictEqual(why, "who knows")
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
      assert.deepStrictEqual(yield* w.inbox.received, [])
    }).pipe(Effect.scoped)
  )

  it.live("an older word that comes between composing and claiming goes first", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const number = yield* w.hands.open({})
      yield* Effect.gen(function* () {
        const poller = yield* Poller
        const dispatcher = yield* Dispatcher
        yield* poller.cycle
        const [start] = yield* w.inbox.arrived(1)
        if (start !== undefined) yield* w.inbox.settle(start, { _tag: "Done" })
        yield* dispatcher.settled
        yield* w.hands.comment({ number }, { by: "alice", body: "the newer" })
        const older = (record: ItemRecord | undefined): ItemRecord | undefined =>
          record && {
            ...record,
            waiting: [
              { key: "issue_comment/0", agent: "default", at: "2000-01-01T00:00:00.000Z", attempts: 0 },
              ...record.waiting
            ]
          }
        w.sink = {
          ...w.real,
          prepare: (handOver) =>
            Effect.andThen(
              w.real.prepare(handOver),
              Effect.flatMap(w.record, (record) =>
                record === undefined
                  ? Effect.void
                  : w.ledger.modify(record.identity, (current) => [undefined, older(current)])
              ).pipe(Effect.orDie)
            )
        }
        yield* poller.cycle
        yield* dispatcher.drained
        assert.strictEqual((yield* w.inbox.received).length, 1)
        assert.strictEqual((yield* w.record)?.waiting[0]?.key, "issue_comment/0")
      }).pipe(Effect.provide(w.layer()), Effect.timeout("10 seconds"))
    }).pipe(Effect.scoped)
  )

  it.effect("a record that could not be read for a moment has its run's result taken in by itself", () =>
    Effect.gen(function* () {
      const w = yield* world()
      yield* w.hands.open({})
      yield* Effect.gen(function* () {
        yield* (yield* Poller).cycle
        const [start] = yield* w.inbox.arrived(1)
        w.reading = Effect.fail(new LedgerError({ reason: "Frozen", message: "too many open files" }))
        if (start !== undefined) yield* w.inbox.settle(start, { _tag: "Done" })
        yield* (yield* Dispatcher).settled
        yield* TestClock.adjust("5 seconds")
        yield* (yield* Dispatcher).settled
        assert.strictEqual((yield* w.record)?.sessions["default"]?.state, "wanted")
        assert.strictEqual((yield* w.events("poll.item_frozen")).length, 1)
        w.reading = Effect.void
        yield* TestClock.adjust("5 seconds")
        yield* (yield* Dispatcher).settled
        assert.strictEqual((yield* w.record)?.sessions["default"]?.state, "live")
      }).pipe(Effect.provide(w.layer()))
    }).pipe(Effect.scoped)
  )

  it.effect("a claim whose record could not be read at the start is looked up in a moment", () =>
    Effect.gen(function* () {
      const w = yield* world()
      yield* w.hands.open({})
      const scope = yield* Scope.make()
      const sending = yield* Deferred.make<void>()
      w.sink = { ...w.real, send: () => Effect.andThen(Deferred.succeed(sending, undefined), Effect.never) }
      const before = yield* Layer.buildWithScope(w.layer(), scope)
      yield* (yield* Effect.provide(Poller, before)).cycle
      yield* Deferred.await(sending)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(closing)
      w.sink = w.real
      yield* Effect.gen(function* () {
        w.reading = Effect.fail(new LedgerError({ reason: "Frozen", message: "too many open files" }))
        yield* (yield* Dispatcher).recover
        w.reading = Effect.void
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* w.inbox.arrived(1))[0]?.try, 1)
      }).pipe(Effect.provide(w.layer()))
    }).pipe(Effect.scoped)
  )
})
