/**
 * Attendant: looks after one session while something waits for it, a run of it is at work, or it is open:
 * claim, send, wait for the result, resolve and claim the next in one write (G3.2).
 */
import * as Effect from "effect/Effect"
import { killPoint } from "../disk/KillPoint.ts"
import type { HandOverTry } from "../domain/HandOver.ts"
import * as Queue from "../domain/queue.ts"
import type { Identity } from "../domain/Ref.ts"
import type { Sink } from "../sink/Sink.ts"
import type { Attention, Rest } from "./Attention.ts"
import * as HandOvers from "./HandOvers.ts"
import * as Keeper from "./Keeper.ts"
import * as Unbegun from "./Unbegun.ts"
import { suffices } from "./Words.ts"

/** An attendant for any session: `attend` works until nothing is left to do for one, and says until when. */
export const make = Effect.gen(function* () {
  const handOvers = yield* HandOvers.make
  const { advance, ledger, now, recover, running, sinkOf, slot, words } = handOvers
  const readToAttend = yield* Unbegun.make
  const keep = Keeper.make({ ...handOvers, readToAttend })

  /** Waits for a run's result; an item that ends meanwhile gives the run its grace and then has it killed. */
  const result = Effect.fn("Attendant.result")(function* (
    { agent, attention, identity }: HandOvers.Charge,
    sink: Sink,
    claim: HandOverTry
  ) {
    while (true) {
      const session = (yield* ledger.get(identity))?.sessions[agent]
      const isEnding = session?.state === "ending" && session.endBy !== undefined
      const meanwhile = !isEnding
        ? attention.woken
        : Effect.flatMap(now, (moment) => Effect.sleep(Queue.graceLeft(session, moment)))
      const ended = yield* Effect.raceFirst(sink.result(claim), Effect.as(meanwhile, undefined))
      if (ended !== undefined) return ended
      if (!isEnding) continue
      // To its end: an agent that obeys leaves its result before all of its children are gone.
      yield* sink.end({ id: session.id, newest: claim })
      return yield* sink.result(claim)
    }
  })

  /** Looks after a session each of whose hand-overs is a run. */
  const run = Effect.fn("Attendant.run")(function* (charge: HandOvers.Charge) {
    const { agent, attention, identity } = charge
    const record = yield* ledger.get(identity)
    const session = record?.sessions[agent]
    const sink = record === undefined ? undefined : sinkOf(record, agent)
    if (record === undefined || session === undefined || sink === undefined) return {}
    if (session.state === "ended" && session.claim === undefined) return {}
    let step: HandOvers.Advance
    if (session.claim === undefined) {
      const { policy } = yield* running.get
      const next = Queue.next(record, agent, policy, yield* now)
      if (next._tag !== "Ready" && !Queue.floods(record, agent, policy, yield* now)) {
        return HandOvers.restOf(next)
      }
      if (!suffices(record, yield* words.get(identity))) return { why: HandOvers.unread }
      if (!(yield* slot(charge, session))) return { until: yield* now }
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
      yield* killPoint("session.over")
      yield* attention.phase("deciding")
      step = yield* attention.turn(advance(charge, { conclusion: { claim, ended } }))
    }
    return step.rest
  })

  /** Attends a session until there is nothing left to do for it, and says until when. */
  const attend = Effect.fn("Attendant.attend")(function* (
    identity: Identity,
    agent: string,
    attention: Attention
  ) {
    const charge = { identity, agent, attention }
    yield* attention.phase("deciding")
    const record = yield* readToAttend(identity, agent)
    const sink = record === undefined ? undefined : sinkOf(record, agent)
    const rest: Rest =
      sink?.stays === undefined ? yield* run(charge) : yield* keep(charge, { ...sink, stays: sink.stays })
    const known = yield* words.get(identity)
    const last = yield* ledger.get(identity)
    if (last !== undefined) yield* words.settle(last, known)
    return rest
  })

  return { attend }
})
