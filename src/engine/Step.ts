/**
 * Step: one item's way through a cycle: observe, decide, record, offer. Observing can be interrupted and then leaves
 * nothing behind; what follows is one uninterruptible piece that waits on nothing but the disk (G2.3, G3.1).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { apply, applyGone } from "../domain/decide/apply.ts"
import { decide, decideGone } from "../domain/decide/decide.ts"
import { type Listed, type Situation, untrusted } from "../domain/decide/situation.ts"
import type { Decision } from "../domain/Decision.ts"
import {
  type Gone,
  type Instant,
  instant,
  type Observation,
  type Target,
  type WorkItem
} from "../domain/Item.ts"
import type { Policy } from "../domain/Policy.ts"
import { type ItemRecord, owed } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { EventLog } from "../state/EventLog.ts"
import { Ledger, type LedgerError } from "../state/Ledger.ts"
import type { Look, Provider, SourceError } from "../tracker/Provider.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { mark, marksIn } from "./Mark.ts"
import { Running } from "./Running.ts"
import type { Tally } from "./Tally.ts"
import { type Memory, suffices, Words } from "./Words.ts"

/** Where an item is looked at from. */
export interface Place {
  readonly provider: Provider
  readonly scope: string
  readonly listed: Listed
  /** Starts are held, and why. */
  readonly hold: string | undefined
}

/** What a step did. */
export interface Stepped {
  readonly observation: Observation
  readonly decisions: ReadonlyArray<Decision>
  readonly before: ItemRecord | undefined
  readonly after: ItemRecord | undefined
}

/** An item that two sources list stays with the one that had it, as long as the plan has that one. */
const homed = (situation: Situation, providers: ReadonlyArray<Provider>): Situation => {
  const { record } = situation
  const isKept = providers.some(
    ({ scopes, source }) => source === record?.source && scopes.includes(record.scope)
  )
  return record !== undefined && isKept
    ? { ...situation, source: record.source, scope: record.scope }
    : situation
}

/** What has to be read of an item, given what is known of it. */
export const lookFor = (record: ItemRecord | undefined, memory: Memory | undefined): Look => {
  if (record === undefined) return { since: {}, labelling: true }
  const sessions = Object.values(record.sessions)
  return {
    since: suffices(record, memory) ? record.read : {},
    labelling: sessions.every((session) => session.state === "ended" || session.state === "ending")
  }
}

/** The situation of a look. */
export const situationOf = (
  place: Place,
  record: ItemRecord | undefined,
  observation: Observation,
  policy: Policy,
  now: Instant
): Situation => ({
  record,
  observation,
  listed: place.listed,
  source: place.provider.source,
  scope: place.scope,
  hold: place.hold,
  policy,
  now
})

