/** How sessions that stay open are kept: opened, given words, left by their agents, lost, parked, ended with their item. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { HandOver } from "../../src/domain/HandOver.ts"
import { instant } from "../../src/domain/Item.ts"
import type { Session } from "../../src/domain/Record.ts"
import { Dispatcher, Engine, EventLog, Inspector, Ledger, Plan, Poller, Sinks } from "../../src/index.ts"
import { type Sink, SinkError } from "../../src/sink/Sink.ts"
import * as MemoryStays from "../../src/sink/MemoryStays.ts"
import * as Testing from "../../src/testing.ts"

type Agent = Partial<Plan.Given["agents"][string]>
type Limits = NonNullable<Plan.Given["limits"]>

/** A tracker, a root and open sessions that outlive each engine. */
const world = Effect.fnUntraced(function* (agent: Agent = {}, limits: Limits = {}) {
  const { hands, provider } = yield* Testing.MemoryTracker.make()
  const host = yield* MemoryStays.make("memory")
  const state = yield* Layer.build(Testing.layerState)
  const log = yield* Effect.provide(EventLog, state)
  const ledger = yield* Effect.provide(Ledger, state)
  const plan = Plan.make({
    users: ["alice"],
    limits,
    agents: {
      default: { sink: "memory", command: ["agent"], resume: ["agent", "--resume"], endGrace: 0, ...agent }
    }
  })
  let sink = host.sink
  const layer = () =>
    Engine.layer({ markKey: "any" }).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          Layer.succeedContext(state),
          Testing.layerProviders([provider]),
          Testing.layerConfigReloader(plan),
          Layer.succeed(Sinks, Sinks.of({ get: () => sink, tidy: () => Effect.void }))
        )
      ),
      Layer.fresh
    )
  const sessions = Effect.flatMap(ledger.entries, (entries) =>
    Effect.forEach(entries, ({ identity }) =>
      Effect.map(ledger.get(identity), (record) => record?.sessions["default"])
    )
  )
  const session = Effect.map(sessions, ([first]) => first)
  return {
    hands,
    host,
    session,
    entries: ledger.entries,
    /** Of every item, in the order of their opening. */
    sessions,
    /** What every later engine takes for the sink. */
    become: (next: Sink) => {
      sink = next
    },
    /** Does something with a newly built engine, which is gone when that is done. */
    living: <A, E>(life: Effect.Effect<A, E, Poller | Dispatcher | Inspector>) =>
      life.pipe(Effect.provide(layer()), Effect.timeout("10 seconds")),
    /** One cycle and the hand-overs that follow from it. */
    cycle: Effect.gen(function* () {
      yield* (yield* Poller).cycle
      yield* (yield* Dispatcher).drained
    }),
    /** Waits until the session is as the test wants it. */
    until: (is: (session: Session | undefined) => boolean) =>
      Effect.repeat(session, { until: is, schedule: Schedule.spaced("5 millis") }),
    events: (event: string) => Effect.map(log.read, (lines) => lines.filter((line) => line.event === event)),
    said: Effect.map(host.inbox.received, (all) => all.map(({ prompt }) => prompt))
  }
})

const commands = (openings: ReadonlyArray<HandOver>) =>
  openings.map(({ opens }) => (opens ? "command" : "resume"))

