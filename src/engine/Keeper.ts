/**
 * Keeper: looks after a session that stays open between hand-overs: opens it, hands over what waits once its agent is
 * ready, notices when its agent leaves or what held it is lost, parks it when it is idle, and ends it with its item.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { killPoint } from "../disk/KillPoint.ts"
import { instant, millis } from "../domain/Item.ts"
import * as Queue from "../domain/queue.ts"
import * as Seat from "../domain/seat.ts"
import type { Claim, ItemRecord, Session } from "../domain/Record.ts"
import type { Liveness, SessionAt, Sink, Stays } from "../sink/Sink.ts"
import type { LedgerError } from "../state/Ledger.ts"
import type { Rest } from "./Attention.ts"
import { type Composed, stillHolds } from "./Compose.ts"
import { concluded, type Ended, endedBy, endOf } from "./Conclusion.ts"
import { type Charge, type HandOvers, resting, restOf, unread } from "./HandOvers.ts"
import type * as Unbegun from "./Unbegun.ts"
import { suffices } from "./Words.ts"

/** A sink whose sessions stay. */
type StayingSink = Sink & { readonly stays: Stays }

/** What a look at a session came to: something changed and it is looked at again, or it rests. */
type Look = { readonly _tag: "Again" } | { readonly _tag: "Rest"; readonly rest: Rest }

const again: Look = { _tag: "Again" }

const at = ({ id, seat }: Session): SessionAt => ({ id, ...(seat === undefined ? {} : { seat }) })

/** What a session comes to of which nothing lives. */
const leavingOf = (found: Exclude<Liveness, { _tag: "Live" | "Unknown" }>): Seat.Leaving => ({
  _tag: found._tag === "Lost" ? "Lost" : "Left",
  why: found._tag === "Absent" ? "nothing of it is there any more" : found.why
})

/** How long a session that a person looks at is left alone before it is asked again whether it is idle; in milliseconds. */
const watched = 60_000

