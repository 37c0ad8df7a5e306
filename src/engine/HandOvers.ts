/**
 * HandOvers: the steps of one hand-over: prepare, claim, send, look up, give back, conclude. Each is durable before the
 * next begins, and a crash between any two of them is made good by looking at the sink (G3.2).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { killPoint } from "../disk/KillPoint.ts"
import { type Instant, instant } from "../domain/Item.ts"
import * as Queue from "../domain/queue.ts"
import type { Claim, ItemRecord, Session } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { type Evidence, type Sink, Sinks } from "../sink/Sink.ts"
import { Ledger, type LedgerError } from "../state/Ledger.ts"
import { AgentHealth } from "./AgentHealth.ts"
import type { Attention, Rest } from "./Attention.ts"
import { type Composed, compose, stillHolds } from "./Compose.ts"
import { concluded, type Conclusion, endedBy, endOf } from "./Conclusion.ts"
import { Fresh } from "./Fresh.ts"
import { floodText } from "./Notice.ts"
import { Running } from "./Running.ts"
import * as Telling from "./Telling.ts"
import { suffices, Words } from "./Words.ts"

/** How long what cannot be done now is left alone: a disk that cannot be written, an agent that is not ready; in milliseconds. */
export const respite = 5000

/** One session under an attendant's care. */
export interface Charge {
  readonly identity: Identity
  readonly agent: string
  readonly attention: Attention
}

/** What a session would be given now, its content durable; or why it is given nothing. */
export type Prepared =
  { readonly _tag: "Ready"; readonly composed: Composed } | { readonly _tag: "Rest"; readonly rest: Rest }

/** What a step does in one write. */
export interface Move {
  readonly conclusion?: Conclusion
  readonly prepared?: Prepared
}

/** Where a hand-over stands after a step: its agent has it, or nothing can be done for now. */
export type Advance =
  { readonly _tag: "Sent"; readonly claim: Claim } | { readonly _tag: "Rest"; readonly rest: Rest }

export const resting = (rest: Rest) => ({ _tag: "Rest" as const, rest })

export const restOf = (next: Exclude<Queue.Next, { _tag: "Ready" }>): Rest =>
  next._tag === "Nothing" ? {} : { why: next.why, ...(next.until === undefined ? {} : { until: next.until }) }

/** What a stop knows of a claim once it waits no longer. */
const cutOff: Evidence = { _tag: "Unknown", why: "heed stops" }

const stopped = ({ attention }: Charge) => Effect.as(attention.cutOff, cutOff)

export const unread = "its words are to be read again"

/** The steps, over ledger, sinks and words. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const sinks = yield* Sinks
  const words = yield* Words
  const running = yield* Running
  const fresh = yield* Fresh
  const health = yield* AgentHealth
  const telling = yield* Telling.make

  const now = Effect.map(Clock.currentTimeMillis, instant)

  const soon = Effect.map(Clock.currentTimeMillis, (time) => instant(time + respite))

  const sinkOf = (record: ItemRecord, agent: string): Sink | undefined =>
    sinks.get(record.sessions[agent]?.plan.sink ?? "")

  /**
   * Waits for a slot. Answers with whether the session is still the one that waited: where it has ended meanwhile, the
   * next one may be another sink's, and is attended anew.
   */
  const slot = Effect.fn("HandOvers.slot")(function* (
    { agent, attention, identity }: Charge,
    { id }: Pick<Session, "id">
  ) {
    yield* attention.phase("waiting for a slot")
    yield* attention.slot
    return (yield* ledger.get(identity))?.sessions[agent]?.id === id
  })

  /**
   * What the session would be given now, ready to be sent: composed, and its content durable. `held` is the conversation
   * that an open session holds already.
   */
  const prepare = Effect.fn("HandOvers.prepare")(function* (
    record: ItemRecord,
    agent: string,
    at: Instant,
    held?: string
  ): Effect.fn.Return<Prepared> {
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
    const conversation = next.candidate.session.conversation ?? held ?? fresh.uuid()
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
      const liveness =
        sink.stays === undefined ? yield* sink.probe({ id: session.id, newest: handOver }) : undefined
      if (liveness?._tag === "Live" || liveness?._tag === "Unknown") {
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

  /**
   * Concludes the session's claim, if one has ended, claims in the same write what was prepared, and sends that. Where
   * nothing was prepared yet, that is done first; but what stays open has to be ready before that.
   */
  const advance: (charge: Charge, move?: Move) => Effect.Effect<Advance, LedgerError> = Effect.fn(
    "HandOvers.advance"
  )(function* (charge, { conclusion, prepared: given } = {}) {
    const { agent, attention, identity } = charge
    const at = yield* now
    const { policy } = yield* running.get
    const change = (record: ItemRecord): ItemRecord =>
      conclusion === undefined ? record : concluded(record, agent, conclusion, policy, at)
    const read = yield* ledger.get(identity)
    if (read === undefined) return resting({})
    if (conclusion !== undefined) yield* health.concluded(read, agent, conclusion)
    const stays = sinkOf(read, agent)?.stays !== undefined
    const prepared = given ?? (stays ? resting({}) : yield* prepare(change(read), agent, at))
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
    "HandOvers.send"
  )(function* (charge, claim) {
    yield* killPoint("session.claimed")
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
      yield* killPoint("session.sent")
      yield* telling.started(record, agent, claim)
      return { _tag: "Sent", claim }
    }
    if (outcome === "cut off") {
      yield* telling.cutOff(record, agent, claim)
      return resting({})
    }
    const ended = endedBy(outcome)
    if (ended === undefined) return yield* giveBack(charge, claim, sink, outcome.message)
    return yield* advance(charge, { conclusion: { claim, ended } })
  })

  /** A claim that this attendant did not make itself: what became of it is asked of its sink first (G3.2). */
  const recover = Effect.fn("HandOvers.recover")(function* (
    charge: Charge,
    record: ItemRecord,
    claim: Claim,
    sink: Sink
  ) {
    const { agent } = charge
    const ending = record.sessions[agent]?.state === "ending"
    const evidence = yield* Effect.raceFirst(sink.evidence(claim), stopped(charge))
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
          : yield* advance(charge, { conclusion: { claim, ended: { _tag: "InDoubt", why: evidence.why } } })
      case "Unknown":
        return yield* giveBack(charge, claim, sink, evidence.why)
    }
  })

  /**
   * Gives a claim back once it is certain that it never reaches its agent. What reached it after all is waited for. While
   * the sink cannot tell, the claim stays and is asked about again: nothing in doubt is sent twice. Only where the sink
   * never will tell, and the session ends, is there nothing left to ask for.
   */
  const giveBack = Effect.fn("HandOvers.giveBack")(function* (
    charge: Charge,
    claim: Claim,
    sink: Sink,
    why: string
  ) {
    const { agent, identity } = charge
    const certain = yield* Effect.raceFirst(sink.withdraw(claim), stopped(charge))
    if (certain === cutOff) {
      const record = yield* ledger.get(identity)
      if (record !== undefined) yield* telling.cutOff(record, agent, claim)
      return resting({})
    }
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

  return { ledger, words, running, health, telling, now, soon, sinkOf, slot, prepare, advance, recover }
})

/** What `make` answers with. */
export type HandOvers = Effect.Success<typeof make>
