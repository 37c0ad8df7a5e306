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
import { type Result as Ended, type Sink, type SinkError, Sinks } from "../sink/Sink.ts"
import { EventLog } from "../state/EventLog.ts"
import { Ledger, type LedgerError } from "../state/Ledger.ts"
import { compose, type Composed } from "./Compose.ts"
import { Fresh } from "./Fresh.ts"
import { floodText, giveUpText } from "./Notice.ts"
import { Running } from "./Running.ts"
import { suffices, Words } from "./Words.ts"

/** What an attendant is doing: the dispatcher knows from it what may still start and what only has to be awaited. */
export type Phase = "deciding" | "waiting for a slot" | "running"

/** The attendant's ties to its dispatcher. */
export interface Attention {
  readonly phase: (phase: Phase) => Effect.Effect<void>
  /** Waits for a slot; taken slots are given back when the attendant ends. */
  readonly slot: Effect.Effect<void>
  /** Takes a slot for a run that is at work already. */
  readonly seize: Effect.Effect<void>
  /** Bounds the hand-overs that are on their way at once (`limits.handOvers`); waiting for one's turn is interruptible. */
  readonly sending: <A, E, R>(send: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns when the item was offered again. */
  readonly woken: Effect.Effect<void>
}

/** Why an attendant rests: nothing to do, or a time before which there is nothing to do. */
export interface Rest {
  readonly until?: Instant
  readonly why?: string
}

/** How long to leave a disk alone that cannot be written, and an agent that is not ready, in milliseconds. */
const respite = 5000

type Transition = (record: ItemRecord) => ItemRecord

const unchanged: Transition = (record) => record

type Advance =
  { readonly _tag: "Sent"; readonly claim: Claim } | { readonly _tag: "Rest"; readonly rest: Rest }

export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const sinks = yield* Sinks
  const log = yield* EventLog
  const words = yield* Words
  const running = yield* Running
  const fresh = yield* Fresh

  const now = Effect.map(Clock.currentTimeMillis, instant)

  const after = (ms: number): Effect.Effect<Instant> =>
    Effect.map(Clock.currentTimeMillis, (time) => instant(time + ms))

  const sinkOf = (record: ItemRecord, agent: string): Sink | undefined =>
    sinks.get(record.sessions[agent]?.plan.sink ?? "")

  /** What the session would be given now, ready to be sent: composed, and its content durable. */
  const prepare = Effect.fn("Attendant.prepare")(function* (record: ItemRecord, agent: string, at: Instant) {
    const { plan, policy } = yield* running.get
    const next = Queue.next(record, agent, policy, at)
    if (next._tag !== "Ready") return { _tag: "Rest" as const, rest: restOf(next) }
    const sink = sinkOf(record, agent)
    const memory = yield* words.get(record.identity)
    if (sink === undefined || memory === undefined || !suffices(record, memory)) {
      return { _tag: "Rest" as const, rest: { why: "its words are to be read again" } }
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
      const liveness = yield* sink.probe(session.id, handOver)
      if (liveness._tag === "Running" || liveness._tag === "Unknown") {
        return {
          _tag: "Rest" as const,
          rest: { until: yield* after(respite), why: "a former run is at work" }
        }
      }
      session = { ...session, tries: session.tries + 1 }
      composed = compositionAs(session)
    }
    if (Result.isFailure(composed)) return { _tag: "Rest" as const, rest: { why: composed.failure } }
    return yield* sink.prepare(composed.success.handOver).pipe(
      Effect.as({ _tag: "Ready" as const, composed: composed.success, sink }),
      Effect.catchTag("SinkError", (error) => resting(error))
    )
  })

  const resting = (error: SinkError) =>
    Effect.map(after(respite), (until) => ({ _tag: "Rest" as const, rest: { until, why: error.message } }))

  /**
   * Makes a change to the record and, in the same write, claims what comes next; then sends it. Runs uninterruptibly:
   * between a claim and its evidence there is no stop.
   */
  const advance: (
    identity: Identity,
    agent: string,
    change: Transition
  ) => Effect.Effect<Advance, LedgerError> = Effect.fn("Attendant.advance")(
    function* (identity, agent, change) {
      const at = yield* now
      const { policy } = yield* running.get
      const before = yield* ledger.get(identity)
      if (before === undefined) return { _tag: "Rest" as const, rest: {} }
      const prepared = yield* prepare(change(before), agent, at)
      const claim = yield* ledger.modify(
        identity,
        (record): readonly [Claim | undefined, ItemRecord | undefined] => {
          if (record === undefined) return [undefined, record]
          const changed = change(record)
          if (prepared._tag === "Ready" && stillHolds(changed, agent, prepared.composed)) {
            return [prepared.composed.claim, Queue.claimed(changed, agent, prepared.composed.claim)]
          }
          return Queue.floods(changed, agent, policy, at)
            ? [
                undefined,
                Queue.flooded(changed, policy, at, floodText(policy.perItemPerHour, policy.control.prefix))
              ]
            : [undefined, changed]
        }
      )
      if (claim === undefined) {
        return prepared._tag === "Ready"
          ? { _tag: "Rest" as const, rest: { until: at } }
          : { _tag: "Rest" as const, rest: prepared.rest }
      }
      return yield* send(identity, agent, claim)
    }
  )