/** Keeps one session until nothing of it is open and nothing can be done for it now, and says until when. */
export const make = ({
  advance,
  health,
  ledger,
  now,
  prepare,
  readToAttend,
  recover,
  running,
  slot,
  soon,
  telling,
  words
}: HandOvers & { readonly readToAttend: Effect.Success<typeof Unbegun.make> }) => {
  /** The sessions that this heed knows to be open, so that it says once of each that it took it over. */
  const known = new Set<string>()
  /** The sessions of which it has said why their words wait, until they have gone. */
  const unready = new Set<string>()
  /** The sessions that it has begun to open, and whose agents have not been ready since. */
  const unopened = new Set<string>()

  const time = Clock.currentTimeMillis

  const sessionOf = ({ agent, identity }: Charge) =>
    Effect.map(ledger.get(identity), (record) => record?.sessions[agent])

  /** Says why words wait for a session that is open: once, until they have gone. */
  const sayOnce = Effect.fn("Keeper.sayOnce")(function* (record: ItemRecord, agent: string, why?: string) {
    const id = record.sessions[agent]?.id
    if (id === undefined || why === undefined || unready.has(id)) return
    unready.add(id)
    yield* telling.waiting(record, agent, why)
  })

  /** Records that nothing of the session is open any more, and says so. */
  const close = Effect.fn("Keeper.close")(function* (
    { agent, identity }: Charge,
    session: Session,
    how: Seat.Leaving
  ) {
    const moment = yield* now
    const made = yield* ledger.modify(identity, (before) => {
      if (before === undefined || before.sessions[agent]?.id !== session.id) return [undefined, before]
      const after = Seat.closed(before, agent, how, moment)
      return [{ before, after }, after]
    })
    known.delete(session.id)
    unready.delete(session.id)
    unopened.delete(session.id)
    if (made !== undefined) yield* telling.closed(made.before, made.after, agent, how)
    return again
  })

  /** Closes a session whose agent has gone, with what that may have left running. */
  const leave = Effect.fn("Keeper.leave")(function* (
    charge: Charge,
    sink: StayingSink,
    session: Session,
    found: Exclude<Liveness, { _tag: "Live" | "Unknown" }>
  ) {
    yield* sink.end(at(session))
    return yield* close(charge, session, leavingOf(found))
  })

  /** Ends what is open of a session that is over, once its grace has passed. */
  const end = Effect.fn("Keeper.end")(function* (charge: Charge, sink: StayingSink, session: Session) {
    const moment = yield* now
    const left = Queue.graceLeft(session, moment)
    if (left > 0) return resting({ until: instant(millis(moment) + left) })
    yield* sink.end(at(session))
    return yield* close(charge, session, { _tag: "Left", why: session.why })
  })

  /** Closes a session that has been idle for long; where its conversation could not be resumed, it stays open. */
  const park = Effect.fn("Keeper.park")(function* (charge: Charge, sink: StayingSink, session: Session) {
    const { agent, identity } = charge
    const { idleAfter, resume } = session.plan
    if (idleAfter === undefined || resume === undefined || session.state !== "live") return resting({})
    const since = yield* sink.stays.idleSince(at(session))
    const moment = yield* time
    if (since === undefined) return resting({ until: instant(moment + watched) })
    if (moment < millis(since) + idleAfter) return resting({ until: instant(millis(since) + idleAfter) })
    const why = `parked: nothing happened since ${since}; the next words resume it`
    const parked = yield* ledger.modify(identity, (before) => {
      if (before === undefined || before.waiting.some((entry) => entry.agent === agent))
        return [false, before]
      const after = Seat.parking(before, agent, why)
      return [after !== before, after]
    })
    if (!parked) return again
    yield* sink.end(at(session))
    return yield* close(charge, session, { _tag: "Left", why })
  })

  /** Resolves what was sent: its agent has it, and nothing more is known of it than that. */
  const resolve = Effect.fn("Keeper.resolve")(function* (charge: Charge, sink: StayingSink, claim: Claim) {
    const ended = yield* sink.result(claim)
    yield* killPoint("session.over")
    yield* charge.attention.turn(advance(charge, { conclusion: { claim, ended } }))
    return again
  })

  /** A claim is looked up before anything else (G3.2). What cannot be told while the session lives is told by its end. */
  const lookUp = Effect.fn("Keeper.lookUp")(function* (
    charge: Charge,
    sink: StayingSink,
    record: ItemRecord,
    session: Session,
    claim: Claim
  ) {
    const { attention } = charge
    yield* attention.seize
    const step = yield* attention.turn(recover(charge, record, claim, sink))
    if (step._tag === "Sent") return yield* resolve(charge, sink, step.claim)
    const current = yield* sessionOf(charge)
    // What was given back is left alone for a moment; what was concluded is not.
    if (current?.claim === undefined) return step.rest.until === undefined ? again : step
    yield* sayOnce(record, charge.agent, step.rest.why)
    if (current.endBy === undefined) return step
    const moment = yield* now
    const left = Queue.graceLeft(current, moment)
    if (left > 0) return resting({ ...step.rest, until: instant(millis(moment) + left) })
    yield* sink.end(at(session))
    // Where it has gone, that wakes; where nobody can tell even now, it is asked again in a moment.
    return step
  })

  /** The session could not be opened: that is an end of what it was opened for, recorded as if it had been claimed. */
  const fail = Effect.fn("Keeper.fail")(function* (
    { agent, identity }: Charge,
    composed: Composed,
    ended: Ended
  ) {
    const { claim } = composed
    const { policy } = yield* running.get
    const moment = yield* now
    const made = yield* ledger.modify(identity, (before) => {
      if (before === undefined || !stillHolds(before, agent, composed, policy, moment))
        return [undefined, before]
      const claimed = Queue.claimed(Seat.unseated(before, agent), agent, claim)
      const after = concluded(claimed, agent, { claim, ended }, policy, moment)
      return [{ claimed, after }, after]
    })
    if (made !== undefined) {
      yield* health.concluded(made.claimed, agent, { claim, ended })
      yield* telling.concluded(made.claimed, made.after, agent, claim, endOf(made.claimed, agent, ended))
    }
    return again
  })

  /** Opens the session where it is not, waits until its agent is ready, and hands over what waits. */
  const handOver = Effect.fn("Keeper.handOver")(function* (
    charge: Charge,
    sink: StayingSink,
    session: Session
  ) {
    const { agent, attention, identity } = charge
    if (!(yield* slot(charge, session))) return resting({ until: yield* now })
    yield* attention.phase("waiting for its agent to be ready")
    const found = yield* sink.probe(at(session))
    if (found._tag === "Unknown") return resting({ until: yield* soon, why: found.why })
    if (found._tag === "Live" && session.seat === undefined) {
      // Another life's, of a record that somebody moved away: its agent was given other words.
      yield* sink.end(at(session))
    }
    const seat = session.seat ?? (yield* sink.stays.seat.pipe(Effect.catchTag("SinkError", Effect.succeed)))
    if (typeof seat !== "string") return resting({ until: yield* soon, why: seat.message })
    const record = yield* ledger.get(identity)
    if (record === undefined) return again
    const held = found._tag === "Live" && session.seat !== undefined ? found.conversation : undefined
    const prepared = yield* prepare(record, agent, yield* now, held)
    if (prepared._tag === "Rest") return prepared
    if (session.seat === undefined) {
      const { policy } = yield* running.get
      const moment = yield* now
      const isWanted = yield* ledger.modify(identity, (before) =>
        before !== undefined && stillHolds(before, agent, prepared.composed, policy, moment)
          ? [true, Seat.opening(before, agent, seat)]
          : [false, before]
      )
      if (!isWanted) return again
      known.add(session.id)
      unopened.add(session.id)
    }
    const opened = yield* Effect.raceFirst(
      sink.stays.open(prepared.composed.handOver).pipe(
        Effect.as("open" as const),
        Effect.catchTag("SinkError", (error) => Effect.succeed(error))
      ),
      // Whatever changed, the item may have ended, or have more to say.
      Effect.as(attention.woken, "woken" as const)
    )
    if (opened === "woken") return again
    if (opened !== "open") {
      const ended = endedBy(opened)
      if (ended !== undefined) {
        yield* sink.end(at(session))
        return yield* fail(charge, prepared.composed, ended)
      }
      const left = yield* sink.probe(at(session))
      // Nothing to be kept, so that it is tried again in a moment and not at once.
      if (left._tag !== "Live" && left._tag !== "Unknown") yield* leave(charge, sink, session, left)
      if (opened.reason === "NotReady") yield* sayOnce(record, agent, opened.message)
      return resting({ until: yield* soon, why: opened.message })
    }
    if (unopened.delete(session.id)) yield* telling.opened(record, agent)
    unready.delete(session.id)
    yield* attention.phase("waiting to be sent")
    const step = yield* attention.turn(advance(charge, { prepared }))
    return step._tag === "Sent" ? yield* resolve(charge, sink, step.claim) : step
  })

  /** Looks what there is to do for the session, and does it. */
  const look: (charge: Charge, sink: StayingSink) => Effect.Effect<Look, LedgerError> = Effect.fn(
    "Keeper.look"
  )(function* (charge, sink) {
    const { agent, attention, identity } = charge
    const record = yield* readToAttend(identity, agent)
    const session = record?.sessions[agent]
    if (record === undefined || session === undefined) return resting({})
    if (session.claim !== undefined) return yield* lookUp(charge, sink, record, session, session.claim)
    if (session.seat !== undefined) {
      const found = yield* sink.probe(at(session))
      if (found._tag === "Unknown") return resting({ until: yield* soon, why: found.why })
      if (found._tag !== "Live") return yield* leave(charge, sink, session, found)
      yield* attention.seize
      if (!known.has(session.id)) yield* telling.kept(record, agent)
      known.add(session.id)
      if (session.moving === "parking" || session.state === "ending" || session.state === "ended") {
        return yield* end(charge, sink, session)
      }
    }
    const { policy } = yield* running.get
    const next = Queue.next(record, agent, policy, yield* now)
    if (next._tag === "Ready") {
      if (!suffices(record, yield* words.get(identity))) return resting({ why: unread })
      return yield* handOver(charge, sink, session)
    }
    if (Queue.floods(record, agent, policy, yield* now)) {
      return yield* attention.turn(Effect.as(advance(charge, { prepared: resting(restOf(next)) }), again))
    }
    return next._tag === "Nothing" && session.seat !== undefined
      ? yield* park(charge, sink, session)
      : resting(restOf(next))
  })

  /** Waits for whatever may change what is to be done: the item is offered again, the agent leaves, a time comes. */
  const wait = Effect.fn("Keeper.wait")(function* (
    { attention, identity }: Charge,
    { stays }: StayingSink,
    session: Session,
    rest: Rest
  ) {
    const held = yield* words.get(identity)
    const record = yield* ledger.get(identity)
    if (record !== undefined) yield* words.settle(record, held)
    yield* attention.rest(rest)
    yield* attention.phase("keeping")
    const due =
      rest.until === undefined ? Effect.never : Effect.sleep(Math.max(0, millis(rest.until) - (yield* time)))
    yield* Effect.raceAllFirst([attention.woken, due, Effect.asVoid(stays.left(at(session)))])
    yield* attention.phase("deciding")
  })

  return Effect.fn("Keeper.keep")(function* (charge: Charge, sink: StayingSink) {
    while (true) {
      const found = yield* look(charge, sink)
      if (found._tag === "Again") continue
      const session = yield* sessionOf(charge)
      if (session?.seat === undefined) return found.rest
      yield* wait(charge, sink, session, found.rest)
    }
  })
}
