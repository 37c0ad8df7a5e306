/**
 * Attendant: looks after one session while something waits for it or a run of it is at work:
 * claim, send, wait for the result, resolve and claim the next in one write (G3.2).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HandOverTry } from "../domain/HandOver.ts"
import { type Instant, instant, millis } from "../domain/Item.ts"
import * as Queue from "../domain/queue.ts"
import type { Claim, ItemRecord, Session } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { type Sink, Sinks } from "../sink/Sink.ts"
import { Ledger, type LedgerError } from "../state/Ledger.ts"
import { AgentHealth } from "./AgentHealth.ts"
import { compose, stillHolds } from "./Compose.ts"
import { concluded, type Conclusion, endOf } from "./Conclusion.ts"
import { Fresh } from "./Fresh.ts"
import { floodText } from "./Notice.ts"
import { Running } from "./Running.ts"
import * as Telling from "./Telling.ts"
import * as Unbegun from "./Unbegun.ts"
import { suffices, Words } from "./Words.ts"

/** What an attendant is doing: the dispatcher knows from it what may still start and what only has to be awaited. */
export type Phase = "deciding" | "waiting for a slot" | "waiting to be sent" | "running"

/** The attendant's ties to its dispatcher. */
export interface Attention {
  readonly phase: (phase: Phase) => Effect.Effect<void>
  /** Waits for a slot; taken slots are given back when the attendant ends. */
  readonly slot: Effect.Effect<void>
  /** Takes a slot for a run that is at work already. */
  readonly seize: Effect.Effect<void>
  /**
   * Acts in turn: few claim, send and record at once (`limits.handOvers`). Waiting for one's turn is interruptible, and
   * acting is not: between a claim and its evidence there is no stop.
   */
  readonly turn: <A, E, R>(act: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** False once heed stops: what is not claimed by then stays pending, as if it had never been taken (G3.4). */
  readonly open: Effect.Effect<boolean>
  /** Returns once a stop has waited long enough for what is being sent (`limits.drain`). */
  readonly cutOff: Effect.Effect<void>
  /** Returns when the item was offered again. */
  readonly woken: Effect.Effect<void>
}

/** Why an attendant rests: nothing to do, or a time before which there is nothing to do. */
export interface Rest {
  readonly until?: Instant
  readonly why?: string
}

/** How long what cannot be done now is left alone: a disk that cannot be written, an agent that is not ready; in milliseconds. */
export const respite = 5000

/** One session under an attendant's care. */
interface Charge {
  readonly identity: Identity
  readonly agent: string
  readonly attention: Attention
}

type Advance =
  { readonly _tag: "Sent"; readonly claim: Claim } | { readonly _tag: "Rest"; readonly rest: Rest }

const resting = (rest: Rest) => ({ _tag: "Rest" as const, rest })

/** An attendant for any session: `attend` works until nothing is left to do for one, and says until when. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const sinks = yield* Sinks
  const words = yield* Words
  const running = yield* Running
  const fresh = yield* Fresh
  const health = yield* AgentHealth
  const readToAttend = yield* Unbegun.make
  const telling = yield* Telling.make

  const now = Effect.map(Clock.currentTimeMillis, instant)

  const soon = Effect.map(Clock.currentTimeMillis, (time) => instant(time + respite))

  const sinkOf = (record: ItemRecord, agent: string): Sink | undefined =>
    sinks.get(record.sessions[agent]?.plan.sink ?? "")

  /** What the session would be given now, ready to be sent: composed, and its content durable. */
  const prepare = Effect.fn("Attendant.prepare")(function* (record: ItemRecord, agent: string, at: Instant) {
    const { plan, policy } = yield* running.get
    const next = Queue.next(record, agent, policy, at)
    if (next._tag !== "Ready") return resting(restOf(next))
    const pause = yield* health.mayGive(record, agent)
    if (pause !== undefined) return resting(pause)
    const sink = sinkOf(record, agent)
    const memory = yield* words.get(record.identity)
    if (sink === undefined || memory === undefined || !suffices(record, memory)) {
      return resting({ why: unread })
    }
    const conversation = next.candidate.session.conversation ?? fresh.uuid()
    const fence = fresh.uuid()
    const slug = (yield* ledger.entry(record.identity))?.slug ?? ""
    const compositionAs = (session: Session) =>
      compose({
        record,
        slug,
        candidate: { ...next.candidate, session },
        memory,
        plan,
        policy,
        capacity: sink.capacity,
        identification: running.identification,
        conversation,
        fence,
        now: at
      })
    let { session } = next.candidate
    let composed = compositionAs(session)
    // A run of this very name that this record has not begun is another life's, of a record that somebody moved away:
    // it was given other words, and must not be taken for this one.
    while (Result.isSuccess(composed)) {
      const { handOver } = composed.success
      if ((yield* sink.evidence(handOver))._tag === "None") break
      const liveness = yield* sink.probe({ id: session.id, newest: handOver })
      if (liveness._tag === "Live" || liveness._tag === "Unknown") {
        return resting({ until: yield* soon, why: "a former run is at work" })
      }
      session = { ...session, tries: session.tries + 1 }
      composed = compositionAs(session)
    }
    if (Result.isFailure(composed)) return resting({ why: composed.failure })
    return yield* sink.prepare(composed.success.handOver).pipe(
      Effect.as({ _tag: "Ready" as const, composed: composed.success }),
      Effect.catchTag("SinkError", ({ message }) =>
        Effect.map(soon, (until) => resting({ until, why: message }))
      )
    )
  })

