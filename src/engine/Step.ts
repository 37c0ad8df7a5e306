/**
 * Step: one item's way through a cycle: observe, decide, record, offer. Observing can be interrupted and then leaves
 * nothing behind; what follows is one uninterruptible piece that waits on nothing but the disk (G2.3, G3.1).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { killPoint } from "../disk/KillPoint.ts"
import { apply, applyGone, reachesBack } from "../domain/decide/apply.ts"
import { decide, decideGone } from "../domain/decide/decide.ts"
import type { Decision } from "../domain/Decision.ts"
import { type Gone, instant, type Observation, type Target, wordKey, type WorkItem } from "../domain/Item.ts"
import { type ItemRecord, type Notice, owed } from "../domain/Record.ts"
import { EventLog } from "../state/EventLog.ts"
import type { Identity } from "../domain/Ref.ts"
import { Ledger, type LedgerError } from "../state/Ledger.ts"
import { isBusy } from "../state/LedgerIndex.ts"
import { isOfSource, type Provider, type SourceError } from "../tracker/Provider.ts"
import { AgentHealth } from "./AgentHealth.ts"
import type { Phase } from "./Attention.ts"
import { Dispatcher } from "./Dispatcher.ts"
import type { Frozen } from "./Frozen.ts"
import { mark, marksIn } from "./Mark.ts"
import { isHeld, lookFor, type Place, situationOf } from "./Place.ts"
import { Running } from "./Running.ts"
import type { Tally } from "./Tally.ts"
import { decidedLines, endedLines } from "./Decided.ts"
import { withoutOldNews } from "./SlotNotice.ts"
import { answered } from "./StatusAnswer.ts"
import { suffices, Words } from "./Words.ts"

const forSlot: Phase = "waiting for a slot"

/** What a step did. */
export interface Stepped {
  readonly observation: Observation
  readonly decisions: ReadonlyArray<Decision>
  readonly before: ItemRecord | undefined
  readonly after: ItemRecord | undefined
  /** Its start would have gone, and is held. */
  readonly isHeld: boolean
  /** More of the thread has to be read before what waits can be handed over. */
  readonly isShort: boolean
}

/** What became of a record whose item is gone. */
interface Ended {
  readonly before: ItemRecord
  readonly after: ItemRecord
  readonly decisions: ReadonlyArray<Decision>
}