  const send: (identity: Identity, agent: string, claim: Claim) => Effect.Effect<Advance, LedgerError> =
    Effect.fn("Attendant.send")(function* (identity, agent, claim) {
      const record = yield* ledger.get(identity)
      const sink = record === undefined ? undefined : sinkOf(record, agent)
      if (record === undefined || sink === undefined) return { _tag: "Rest", rest: {} }
      const failure = yield* sink.send(claim).pipe(
        Effect.as(undefined),
        Effect.catchTag("SinkError", (error) => Effect.succeed(error))
      )
      if (failure === undefined) {
        yield* say(record, agent, claim, "dispatch.started")
        return { _tag: "Sent", claim }
      }
      if (failure.reason !== "AgentNotStarted") {
        return yield* giveBack(identity, agent, claim, sink, failure.message)
      }
      return yield* advance(identity, agent, yield* resolution(record, agent, claim, failed(failure.message)))
    })

  const failed = (why: string): Ended => ({ _tag: "Failed", why })

  /** What a result makes of the record, after saying so in the event log. */
  const resolution = Effect.fn("Attendant.resolution")(function* (
    record: ItemRecord,
    agent: string,
    claim: Claim,
    result: Ended
  ) {
    const at = yield* now
    const { policy } = yield* running.get
    const fellBack = record.sessions[agent]?.fellBack === true
    const outcome = result._tag === "ConversationLost" && fellBack ? failed(result.why) : result
    const change = ((): Transition => {
      switch (outcome._tag) {
        case "Done":
          return (current) => Queue.succeeded(current, agent, at)
        case "NotNow": {
          const until = instant(millis(at) + (policy.retryAfter[0] ?? 60_000))
          return (current) => Queue.putOff(current, agent, until)
        }
        case "ConversationLost":
          return (current) => Queue.conversationLost(current, agent)
        case "Failed":
          return (current) =>
            Queue.failed(current, agent, outcome.why, {
              policy,
              now: at,
              giveUpText: giveUpText(policy.attempts)
            })
      }
    })()
    yield* report(record, change(record), agent, claim, outcome)
    return change
  })

  const say = (
    record: ItemRecord,
    agent: string,
    claim: Claim,
    event: "dispatch.started" | "dispatch.succeeded" | "dispatch.failed" | "session.adopted",
    more: { readonly [field: string]: string | number | boolean } = {}
  ) =>
    log.append({
      event,
      level: event === "dispatch.failed" ? "warn" : "info",
      source: record.source,
      ref: record.ref,
      delivery: claim.id,
      agent,
      kind: claim.kind,
      try: claim.try,
      members: claim.members,
      ...more
    })

  const report = Effect.fn("Attendant.report")(function* (
    before: ItemRecord,
    next: ItemRecord,
    agent: string,
    claim: Claim,
    result: Ended
  ) {
    const line = { source: before.source, ref: before.ref, delivery: claim.id, agent }
    yield* result._tag === "Done"
      ? say(before, agent, claim, "dispatch.succeeded")
      : say(before, agent, claim, "dispatch.failed", { reason: result._tag, why: result.why })
    const given = next.gaveUp.filter((entry) => !before.gaveUp.includes(entry))
    for (const entry of given) {
      const event = entry.key === "start" ? "poll.spawn_failed" : "poll.comment_failed"
      yield* log.append({ event, level: "error", ...line, key: entry.key, why: entry.why, will_retry: false })
    }
    yield* sayState(before, next, agent, claim)
  })

  /** Says when a session began or is gone. */
  const sayState = Effect.fn("Attendant.sayState")(function* (
    before: ItemRecord,
    next: ItemRecord,
    agent: string,
    claim: Claim
  ) {
    const [was, is] = [before.sessions[agent], next.sessions[agent]]
    if (is === undefined || was?.state === is.state || (is.state !== "live" && is.state !== "ended")) return
    yield* log.append({
      event: is.state === "live" ? "session.started" : "session.ended",
      level: "info",
      source: before.source,
      ref: before.ref,
      delivery: claim.id,
      agent,
      session: is.id,
      generation: is.generation,
      why: is.why
    })
  })