describe("keeping", () => {
  it.live("a session is opened once; words go to it, each as soon as its agent is ready", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const number = yield* w.hands.open({ body: "say-start" })
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          yield* w.hands.comment({ number }, { body: "say-one" })
          yield* w.cycle
          const [start, words] = yield* w.said
          assert.include(start, "say-start")
          assert.include(words, "say-one")
          assert.notInclude(words, "say-start")
          assert.deepStrictEqual(commands(yield* w.host.openings), ["command"])
          const session = yield* w.session
          assert.strictEqual(session?.state, "live")
          assert.notProperty(session, "claim")
          assert.property(session, "seat")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("an agent that is not ready costs nothing: nothing is claimed before it is", () =>
    Effect.gen(function* () {
      const w = yield* world()
      yield* w.hands.open({ body: "say-start" })
      yield* w.host.setReady(false)
      yield* w.living(
        Effect.gen(function* () {
          yield* (yield* Poller).cycle
          yield* w.until((session) => session?.seat !== undefined)
          assert.notProperty(yield* w.session, "claim")
          assert.deepStrictEqual(yield* w.said, [])
          yield* w.host.setReady(true)
          yield* w.host.inbox.arrived(1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "an item that ends while its agent is not ready yet ends its session, and nothing reaches the agent",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        const number = yield* w.hands.open({})
        yield* w.host.setReady(false)
        yield* w.living(
          Effect.gen(function* () {
            yield* (yield* Poller).cycle
            yield* w.until((session) => session?.seat !== undefined)
            yield* w.hands.setState({ number }, "closed")
            yield* (yield* Poller).cycle
            yield* w.until((session) => session?.state === "ended")
            assert.deepStrictEqual(yield* w.host.alive, [])
            assert.deepStrictEqual(yield* w.said, [])
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live("an agent that is busy with one word is not given the next until it is ready again", () =>
    Effect.gen(function* () {
      const w = yield* world({ coalesce: false })
      const { host } = w
      // Each word makes it busy.
      w.become({
        ...host.sink,
        send: (which) => Effect.andThen(host.sink.send(which), host.setReady(false))
      })
      const number = yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          const poller = yield* Poller
          yield* poller.cycle
          yield* host.inbox.arrived(1)
          yield* w.until((session) => session?.state === "live")
          yield* w.hands.comment({ number }, { body: "say-one" })
          yield* w.hands.comment({ number }, { body: "say-two" })
          yield* poller.cycle
          yield* host.setReady(true)
          yield* host.inbox.arrived(2)
          yield* w.until((session) => session?.tries === 2 && session.claim === undefined)
          assert.strictEqual((yield* w.said).length, 2)
          yield* host.setReady(true)
          assert.include((yield* host.inbox.arrived(3))[2]?.prompt, "say-two")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("a restart takes open sessions over, and opens nothing anew", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const number = yield* w.hands.open({})
      yield* w.living(w.cycle)
      yield* w.hands.comment({ number }, { body: "say-later" })
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          assert.include((yield* w.said)[1], "say-later")
          assert.strictEqual((yield* w.host.openings).length, 1)
          assert.strictEqual((yield* w.events("session.adopted")).length, 1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("an agent that left is resumed with its conversation when something waits, and not before", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const number = yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          const before = yield* w.session
          yield* w.host.leave(before?.id ?? "")
          yield* w.until((session) => session?.seat === undefined)
          assert.strictEqual((yield* w.events("session.died")).length, 1)
          yield* w.cycle
          assert.strictEqual((yield* w.host.openings).length, 1)
          yield* w.hands.comment({ number }, { body: "say-again" })
          yield* w.cycle
          const openings = yield* w.host.openings
          assert.deepStrictEqual(commands(openings), ["command", "resume"])
          assert.strictEqual(openings[1]?.conversation, before?.conversation)
          const [, words] = yield* w.said
          assert.include(words, "say-again")
          assert.include(words, "There is a new comment")
          assert.strictEqual((yield* w.events("session.resumed")).length, 1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "what an agent that left has left behind is ended with it, before its session counts as closed",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        const ends: Array<string | undefined> = []
        w.become({
          ...w.host.sink,
          end: (at) =>
            Effect.andThen(
              Effect.sync(() => void ends.push(at.seat)),
              w.host.sink.end(at)
            )
        })
        yield* w.hands.open({})
        yield* w.living(
          Effect.gen(function* () {
            yield* w.cycle
            const before = yield* w.session
            yield* w.host.leave(before?.id ?? "")
            yield* w.until((session) => session?.seat === undefined)
            assert.deepStrictEqual(ends, [before?.seat])
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live("what a start that failed has left behind is ended", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const { stays } = w.host.sink
      if (stays === undefined) return assert.fail("its sessions stay")
      const ends: Array<string> = []
      w.become({
        ...w.host.sink,
        stays: {
          ...stays,
          open: () => Effect.fail(new SinkError({ reason: "AgentNotStarted", message: "it left at once" }))
        },
        end: ({ id }) => Effect.sync(() => void ends.push(id))
      })
      yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          assert.deepStrictEqual(ends, [(yield* w.session)?.id])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("with onExit: end, an agent that left has ended its session", () =>
    Effect.gen(function* () {
      const w = yield* world({ onExit: "end" })
      const number = yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          yield* w.host.leave((yield* w.session)?.id ?? "")
          yield* w.until((session) => session?.state === "ended")
          yield* w.hands.comment({ number }, { body: "say-late" })
          yield* w.cycle
          assert.strictEqual((yield* w.host.openings).length, 1)
          assert.strictEqual((yield* w.events("session.ended")).length, 1)
          assert.deepStrictEqual(yield* w.host.present, [])
          // What waits for the next one is no secret.
          const [line] = yield* (yield* Inspector).sessions
          assert.include(line, { state: "ended", waiting: 1 })
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("what was lost with its host goes on at once, told that it was interrupted", () =>
    Effect.gen(function* () {
      const w = yield* world()
      yield* w.hands.open({})
      yield* w.living(w.cycle)
      const before = yield* w.session
      yield* w.host.loseAll
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          yield* w.cycle
          const openings = yield* w.host.openings
          assert.deepStrictEqual(commands(openings), ["command", "resume"])
          assert.strictEqual(openings[1]?.conversation, before?.conversation)
          assert.include((yield* w.said)[1], "were interrupted")
          const after = yield* w.session
          assert.strictEqual(after?.state, "live")
          assert.notStrictEqual(after?.seat, before?.seat)
          yield* w.cycle
          assert.strictEqual((yield* w.said).length, 2)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("an idle session is parked, gives its slot up, and goes on with the next words", () =>
    Effect.gen(function* () {
      const w = yield* world({ idleAfter: 50 }, { sessions: 1 })
      const number = yield* w.hands.open({})
      const other = yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          assert.strictEqual((yield* w.host.openings).length, 1)
          // The second one waits for the slot that the first one holds until it is parked.
          yield* w.host.inbox.arrived(2)
          yield* w.hands.comment({ number }, { body: "say-first" })
          yield* w.hands.comment({ number: other }, { body: "say-second" })
          yield* w.cycle
          const received = yield* w.host.inbox.arrived(4)
          assert.sameMembers(
            received.slice(2).map(({ opens, prompt }) => [opens, /say-\w+/u.exec(prompt)?.[0]].join(" ")),
            ["false say-first", "false say-second"]
          )
          assert.isAtLeast((yield* w.events("session.parked")).length, 2)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("an item that ends while its agent has left already leaves nothing behind", () =>
    Effect.gen(function* () {
      const w = yield* world({ endGrace: 60_000 })
      const number = yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          yield* w.hands.setState({ number }, "closed")
          yield* w.cycle
          yield* w.host.leave((yield* w.session)?.id ?? "")
          yield* w.until((session) => session?.state === "ended")
          yield* Effect.repeat(w.host.present, { until: (present) => present.length === 0 })
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("that an agent is not ready is said once, and shows as long as its words wait", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const { host } = w
      const { stays } = host.sink
      if (stays === undefined) return assert.fail("its sessions stay")
      let isReady = false
      const why = "it asks something"
      let opens = 0
      // The first wait is in vain, the second goes on until it is woken.
      const open: typeof stays.open = (handOver) => {
        opens += 1
        const inVain = Effect.fail(new SinkError({ reason: "NotReady", message: why }))
        return Effect.andThen(
          stays.open(handOver),
          isReady ? Effect.void : opens === 1 ? inVain : Effect.never
        )
      }
      w.become({ ...host.sink, stays: { ...stays, open } })
      yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          const dispatcher = yield* Dispatcher
          yield* w.cycle
          const [entry] = yield* w.entries
          if (entry === undefined) return assert.fail("the item is known")
          const waits = dispatcher.waitingFor(entry.identity, "default")
          assert.strictEqual(yield* waits, why)
          yield* dispatcher.offer(entry.identity)
          yield* Effect.repeat(
            Effect.sync(() => opens),
            { until: (times) => times > 1, schedule: Schedule.spaced("5 millis") }
          )
          assert.strictEqual(yield* waits, why)
          assert.strictEqual((yield* w.events("session.waiting")).length, 1)
          isReady = true
          yield* dispatcher.offer(entry.identity)
          yield* host.inbox.arrived(1)
          yield* w.until((session) => session?.state === "live")
          assert.strictEqual(yield* waits, undefined)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("an item that ends just as its idle session is to be parked leaves it its grace", () =>
    Effect.gen(function* () {
      const w = yield* world({ idleAfter: 50, endGrace: 3_600_000 })
      const number = yield* w.hands.open({})
      const { stays } = w.host.sink
      if (stays === undefined) return assert.fail("its sessions stay")
      const asked = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      w.become({
        ...w.host.sink,
        stays: {
          ...stays,
          idleSince: () =>
            Deferred.succeed(asked, undefined).pipe(
              Effect.andThen(Deferred.await(ended)),
              Effect.as(instant(0))
            )
        }
      })
      yield* w.living(
        Effect.gen(function* () {
          yield* (yield* Poller).cycle
          yield* Deferred.await(asked)
          yield* w.hands.setState({ number }, "closed")
          yield* (yield* Poller).cycle
          assert.strictEqual((yield* w.session)?.state, "ending")
          yield* Deferred.succeed(ended, undefined)
          yield* (yield* Dispatcher).drained
          assert.strictEqual((yield* w.host.alive).length, 1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("an item that ends ends what is open, after its grace; a later heed keeps that deadline", () =>
    Effect.gen(function* () {
      const w = yield* world({ endGrace: 300 })
      const number = yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          yield* w.hands.setState({ number }, "closed")
          yield* w.cycle
          const session = yield* w.session
          assert.strictEqual(session?.state, "ending")
          assert.deepStrictEqual(yield* w.host.alive, [session?.id])
        })
      )
      yield* w.living(
        Effect.gen(function* () {
          yield* (yield* Dispatcher).recover
          yield* w.until((session) => session?.state === "ended")
          assert.deepStrictEqual(yield* w.host.alive, [])
          assert.notProperty(yield* w.session, "seat")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("a claim that was lost with its host goes again, and says that it may repeat (G3.2)", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const number = yield* w.hands.open({})
      yield* w.living(w.cycle)
      yield* w.hands.comment({ number }, { body: "say-doubt" })
      // A heed that dies after it has sent, before it could write that down.
      w.become({ ...w.host.sink, result: () => Effect.never })
      yield* w.living(
        Effect.gen(function* () {
          yield* (yield* Poller).cycle
          yield* w.host.inbox.arrived(2)
        })
      )
      w.become(w.host.sink)
      assert.property(yield* w.session, "claim")
      yield* w.host.loseAll
      yield* w.living(
        Effect.gen(function* () {
          yield* (yield* Dispatcher).recover
          yield* w.cycle
          const received = yield* w.host.inbox.arrived(3)
          assert.include(received[2]?.prompt, "say-doubt")
          assert.include(received[2]?.prompt, "may repeat")
          assert.deepStrictEqual(
            received.map((handOver) => handOver.try),
            [1, 2, 3]
          )
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "a session that is open under this name and not in the record is another life's, and is ended",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        yield* w.hands.open({})
        yield* w.living(w.cycle)
        const [first] = yield* w.host.openings
        const fresh = yield* world()
        yield* fresh.hands.open({})
        if (first === undefined) return assert.fail("nothing was opened")
        yield* fresh.host.sink.stays?.open({ ...first, conversation: "another's" }) ?? Effect.void
        yield* fresh.living(fresh.cycle)
        const openings = yield* fresh.host.openings
        assert.strictEqual(openings.length, 2)
        assert.notStrictEqual(openings[1]?.conversation, "another's")
      }).pipe(Effect.scoped)
  )

  it.live(
    "an ending session of which nothing can be told, nor ended, is asked again in a moment, not at once",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        const { host } = w
        const number = yield* w.hands.open({})
        yield* w.living(w.cycle)
        const unknown = Effect.succeed({ _tag: "Unknown", why: "tmux does not answer" } as const)
        const { stays } = host.sink
        if (stays === undefined) return assert.fail("its sessions stay")
        const ends: Array<string> = []
        w.become({
          ...host.sink,
          stays: { ...stays, left: () => Effect.never },
          send: () => Effect.fail(new SinkError({ reason: "NotReady", message: "tmux does not answer" })),
          withdraw: () => unknown,
          end: ({ id }) => Effect.sync(() => void ends.push(id))
        })
        yield* w.hands.comment({ number }, { body: "say-stuck" })
        yield* w.living(
          Effect.gen(function* () {
            yield* w.cycle
            yield* w.until((session) => session?.claim !== undefined)
            yield* w.hands.setState({ number }, "closed")
            // Whoever never rests is never done with what can be done now.
            yield* w.cycle
            assert.deepStrictEqual(ends, [(yield* w.session)?.id])
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live(
    "a session that ended while it waited for a slot is let go: the next one is opened as its own",
    () =>
      Effect.gen(function* () {
        const w = yield* world({}, { sessions: 1 })
        const probed: Array<string> = []
        w.become({
          ...w.host.sink,
          probe: (at) =>
            Effect.andThen(
              Effect.sync(() => void probed.push(at.id)),
              w.host.sink.probe(at)
            )
        })
        const holder = yield* w.hands.open({})
        yield* w.living(
          Effect.gen(function* () {
            yield* w.cycle
            const number = yield* w.hands.open({})
            yield* w.cycle
            const second = Effect.map(w.sessions, ([, last]) => last)
            const waited = (yield* second)?.id ?? ""
            for (const body of ["/heed stop", "/heed start"]) {
              yield* w.hands.comment({ number }, { body })
              yield* w.cycle
            }
            assert.strictEqual((yield* second)?.generation, 2)
            yield* w.hands.setState({ number: holder }, "closed")
            yield* w.cycle
            yield* w.host.inbox.arrived(2)
            assert.include(probed, (yield* second)?.id)
            assert.notInclude(probed, waited)
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live("a session that is stopped just before it is opened is not opened", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const preparing = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      w.become({
        ...w.host.sink,
        prepare: (handOver) =>
          Deferred.succeed(preparing, undefined).pipe(
            Effect.andThen(Deferred.await(stopped)),
            Effect.andThen(w.host.sink.prepare(handOver))
          )
      })
      const number = yield* w.hands.open({})
      yield* w.living(
        Effect.gen(function* () {
          yield* (yield* Poller).cycle
          yield* Deferred.await(preparing)
          yield* w.hands.comment({ number }, { body: "/heed stop" })
          yield* (yield* Poller).cycle
          assert.strictEqual((yield* w.session)?.state, "ended")
          yield* Deferred.succeed(stopped, undefined)
          yield* (yield* Dispatcher).drained
          assert.deepStrictEqual(yield* w.host.openings, [])
          assert.notProperty(yield* w.session, "seat")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("while there is nowhere to open a session, nothing is written for it", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const { stays } = w.host.sink
      if (stays === undefined) return assert.fail("its sessions stay")
      const prepared: Array<string> = []
      const nowhere = new SinkError({ reason: "NotReady", message: "tmux could not be started" })
      w.become({
        ...w.host.sink,
        prepare: (handOver) => Effect.sync(() => void prepared.push(handOver.id)),
        stays: { ...stays, seat: Effect.fail(nowhere) }
      })
      yield* w.hands.open({})
      yield* w.living(w.cycle)
      assert.notProperty(yield* w.session, "seat")
      assert.deepStrictEqual(prepared, [])
    }).pipe(Effect.scoped)
  )

  it.live("stopping heed leaves what is open alone", () =>
    Effect.gen(function* () {
      const w = yield* world()
      yield* w.hands.open({})
      const life = yield* Effect.forkScoped(w.living(Effect.andThen(w.cycle, Effect.never)))
      yield* w.host.inbox.arrived(1)
      yield* w.until((session) => session?.state === "live")
      yield* Fiber.interrupt(life)
      assert.strictEqual((yield* w.host.alive).length, 1)
    }).pipe(Effect.scoped)
  )
})