export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const log = yield* EventLog
  const words = yield* Words
  const running = yield* Running
  const dispatcher = yield* Dispatcher
  const now = Effect.map(Clock.currentTimeMillis, instant)
  /** Why items are frozen, as it was told: once, and not every cycle. */
  const toldFrozen = new Map<Identity, string>()

  const observe = Effect.fn("Step.observe")(function* (place: Place, target: Target) {
    const record = yield* ledger.get(target.identity)
    const look = lookFor(record, yield* words.get(target.identity))
    return yield* place.provider.observe(target, look)
  })

  /** Decides on an observation and makes all of it durable in one write; then says so and offers the work. */
  const record = Effect.fn("Step.record")(function* (place: Place, observation: Observation) {
    const policy = yield* running.policyFor(place.provider, observation)
    const { providers } = yield* running.get
    const at = yield* now
    const confirmed: Place =
      place.listed === "listed" && !place.provider.covers(observation.item)
        ? { ...place, listed: "unknown" }
        : place
    return yield* Effect.uninterruptible(
      Effect.gen(function* () {
        const stepped = yield* ledger.modify(
          observation.item.identity,
          (before): readonly [Stepped, ItemRecord | undefined] => {
            const situation = homed(situationOf(confirmed, before, observation, policy, at), providers)
            const decisions = decide(situation)
            const after = apply(situation, decisions)
            return [{ observation, decisions, before, after }, after]
          }
        )
        if (stepped.after !== undefined) yield* words.observed(stepped.after, observation)
        yield* tell(place, stepped)
        if (stepped.after !== undefined) yield* offer(stepped.after)
        return stepped
      })
    )
  })

  const offer = (item: ItemRecord) =>
    Object.values(item.sessions).some((session) => session.state !== "ended" || session.claim !== undefined)
      ? dispatcher.offer(item.identity)
      : Effect.void

  /** Ends what an item that is gone for good still has. */
  const gone = Effect.fn("Step.gone")(function* (place: Place, before: ItemRecord, how: Gone) {
    const { policy } = yield* running.get
    const at = yield* now
    yield* Effect.uninterruptible(
      Effect.gen(function* () {
        const after = yield* ledger.modify(
          before.identity,
          (current): readonly [ItemRecord | undefined, ItemRecord | undefined] => {
            if (current === undefined) return [undefined, undefined]
            const next = applyGone({ policy, now: at }, current, how, decideGone(current, how))
            return [next, next]
          }
        )
        yield* tellDecisions(place, before, decideGone(before, how))
        if (after !== undefined) yield* offer(after)
      })
    )
  })

  const tell = (place: Place, { after, before, decisions }: Stepped) =>
    after === undefined ? Effect.void : tellDecisions(place, before ?? after, decisions)

  const tellDecisions = Effect.fn("Step.tell")(function* (
    place: Place,
    item: ItemRecord,
    decisions: ReadonlyArray<Decision>
  ) {
    const line = { level: "info" as const, source: place.provider.source, ref: item.ref }
    const live = Object.values(item.sessions).some((session) => session.state === "live")
    for (const decision of decisions) {
      switch (decision._tag) {
        case "Begin":
          yield* log.append({
            event: "dispatch.queued",
            ...line,
            agent: decision.agent,
            key: "start",
            generation: decision.generation,
            why: decision.reason
          })
          break
        case "Queue":
          if (live)
            yield* log.append({
              event: "poll.comment_forwarded",
              ...line,
              key: decision.word,
              agent: decision.agent
            })
          break
        case "Settle":
          yield* log.append({
            event: "poll.comment_settled",
            ...line,
            key: decision.key,
            outcome: decision.outcome,
            why: decision.reason
          })
          break
        case "Refuse":
          yield* log.append({
            event: "control.refused",
            ...line,
            key: decision.word,
            command: decision.command,
            why: decision.reason
          })
          break
        case "Obey":
          yield* log.append({
            event: "control.command",
            ...line,
            key: decision.word,
            command: decision.command,
            by: decision.by
          })
          break
        case "End":
          yield* log.append({
            event: "poll.closure_detected",
            ...line,
            agent: decision.agent,
            why: decision.reason
          })
          if (item.sessions[decision.agent]?.claim === undefined) {
            yield* log.append({
              event: "session.ended",
              ...line,
              agent: decision.agent,
              session: item.sessions[decision.agent]?.id,
              why: decision.reason
            })
          }
          break
        case "Rearm":
          yield* log.append({
            event: "poll.rearmed",
            ...line,
            key: decision.key,
            agent: decision.agent,
            why: decision.reason
          })
          break
        case "Learn":
        case "Wait":
          break
      }
    }
    const strangers = decisions.some(isUnauthorized)
    const knownStranger = Object.values(item.seen).includes(`settled: ${untrusted}`)
    if (strangers && !knownStranger) {
      yield* log.append({
        event: "poll.unauthorized",
        ...line,
        why: "somebody who is not in access.users wrote here"
      })
    }
  })

  /** Posts a comment; where that is forbidden, as on a locked item, it is said once and not tried again (traps B43). */
  const post = (place: Place, item: WorkItem, text: string) =>
    place.provider.post(item, text).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "Forbidden",
        ({ message }) =>
          Effect.as(
            log.append({
              event: "poll.item_failed",
              level: "warn",
              source: place.provider.source,
              ref: item.ref,
              reason: "Forbidden",
              why: message
            }),
            "not posted"
          )
      )
    )

  /**
   * Posts the comments that heed owes the item. The ledger knew of each before; one that was posted by a heed that died
   * before it could say so is found again by its mark, and not posted twice.
   */
  const pay = Effect.fn("Step.pay")(function* (place: Place, { after, observation }: Stepped) {
    const key = running.identification.markKey
    for (const notice of (after?.notices ?? []).filter(({ posted }) => posted === undefined)) {
      const { identity } = observation.item
      const found = observation.comments.find((comment) =>
        marksIn(key, identity, comment.body).includes(notice.id)
      )
      const posted =
        found === undefined
          ? yield* post(place, observation.item, `${notice.text}\n\n${mark(key, identity, notice.id)}`)
          : `${found.stream}/${found.id}`
      yield* ledger.modify(identity, (current) => [undefined, current && paid(current, notice.id, posted)])
    }
  })

  /**
   * An item that fails, fails alone: it is reported, keeps what it has and is looked at again. A failure that concerns
   * its whole source stops the walk instead.
   */
  const excuse = Effect.fn("Step.excuse")(function* (
    provider: Provider,
    item: Pick<Target, "identity" | "ref">,
    error: SourceError | LedgerError,
    tally: Tally
  ) {
    if (error._tag === "SourceError" && isOfSource(error)) return yield* error
    tally.errors += 1
    const frozen = error._tag === "LedgerError" && error.reason === "Frozen"
    if (frozen && toldFrozen.get(item.identity) === error.message) return
    if (frozen) toldFrozen.set(item.identity, error.message)
    yield* log.append({
      event: frozen ? "poll.item_frozen" : "poll.item_failed",
      level: "error",
      source: provider.source,
      ref: item.ref,
      reason: error.reason,
      why: error.message
    })
    if (error._tag === "LedgerError") return
    // A record that cannot take the mark now is looked at again anyway: its row is not vouched for.
    yield* ledger
      .modify(item.identity, (current) => [undefined, current && { ...current, look: error.message }])
      .pipe(Effect.catchTag("LedgerError", () => Effect.void))
  })

  return { observe, record, gone, pay, excuse }
})
export type Step = Effect.Success<typeof make>

const isOfSource = (error: SourceError): boolean =>
  error.reason === "Network" || error.reason === "Unauthorized" || error.reason === "Limited"

const isUnauthorized = (decision: Decision): boolean =>
  (decision._tag === "Settle" || decision._tag === "Refuse") && decision.reason === untrusted

/** The record once an owed comment was posted. */
const paid = (record: ItemRecord, id: string, posted: string): ItemRecord => {
  const { look: _look, ...rest } = record
  const notices = record.notices.map((notice) => (notice.id === id ? { ...notice, posted } : notice))
  const done = record.look === owed && notices.every((notice) => notice.posted !== undefined)
  return { ...rest, ...(done || record.look === undefined ? {} : { look: record.look }), notices }
}
