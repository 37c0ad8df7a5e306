/**
 * Telling: what the event log is told of a session's hand-overs. Each line is written after what it says is durable.
 */
import * as Effect from "effect/Effect"
import type { Leaving } from "../domain/seat.ts"
import { type Claim, type ItemRecord, startKey } from "../domain/Record.ts"
import { EventLog } from "../state/EventLog.ts"
import type { Ended } from "./Conclusion.ts"

/** The lines of one attendant after the other; each verb appends what it is named after. */
export const make = Effect.gen(function* () {
  const log = yield* EventLog

  const placeOf = (record: ItemRecord, agent: string, claim: Claim) => ({
    source: record.source,
    ref: record.ref,
    delivery: claim.id,
    agent
  })

  const ofClaim = (record: ItemRecord, agent: string, claim: Claim) => ({
    ...placeOf(record, agent, claim),
    kind: claim.kind,
    try: claim.try,
    members: claim.members
  })

  /** The hand-over reached its agent. */
  const started = (record: ItemRecord, agent: string, claim: Claim) =>
    log.append({
      event: "dispatch.started",
      level: "info",
      ...ofClaim(record, agent, claim),
      ...(record.sessions[agent]?.mayRepeat === true ? { may_repeat: true } : {})
    })

  /** A run that a former heed began is taken over. */
  const adopted = (record: ItemRecord, agent: string, claim: Claim) =>
    log.append({ event: "session.adopted", level: "info", ...ofClaim(record, agent, claim) })

  /** A stop did not wait any longer for this claim to be sent. */
  const cutOff = (record: ItemRecord, agent: string, claim: Claim) =>
    log.append({
      event: "dispatch.abandoned",
      level: "warn",
      ...ofClaim(record, agent, claim),
      why: "heed stopped while it was being sent (limits.drain): the next start asks its sink what became of it"
    })

  /** heed itself paused the item, and somebody has to resume it. */
  const paused = ({ paused: by, ref, source }: ItemRecord) =>
    log.append({
      event: "control.command",
      level: "warn",
      source,
      ref,
      command: "pause",
      by: "heed",
      why: by?.why
    })

  /** When a session began or is gone. */
  const state = Effect.fn("Telling.state")(function* (
    before: ItemRecord,
    after: ItemRecord,
    agent: string,
    claim: Claim
  ) {
    const [was, is] = [before.sessions[agent], after.sessions[agent]]
    if (is === undefined || was?.state === is.state || (is.state !== "live" && is.state !== "ended")) return
    yield* log.append({
      event: is.state === "live" ? "session.started" : "session.ended",
      level: "info",
      ...placeOf(before, agent, claim),
      session: is.id,
      generation: is.generation,
      why: is.why
    })
  })

  const ofSession = (record: ItemRecord, agent: string) => ({
    source: record.source,
    ref: record.ref,
    agent,
    session: record.sessions[agent]?.id,
    generation: record.sessions[agent]?.generation
  })

  /** A session that a former heed left open is taken over. */
  const kept = (record: ItemRecord, agent: string) =>
    log.append({ event: "session.adopted", level: "info", ...ofSession(record, agent) })

  /** A session was opened; one that had been open before goes on. */
  const opened = (record: ItemRecord, agent: string) =>
    record.sessions[agent]?.conversation === undefined
      ? Effect.void
      : log.append({
          event: "session.resumed",
          level: "info",
          ...ofSession(record, agent),
          why: record.sessions[agent].why
        })

  /** Words wait for a session whose agent is not ready for them: said once until it is. */
  const waiting = (record: ItemRecord, agent: string, why: string) =>
    log.append({ event: "session.waiting", level: "warn", ...ofSession(record, agent), why })

  /** Nothing of a session is open any more. */
  const closed = Effect.fn("Telling.closed")(function* (
    before: ItemRecord,
    after: ItemRecord,
    agent: string,
    { _tag, why }: Leaving
  ) {
    const [was, is] = [before.sessions[agent], after.sessions[agent]]
    const place = ofSession(before, agent)
    if (was?.moving === "parking") {
      yield* log.append({ event: "session.parked", level: "info", ...place, why })
    } else if (was?.state === "live") {
      yield* log.append({ event: "session.died", level: "warn", ...place, reason: _tag, why })
    }
    if (is?.state === "ended" && was?.state !== "ended") {
      yield* log.append({ event: "session.ended", level: "info", ...place, why: is.why })
    }
  })

  /** How a claim ended, and what came of that: what was given up, a session that began or is gone. */
  const concluded = Effect.fn("Telling.concluded")(function* (
    before: ItemRecord,
    after: ItemRecord,
    agent: string,
    claim: Claim,
    ended: Ended
  ) {
    yield* ended._tag === "Done"
      ? log.append({ event: "dispatch.succeeded", level: "info", ...ofClaim(before, agent, claim) })
      : log.append({
          event: "dispatch.failed",
          level: "warn",
          ...ofClaim(before, agent, claim),
          reason: ended._tag,
          why: ended.why
        })
    const given = after.gaveUp.filter((entry) => !before.gaveUp.includes(entry))
    for (const { key, why } of given) {
      const event = key === startKey ? "poll.spawn_failed" : "poll.comment_failed"
      const place = placeOf(before, agent, claim)
      yield* log.append({ event, level: "error", ...place, key, why, will_retry: false })
    }
    yield* state(before, after, agent, claim)
  })

  return { started, adopted, kept, opened, waiting, closed, cutOff, state, concluded, paused }
})