  /** Waits for a run's result; an item that ends meanwhile gives the run its grace and then has it killed. */
  const result = Effect.fn("Attendant.result")(function* (
    identity: Identity,
    agent: string,
    sink: Sink,
    claim: HandOverTry,
    attention: Attention
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
      yield* sink.end(claim)
      return yield* sink.result(claim)
    }
  })

  /** A claim that this attendant did not make itself: what became of it is asked of its sink first (G3.2). */
  const recover = Effect.fn("Attendant.recover")(function* (
    record: ItemRecord,
    agent: string,
    claim: Claim,
    sink: Sink
  ) {
    const ending = record.sessions[agent]?.state === "ending"
    const evidence = yield* ending ? sink.withdraw(claim) : sink.evidence(claim)
    if (evidence._tag === "HandedOver") {
      yield* say(record, agent, claim, "session.adopted")
      return { _tag: "Sent" as const, claim }
    }
    if (!ending && (evidence._tag === "None" || sink.inDoubt === "repeat")) {
      return yield* send(record.identity, agent, claim)
    }
    return yield* giveBack(record.identity, agent, claim, sink, "its claim was never sent")
  })

  /**
   * Gives a claim back once it is certain that it never reaches its agent. What reached it after all is waited for, and
   * while the sink cannot tell, the claim stays and is asked about again: nothing in doubt is sent twice.
   */
  const giveBack = Effect.fn("Attendant.giveBack")(function* (
    identity: Identity,
    agent: string,
    claim: Claim,
    sink: Sink,
    why: string
  ) {
    const certain = yield* sink.withdraw(claim)
    const until = yield* after(respite)
    if (certain._tag === "HandedOver") return { _tag: "Sent" as const, claim }
    if (certain._tag === "Unknown") return { _tag: "Rest" as const, rest: { until, why: certain.why } }
    const [before, next] = yield* ledger.modify(identity, (current) => {
      const back = current && Queue.withdrawn(current, agent)
      return [[current, back] as const, back]
    })
    if (before !== undefined && next !== undefined) yield* sayState(before, next, agent, claim)
    return { _tag: "Rest" as const, rest: { until, why } }
  })

  const conclude = Effect.fn("Attendant.conclude")(function* (
    identity: Identity,
    agent: string,
    claim: Claim,
    ended: Ended
  ) {
    const record = yield* ledger.get(identity)
    if (record === undefined) return { _tag: "Rest" as const, rest: {} }
    return yield* advance(identity, agent, yield* resolution(record, agent, claim, ended))
  })

  /** Attends a session until there is nothing left to do for it, and says until when. */
  const attend = Effect.fn("Attendant.attend")(function* (
    identity: Identity,
    agent: string,
    attention: Attention
  ) {
    yield* attention.phase("deciding")
    const record = yield* ledger.get(identity)
    const session = record?.sessions[agent]
    const sink = record === undefined ? undefined : sinkOf(record, agent)
    if (record === undefined || session === undefined || sink === undefined) return {}
    let step: Advance
    if (session.claim === undefined) {
      const { policy } = yield* running.get
      const next = Queue.next(record, agent, policy, yield* now)
      if (next._tag !== "Ready" && !Queue.floods(record, agent, policy, yield* now)) return restOf(next)
      if (!suffices(record, yield* words.get(identity))) return { why: "its words are to be read again" }
      yield* attention.phase("waiting for a slot")
      yield* attention.slot
      yield* attention.phase("deciding")
      step = yield* attention.sending(Effect.uninterruptible(advance(identity, agent, unchanged)))
    } else {
      yield* attention.seize
      step = yield* attention.sending(Effect.uninterruptible(recover(record, agent, session.claim, sink)))
    }
    while (step._tag === "Sent") {
      const { claim } = step
      yield* attention.phase("running")
      const ended = yield* result(identity, agent, sink, claim, attention)
      yield* attention.phase("deciding")
      step = yield* attention.sending(Effect.uninterruptible(conclude(identity, agent, claim, ended)))
    }
    const known = yield* words.get(identity)
    const last = yield* ledger.get(identity)
    if (last !== undefined) yield* words.settle(last, known)
    return step.rest
  })

  return { attend }
})

const restOf = (next: Exclude<Queue.Next, { _tag: "Ready" }>): Rest =>
  next._tag === "Nothing" ? {} : { why: next.why, ...(next.until === undefined ? {} : { until: next.until }) }

/** Whether what was composed is still exactly what the record would give: nothing came, went or changed meanwhile. */
const stillHolds = (record: ItemRecord, agent: string, { claim }: Composed): boolean => {
  const session = record.sessions[agent]
  if (session === undefined || session.claim !== undefined || record.paused !== undefined) return false
  if (session.state !== "wanted" && session.state !== "live") return false
  if (claim.try <= session.tries) return false
  const waiting = new Set(record.waiting.filter((entry) => entry.agent === agent).map((entry) => entry.key))
  return [...claim.members, ...(claim.baseline ?? [])].every((key) => waiting.has(key))
}
