/**
 * Dispatcher: gives what waits to its sessions' agents, in order and within the slots. Its queue is a set of items with
 * work, without payloads: offering never waits, and an attendant reads the ledger for what waits. It never asks a
 * tracker anything.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { instant, millis } from "../domain/Item.ts"
import type { Identity } from "../domain/Ref.ts"
import type { Sinks } from "../sink/Sink.ts"
import { EventLog } from "../state/EventLog.ts"
import { Ledger, type LedgerError } from "../state/Ledger.ts"
import { AgentHealth } from "./AgentHealth.ts"
import * as Attendant from "./Attendant.ts"
import type { Attention, Phase } from "./Attention.ts"
import { respite } from "./HandOvers.ts"
import { Running } from "./Running.ts"
import * as SlotNotice from "./SlotNotice.ts"
import * as Slots from "./Slots.ts"
import type { Words } from "./Words.ts"

/** Looks after the sessions on whose items something waits, each by an attendant. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Says that something waits on the item, or changed about it. Offering twice is offering once. */
    readonly offer: (identity: Identity) => Effect.Effect<void>
    /**
     * Looks up every claim at its sink, before anything else is decided: what reached its agent is adopted, what did not
     * is sent again under the same try, or given back (G3.2).
     */
    readonly recover: Effect.Effect<void>
    /** Returns once everything that can be handed over now has been: what is left waits for a time or an agent. */
    readonly drained: Effect.Effect<void>
    /** Returns once, beside that, every run at work has ended and its result is recorded. */
    readonly settled: Effect.Effect<void>
    /** Takes notice of a plan that was put in force: its limits hold, and everything that waits is looked at again. */
    readonly refresh: Effect.Effect<void>
    /** Why a session's words wait although nothing is wrong with them: a slot, a time; undefined when they do not. */
    readonly waitingFor: (identity: Identity, agent: string) => Effect.Effect<string | undefined>
    /** Never returns; dies with the defect of a worker, so that no daemon lives on deaf. */
    readonly supervise: Effect.Effect<never>
  }
>()("heed/engine/Dispatcher") {
  /** Starts no agent and remembers what it was offered: for programs that only want to see what would be done. */
  static readonly layerMemory: Layer.Layer<Dispatcher> = Layer.sync(Dispatcher, () =>
    Dispatcher.of({
      offer: () => Effect.void,
      recover: Effect.void,
      drained: Effect.void,
      settled: Effect.void,
      refresh: Effect.void,
      waitingFor: () => Effect.succeed(undefined),
      supervise: Effect.never
    })
  )

  static readonly layer: Layer.Layer<
    Dispatcher,
    never,
    Ledger | Sinks | EventLog | Words | Running | AgentHealth
  > = Layer.effect(
    Dispatcher,
    Effect.suspend(() => make)
  )
}

/** The phases that end by themselves, without an agent that leaves or a slot that gets free. */
const moving: ReadonlyArray<Phase> = ["deciding", "waiting to be sent"]

/** The phases of what waits and was not claimed. */
const awaiting: ReadonlyArray<Phase> = [
  "waiting for a slot",
  "waiting for its agent to be ready",
  "waiting to be sent"
]

/** One session under attention. */
interface Attended {
  readonly identity: Identity
  readonly agent: string
  phase: Phase
  /** Completed when the item is offered again; renewed once that was noticed. */
  offered: Deferred.Deferred<void>
}

