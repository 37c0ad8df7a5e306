/**
 * Unbegun: a session keeps the commands that it was started with; one whose start was never confirmed has none yet, and
 * follows its agent's entry in the configuration: who mends a wrong command mends the starts that failed by it. When an
 * open session is given something, and for how long it stays open, is no command: that follows for all.
 */
import * as Effect from "effect/Effect"
import { type AgentPlan, isSamePlan } from "../domain/Agent.ts"
import type { Policy } from "../domain/Policy.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { Ledger } from "../state/Ledger.ts"
import { Running } from "./Running.ts"

/** The record in which an agent's session follows the configuration as far as it is still to begin. */
export const replanned = (record: ItemRecord, agent: string, { agents }: Policy): ItemRecord => {
  const session = record.sessions[agent]
  const plan = agents[agent]
  const isUnbegun = session?.state === "wanted" && session.claim === undefined && session.seat === undefined
  if (session === undefined || plan === undefined || session.state === "ended") return record
  const next = isUnbegun ? plan : plan.sink === session.plan.sink ? heldAs(plan, session.plan) : session.plan
  return isSamePlan(session.plan, next)
    ? record
    : { ...record, sessions: { ...record.sessions, [agent]: { ...session, plan: next } } }
}

const heldAs = (
  { idleAfter, ready }: AgentPlan,
  { idleAfter: _idleAfter, ready: _ready, ...own }: AgentPlan
) => ({
  ...own,
  ...(ready === undefined ? {} : { ready }),
  ...(idleAfter === undefined ? {} : { idleAfter })
})

/** Answers with how an item's record is read before one of its sessions is attended. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const running = yield* Running

  return Effect.fn("Unbegun.read")(function* (identity: Identity, agent: string) {
    const { policy } = yield* running.get
    const record = yield* ledger.get(identity)
    if (record === undefined || replanned(record, agent, policy) === record) return record
    return yield* ledger.modify(identity, (current) => {
      const next = current && replanned(current, agent, policy)
      return [next, next]
    })
  })
})
