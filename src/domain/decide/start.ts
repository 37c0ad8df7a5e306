/**
 * start: whether a session begins on an open item, and if not, why not.
 */
import type { Decision } from "../Decision.ts"
import { type ItemRecord, startKey } from "../Record.ts"
import { settle } from "./judge.ts"
import { isTrusted, living, type Situation } from "./situation.ts"
import { seenKey } from "./words.ts"

/** Nothing happens now; `unfinished` when the next cycle must ask again. */
export const wait = (reason: string, business: "unfinished" | "settled"): Decision => ({
  _tag: "Wait",
  reason,
  look: business === "unfinished"
})

/** Judges the edge that calls for a start, if there is one. */
export const start = (situation: Situation, record: ItemRecord): ReadonlyArray<Decision> => {
  const { hold, observation, policy } = situation
  const { agent } = policy
  const { edge } = record
  if (policy.agents[agent] === undefined || edge === undefined || living(record, agent) !== undefined)
    return []
  const session = record.sessions[agent]
  if (session?.state === "ending") {
    return [wait("the former session is still at work; the next begins once it is gone", "unfinished")]
  }
  const begin = (reason: string): Decision => ({
    _tag: "Begin",
    agent,
    generation: 1 + (session?.generation ?? 0),
    at: observation.item.createdAt,
    reason
  })
  if (edge === "commanded") return [begin("a trusted person commanded it")]
  if (policy.control.requireStart) {
    return [refuse(agent, `control.requireStart: it waits for ${policy.control.prefix} start`)]
  }
  const by = trustedStarter(situation)
  if (by === undefined) {
    return [refuse(agent, "neither its author nor who labelled it is in access.users")]
  }
  if (hold !== undefined || record.held === true) {
    return [wait(hold ?? "held: it belongs to a backlog that waits for --accept-backlog", "settled")]
  }
  return [begin(`${edge}: ${by}`)]
}

/** The start is judged, and not made: an edge is judged once. */
const refuse = (agent: string, why: string): Decision => settle(seenKey(startKey, agent), why)

/** Who makes the item start on its own: its author, or who put the label on. */
const trustedStarter = ({ observation: { item, labelling }, policy }: Situation): string | undefined => {
  if (isTrusted(policy, item.tracker, item.author)) return `${item.author?.login} opened it`
  if (labelling !== undefined && isTrusted(policy, item.tracker, labelling.by)) {
    return `${labelling.by?.login} labelled it`
  }
  return undefined
}