const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const log = yield* EventLog
  const running = yield* Running
  const health = yield* AgentHealth
  const { attend } = yield* Attendant.make
  const waitingLong = yield* SlotNotice.make
  const { plan } = yield* running.get
  const slots = Slots.make(plan.limits.sessions)
  const turns = Slots.make(plan.limits.handOvers)
  const fatal = yield* Deferred.make<never>()
  const attended = new Map<string, Attended>()
  /** Why sessions rest, by item and agent. */
  const resting = new Map<Identity, Map<string, string>>()
  const cutOff = yield* Deferred.make<void>()
  let open = true
  let changed = Deferred.makeUnsafe<void>()

  /** Completed, and renewed, whenever an attendant changes its phase or leaves. */
  const announce = Effect.sync(() => {
    const before = changed
    changed = Deferred.makeUnsafe()
    Deferred.doneUnsafe(before, Effect.void)
  })

  const until = (holds: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Deferred.await(changed), until(holds))))

  const fibers = yield* FiberSet.make()
  const timers = yield* FiberMap.make<string>()

  /** What a stop leaves behind unsent: it stays pending as if it had never been taken (G3.4). */
  const abandon = Effect.suspend(() =>
    Effect.forEach(
      [...attended.values()].filter(({ phase }) => awaiting.includes(phase)),
      ({ agent, identity }) =>
        Effect.flatMap(ledger.entry(identity), (entry) =>
          entry === undefined
            ? Effect.void
            : log.append({
                event: "dispatch.abandoned",
                level: "info",
                source: entry.source,
                ref: entry.ref,
                agent
              })
        ),
      { discard: true }
    )
  )

  /** Waits for what is being sent, and no longer than `limits.drain` (G2.3). */
  const drain = Effect.gen(function* () {
    const { limits } = (yield* running.get).plan
    const enough = Effect.andThen(Effect.sleep(limits.drain), Deferred.succeed(cutOff, undefined))
    yield* Effect.raceFirst(FiberSet.clear(fibers), Effect.andThen(enough, Effect.never))
  })

  const close = Effect.sync(() => {
    open = false
  }).pipe(Effect.andThen(slots.close), Effect.andThen(turns.close))

  // Added after the fibers, and so run before they are interrupted: whoever leaves first would let another one start.
  yield* Effect.addFinalizer(() => Effect.andThen(close, Effect.andThen(abandon, drain)))

  const attentionOf = (session: Attended, held: { slot: boolean }): Attention => {
    const hold = Effect.sync(() => {
      held.slot = true
    })
    return {
      phase: (phase) =>
        Effect.suspend(() => {
          session.phase = phase
          return announce
        }),
      rest: (rest) => Effect.sync(() => note(session, rest.why)),
      slot: Effect.uninterruptibleMask((restore) =>
        held.slot ? Effect.void : Effect.andThen(restore(waitingLong(session, slots.take)), hold)
      ),
      seize: Effect.suspend(() => (held.slot ? Effect.void : Effect.andThen(slots.seize, hold))),
      turn: (act) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.andThen(restore(turns.take), Effect.ensuring(act, turns.free))
        ),
      open: Effect.sync(() => open),
      cutOff: Deferred.await(cutOff),
      woken: Effect.suspend(() => {
        const offered = session.offered
        const again = Effect.sync(() => {
          if (session.offered === offered) session.offered = Deferred.makeUnsafe()
        })
        return Effect.andThen(Deferred.await(offered), again)
      })
    }
  }

  const note = (session: Attended, why: string | undefined) => {
    const ofItem = resting.get(session.identity) ?? new Map<string, string>()
    if (why === undefined) ofItem.delete(session.agent)
    else ofItem.set(session.agent, why)
    if (ofItem.size === 0) resting.delete(session.identity)
    else resting.set(session.identity, ofItem)
  }

  /** Attends a session, and sees to it that time wakes it. */
  const lookAfter = Effect.fn("Dispatcher.lookAfter")(function* (key: string, session: Attended) {
    const held = { slot: false }
    const rest = yield* attend(session.identity, session.agent, attentionOf(session, held)).pipe(
      Effect.catchTag("LedgerError", (error) => troubled(session, error)),
      Effect.ensuring(Effect.suspend(() => (held.slot ? slots.free : Effect.void)))
    )
    note(session, rest.why)
    if (rest.until === undefined) return
    const ms = Math.max(0, millis(rest.until) - (yield* Clock.currentTimeMillis))
    // The session itself, and not its item: of a record that cannot be read, nobody knows the sessions.
    yield* FiberMap.run(timers, key, Effect.delay(attendOne(session.identity, session.agent), ms))
  })

  /** Says once what is wrong with a record, and has the session looked at again after a moment. */
  const troubled = Effect.fn("Dispatcher.troubled")(function* (session: Attended, error: LedgerError) {
    const why = error.message
    const until = instant((yield* Clock.currentTimeMillis) + respite)
    if (resting.get(session.identity)?.get(session.agent) === why) return { why, until }
    const entry = yield* ledger.entry(session.identity)
    yield* log.append({
      event: error.reason === "Frozen" ? "poll.item_frozen" : "poll.item_failed",
      level: "error",
      ...(entry === undefined ? {} : { source: entry.source, ref: entry.ref }),
      agent: session.agent,
      why
    })
    return { why, until }
  })

  const attendOne = (identity: Identity, agent: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const key = `${identity} ${agent}`
      const present = attended.get(key)
      if (present !== undefined) {
        Deferred.doneUnsafe(present.offered, Effect.void)
        return Effect.void
      }
      const session: Attended = { identity, agent, phase: "deciding", offered: Deferred.makeUnsafe() }
      attended.set(key, session)
      const leave = Effect.suspend(() => {
        attended.delete(key)
        return announce
      })
      const watched = lookAfter(key, session).pipe(
        Effect.onError((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.void : Deferred.failCause(fatal, cause)
        ),
        Effect.ensuring(leave),
        Effect.andThen(
          Effect.suspend(() =>
            Deferred.isDoneUnsafe(session.offered) ? attendOne(identity, agent) : Effect.void
          )
        )
      )
      return Effect.asVoid(FiberSet.run(fibers, watched))
    })

  const offer = (identity: Identity): Effect.Effect<void> =>
    ledger.get(identity).pipe(
      Effect.flatMap((record) => {
        if (record === undefined) resting.delete(identity)
        return Effect.forEach(Object.keys(record?.sessions ?? {}), (agent) => attendOne(identity, agent), {
          discard: true
        })
      }),
      // A frozen or unreadable item has nothing to hand over; its cycle reports it. It may be readable in a moment.
      Effect.catchTag("LedgerError", () =>
        Effect.asVoid(FiberMap.run(timers, identity, Effect.delay(offer(identity), respite)))
      )
    )

  /** Returns once no session under attention is in one of the phases. */
  const nobodyIs = (phases: ReadonlyArray<Phase>) =>
    until(() => ![...attended.values()].some(({ phase }) => phases.includes(phase)))

  const offerAll = Effect.gen(function* () {
    const waiting = (yield* ledger.entries).filter((entry) => entry.waits && entry.frozen === undefined)
    yield* Effect.forEach(waiting, ({ identity }) => offer(identity), { discard: true })
  })

  const refresh = Effect.gen(function* () {
    const { limits } = (yield* running.get).plan
    yield* slots.resize(limits.sessions)
    yield* turns.resize(limits.handOvers)
    yield* offerAll
  })

  // What waits for a paused agent need not wait for its time once that is resumed.
  yield* Effect.forkScoped(
    Effect.onError(Effect.forever(Effect.andThen(health.resumed, offerAll)), (cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Deferred.failCause(fatal, cause)
    )
  )

  return Dispatcher.of({
    offer,
    recover: Effect.andThen(offerAll, nobodyIs(moving)),
    drained: nobodyIs([...moving, "waiting for its agent to be ready"]),
    settled: nobodyIs([...moving, ...awaiting, "running"]),
    refresh,
    waitingFor: (identity, agent) =>
      Effect.sync(() => {
        const key = `${identity} ${agent}`
        const session = attended.get(key)
        const why = resting.get(identity)?.get(agent)
        if (session === undefined || session.phase === "deciding" || session.phase === "keeping") return why
        // It has waited in vain before, and knows more than that it waits.
        return session.phase === "waiting for its agent to be ready" ? (why ?? session.phase) : session.phase
      }),
    supervise: Deferred.await(fatal)
  })
})