  /** Concludes the session's claim, if one has ended, claims what comes next in the same write, and sends that. */
  const advance: (charge: Charge, conclusion?: Conclusion) => Effect.Effect<Advance, LedgerError> = Effect.fn(
    "Attendant.advance"
  )(function* (charge, conclusion) {
    const { agent, attention, identity } = charge
    const at = yield* now
    const { policy } = yield* running.get
    const change = (record: ItemRecord): ItemRecord =>
      conclusion === undefined ? record : concluded(record, agent, conclusion, policy, at)
    const read = yield* ledger.get(identity)
    if (read === undefined) return resting({})
    if (conclusion !== undefined) yield* health.concluded(read, agent, conclusion)
    const prepared = yield* prepare(change(read), agent, at)
    const open = yield* attention.open
    const claimNext = (record: ItemRecord): readonly [Claim | undefined, ItemRecord] => {
      if (open && prepared._tag === "Ready" && stillHolds(record, agent, prepared.composed, policy, at)) {
        const { claim } = prepared.composed
        return [claim, Queue.claimed(record, agent, claim)]
      }
      if (!Queue.floods(record, agent, policy, at)) return [undefined, record]
      const text = floodText(policy.perItemPerHour, policy.control.prefix)
      return [undefined, Queue.flooded(record, policy, at, text)]
    }
    const made = yield* ledger.modify(identity, (before) => {
      if (before === undefined) return [undefined, undefined]
      const after = change(before)
      const [claim, next] = claimNext(after)
      return [{ before, after, claim, next }, next]
    })
    if (made === undefined) return resting({})
    if (made.next.paused !== made.after.paused) yield* telling.paused(made.next)
    if (conclusion !== undefined && made.after !== made.before) {
      const { claim, ended } = conclusion
      yield* telling.concluded(made.before, made.after, agent, claim, endOf(made.before, agent, ended))
    }
    if (made.claim !== undefined) return yield* send(charge, made.claim)
    if (prepared._tag === "Rest") return prepared
    return resting(open ? { until: at } : {})
  })

  const send: (charge: Charge, claim: Claim) => Effect.Effect<Advance, LedgerError> = Effect.fn(
    "Attendant.send"
  )(function* (charge, claim) {
    const { agent, attention, identity } = charge
    const record = yield* ledger.get(identity)
    const sink = record === undefined ? undefined : sinkOf(record, agent)
    if (record === undefined || sink === undefined) return resting({})
    const sending = sink.send(claim).pipe(
      Effect.as("sent" as const),
      Effect.catchTag("SinkError", (error) => Effect.succeed(error))
    )
    const outcome = yield* Effect.raceFirst(sending, Effect.as(attention.cutOff, "cut off" as const))
    if (outcome === "sent") {
      yield* telling.started(record, agent, claim)
      return { _tag: "Sent", claim }
    }
    if (outcome === "cut off") {
      yield* telling.cutOff(record, agent, claim)
      return resting({})
    }
    if (outcome.reason !== "AgentNotStarted") return yield* giveBack(charge, claim, sink, outcome.message)
    return yield* advance(charge, { claim, ended: { _tag: "Failed", why: outcome.message } })
  })

  /** Waits for a run's result; an item that ends meanwhile gives the run its grace and then has it killed. */
  const result = Effect.fn("Attendant.result")(function* (
    { agent, attention, identity }: Charge,
    sink: Sink,
    claim: HandOverTry
  ) {
    while (true) {
      const session = (yield* ledger.get(identity))?.sessions[agent]
      const endBy = session?.state === "ending" ? session.endBy : undefined
      const meanwhile =
        endBy === undefined
          ? attention.woken
          : Effect.flatMap(Clock.currentTimeMillis, (time) => Effect.sleep(Math.max(0, millis(endBy) - time)))
      const ended = yield* Effect.raceFirst(sink.result(claim), Effect.as(meanwhile, undefined))
      if (ended !== undefined) return ended
      if (endBy === undefined) continue
      // To its end: an agent that obeys leaves its result before all of its children are gone.
      yield* sink.end({ id: session?.id ?? "", newest: claim })
      return yield* sink.result(claim)
    }
  })