/** Needs ledger, event log, words, plan and dispatcher. Its verbs fail with what concerns the item or its source. */
export const make = (frozen: Frozen) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const log = yield* EventLog
    const words = yield* Words
    const running = yield* Running
    const dispatcher = yield* Dispatcher
    const agentHealth = yield* AgentHealth
    const { markKey } = running.identification
    const now = Effect.map(Clock.currentTimeMillis, instant)

    const observe = Effect.fn("Step.observe")(function* (place: Place, target: Target) {
      const record = yield* ledger.get(target.identity)
      const look = lookFor(record, yield* words.get(target.identity))
      return yield* place.provider.observe(target, look)
    })

    /** The agents whose sessions on the item wait for a free slot. */
    const slotlessOf = Effect.fnUntraced(function* (identity: Identity, agents: ReadonlyArray<string>) {
      const waiting = yield* Effect.filter(agents, (agent) =>
        Effect.map(dispatcher.waitingFor(identity, agent), (why) => why === forSlot)
      )
      return new Set(waiting)
    })

    /** Decides on an observation and makes all of it durable in one write; then says so and offers the work. */
    const record = Effect.fn("Step.record")(function* (place: Place, observation: Observation) {
      const policy = yield* running.policyFor(place.provider, observation)
      const { plan, providers } = yield* running.get
      const at = yield* now
      const pausedAgents = new Set((yield* agentHealth.paused).keys())
      const slotless = yield* slotlessOf(observation.item.identity, Object.keys(policy.agents))
      return yield* Effect.uninterruptible(
        Effect.gen(function* () {
          const stepped = yield* ledger.modify(
            observation.item.identity,
            (before): readonly [Omit<Stepped, "isShort">, ItemRecord | undefined] => {
              const situation = situationOf(place, before, observation, { plan, policy, providers }, at)
              const decisions = decide(situation)
              const held = isHeld(place, decisions)
              const applied = apply(situation, decisions)
              const marked = applied && held && place.hold !== undefined ? place.hold.mark(applied) : applied
              const owing = marked && answered(marked, decisions, { policy, now: at, slotless, pausedAgents })
              const after = owing && withoutOldNews(found(owing, observation, markKey))
              return [{ observation, decisions, before, after, isHeld: held }, after]
            }
          )
          const { after, before, decisions } = stepped
          if (after === undefined) return { ...stepped, isShort: false }
          yield* words.observed(after, observation)
          // Before it is offered: whoever is quick hands the words over, and lets them go, in a moment.
          const isShort = !suffices(after, yield* words.get(after.identity))
          yield* log.append(
            ...decidedLines({ source: place.provider.source, ref: after.ref, before }, decisions),
            ...endedLines(before, after)
          )
          if (decisions.some(isRetry)) yield* agentHealth.choose(after)
          yield* offer(after)
          return { ...stepped, isShort }
        })
      )
    })

    const offer = (item: ItemRecord) => (isBusy(item) ? dispatcher.offer(item.identity) : Effect.void)

    /** Ends what an item that is gone for good still has. Nobody can be told there any more: nothing is owed to it. */
    const gone = Effect.fn("Step.gone")(function* (place: Place, { identity }: ItemRecord, how: Gone) {
      const { policy } = yield* running.get
      const at = yield* now
      yield* Effect.uninterruptible(
        Effect.gen(function* () {
          const memory = yield* words.get(identity)
          const ended = yield* ledger.modify(
            identity,
            (before): readonly [Ended | undefined, ItemRecord | undefined] => {
              if (before === undefined) return [undefined, undefined]
              const decisions = decideGone(before, how)
              const after = unowed(applyGone({ policy, now: at }, before, how, decisions))
              return [{ before, after, decisions }, after]
            }
          )
          if (ended === undefined) return
          const { after, before, decisions } = ended
          yield* words.settle(after, memory)
          yield* log.append(
            ...decidedLines({ source: place.provider.source, ref: after.ref, before }, decisions),
            ...endedLines(before, after)
          )
          yield* offer(after)
        })
      )
    })

    /** Posts a comment; where the item takes none, such as a locked one, that is said once and not tried again (B43). */
    const post = (place: Place, item: WorkItem, text: string) =>
      place.provider.post(item, text).pipe(
        Effect.catchIf(isFinal, ({ message, reason }) =>
          Effect.as(
            log.append({
              event: "poll.item_failed",
              level: "warn",
              source: place.provider.source,
              ref: item.ref,
              reason,
              why: message
            }),
            notPosted
          )
        )
      )

    /**
     * Posts the comments that heed owes the item. The ledger knew of each before. One that was posted by a heed that never
     * learned so stands among the item's words: only who has read those back to before it can say that it is not there.
     */
    const pay = Effect.fn("Step.pay")(function* (place: Place, { after, before, observation }: Stepped) {
      const due = (after?.notices ?? []).filter(isDue)
      if (due.length === 0 || !isReadBack(before, observation)) return
      const { item } = observation
      for (const notice of due) {
        yield* killPoint("notice.posting")
        const posted = yield* post(
          place,
          item,
          `${notice.text}\n\n${mark(markKey, item.identity, notice.id)}`
        )
        yield* killPoint("notice.posted")
        yield* ledger.modify(item.identity, (current) => [
          undefined,
          current && paid(current, notice.id, posted)
        ])
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
      if (error._tag === "LedgerError" && error.reason === "Frozen") {
        return yield* frozen.tell(item.identity, {
          ref: item.ref,
          source: provider.source,
          why: error.message
        })
      }
      tally.errors += 1
      yield* log.append({
        event: "poll.item_failed",
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

    /**
     * Decides on an observation and counts what that did; a start that turns out to need more of the thread than it holds
     * reads that at once.
     */
    const begin = Effect.fn("Step.begin")(function* (place: Place, observation: Observation, tally: Tally) {
      const first = yield* record(place, observation)
      tally.count(first)
      if (!first.isShort) return first
      const second = yield* record(place, yield* observe(place, observation.item))
      tally.count(second)
      return { ...second, decisions: [...first.decisions, ...second.decisions], before: first.before }
    })

    /** One item's whole way through a cycle. */
    const take = Effect.fn("Step.take")(function* (place: Place, target: Target, tally: Tally) {
      const stepped = yield* begin(place, yield* observe(place, target), tally)
      yield* pay(place, stepped)
      return stepped
    })

    return { begin, take, gone, excuse }
  })
export type Step = Effect.Success<ReturnType<typeof make>>

/** Whether an answer to a comment of heed's is this item's last word on it. */
const isFinal = ({ reason }: SourceError): boolean =>
  reason === "Forbidden" || reason === "Missing" || reason === "BadAnswer"

/** Stands for the key of a comment that could not be posted. */
const notPosted = "not posted"

const isRetry = (decision: Decision): boolean => decision._tag === "Obey" && decision.command === "retry"

const isDue = ({ posted }: Notice): boolean => posted === undefined

/** Whether every stream was read to its end, and back to where the record left off. */
const isReadBack = (before: ItemRecord | undefined, { streams }: Observation): boolean =>
  Object.entries(streams).every(
    ([stream, reading]) =>
      reading.complete &&
      (before === undefined ? reading.since === undefined : reachesBack(before, stream, reading))
  )

/** The record once an owed comment was posted. */
const paid = (record: ItemRecord, id: string, posted: string): ItemRecord => {
  const { look, ...rest } = record
  const notices = record.notices.map((notice) => (notice.id === id ? { ...notice, posted } : notice))
  const isDone = look === owed && !notices.some(isDue)
  return { ...rest, ...(isDone || look === undefined ? {} : { look }), notices }
}

/** The record with those comments paid that stand among the words, by their marks: in the write that has read them. */
const found = (record: ItemRecord, { comments, item }: Observation, markKey: string): ItemRecord => {
  if (!record.notices.some(isDue)) return record
  const keys = new Map(
    comments.flatMap((comment) =>
      marksIn(markKey, item.identity, comment.body).map((label) => [label, wordKey(comment)] as const)
    )
  )
  return record.notices.reduce((next, { id, posted }) => {
    const key = posted === undefined ? keys.get(id) : undefined
    return key === undefined ? next : paid(next, id, key)
  }, record)
}

/** The record of an item to which nothing can be owed any more. */
const unowed = (record: ItemRecord): ItemRecord =>
  record.notices.filter(isDue).reduce((next, { id }) => paid(next, id, notPosted), record)