  /** A claim that this attendant did not make itself: what became of it is asked of its sink first (G3.2). */
  const recover = Effect.fn("Attendant.recover")(function* (
    charge: Charge,
    record: ItemRecord,
    claim: Claim,
    sink: Sink
  ) {
    const { agent } = charge
    const ending = record.sessions[agent]?.state === "ending"
    const evidence = yield* sink.evidence(claim)
    switch (evidence._tag) {
      case "HandedOver":
        yield* telling.adopted(record, agent, claim)
        return { _tag: "Sent" as const, claim }
      case "None":
        return ending
          ? yield* giveBack(charge, claim, sink, "its claim was never sent")
          : yield* send(charge, claim)
      case "Lost":
        return ending
          ? yield* giveBack(charge, claim, sink, evidence.why)
          : yield* advance(charge, { claim, ended: { _tag: "InDoubt", why: evidence.why } })
      case "Unknown":
        return yield* giveBack(charge, claim, sink, evidence.why)
    }
  })

  /**
   * Gives a claim back once it is certain that it never reaches its agent. What reached it after all is waited for. While
   * the sink cannot tell, the claim stays and is asked about again: nothing in doubt is sent twice. Only where the sink
   * never will tell, and the session ends, is there nothing left to ask for.
   */
  const giveBack = Effect.fn("Attendant.giveBack")(function* (
    { agent, identity }: Charge,
    claim: Claim,
    sink: Sink,
    why: string
  ) {
    const certain = yield* sink.withdraw(claim)
    const until = yield* soon
    if (certain._tag === "HandedOver") return { _tag: "Sent" as const, claim }
    const mayGo = (record: ItemRecord) =>
      certain._tag === "None" || (certain._tag === "Lost" && record.sessions[agent]?.state === "ending")
    const made = yield* ledger.modify(identity, (before) => {
      if (before === undefined || !mayGo(before)) return [undefined, before]
      const after = Queue.withdrawn(before, agent)
      return [{ before, after }, after]
    })
    if (made !== undefined) yield* telling.state(made.before, made.after, agent, claim)
    return resting({ until, why: certain._tag !== "None" && made === undefined ? certain.why : why })
  })

  const work = Effect.fn("Attendant.work")(function* (charge: Charge) {
    const { agent, attention, identity } = charge
    yield* attention.phase("deciding")
    const record = yield* readToAttend(identity, agent)
    const session = record?.sessions[agent]
    const sink = record === undefined ? undefined : sinkOf(record, agent)
    if (record === undefined || session === undefined || sink === undefined) return {}
    if (session.state === "ended" && session.claim === undefined) return {}
    let step: Advance
    if (session.claim === undefined) {
      const { policy } = yield* running.get
      const next = Queue.next(record, agent, policy, yield* now)
      if (next._tag !== "Ready" && !Queue.floods(record, agent, policy, yield* now)) return restOf(next)
      if (!suffices(record, yield* words.get(identity))) return { why: unread }
      yield* attention.phase("waiting for a slot")
      yield* attention.slot
      yield* attention.phase("waiting to be sent")
      step = yield* attention.turn(Effect.andThen(attention.phase("deciding"), advance(charge)))
    } else {
      yield* attention.seize
      step = yield* attention.turn(recover(charge, record, session.claim, sink))
    }
    while (step._tag === "Sent") {
      const { claim } = step
      yield* attention.phase("running")
      const ended = yield* result(charge, sink, claim)
      yield* attention.phase("deciding")
      step = yield* attention.turn(advance(charge, { claim, ended }))
    }
    return step.rest
  })

  /** Attends a session until there is nothing left to do for it, and says until when. */
  const attend = Effect.fn("Attendant.attend")(function* (
    identity: Identity,
    agent: string,
    attention: Attention
  ) {
    const rest: Rest = yield* work({ identity, agent, attention })
    const known = yield* words.get(identity)
    const last = yield* ledger.get(identity)
    if (last !== undefined) yield* words.settle(last, known)
    return rest
  })

  return { attend }
})

const unread = "its words are to be read again"

const restOf = (next: Exclude<Queue.Next, { _tag: "Ready" }>): Rest =>
  next._tag === "Nothing" ? {} : { why: next.why, ...(next.until === undefined ? {} : { until: next.until }) }
