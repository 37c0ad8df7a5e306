/**
 * Situation: all that deciding looks at, and the few questions that every rule asks of it.
 */
import type { Actor, Instant, Observation } from "../Item.ts"
import type { OnUnlabel, Policy } from "../Policy.ts"
import type { ItemRecord, Session, Waiting } from "../Record.ts"
import { seenKey } from "./words.ts"

/** How the item's listing spoke of it. `unknown`: there was no complete listing, so nothing follows from it. */
export type Listed = "listed" | "absent" | "unknown"

export interface Situation {
  readonly record: ItemRecord | undefined
  readonly observation: Observation
  readonly listed: Listed
  /** The source and scope to which the item belongs from this look on. */
  readonly source: string
  readonly scope: string
  /** Starts are held for now, and why: a new root that counts its backlog. */
  readonly hold: string | undefined
  /** As the item's source says. */
  readonly onUnlabel: OnUnlabel
  readonly policy: Policy
  readonly now: Instant
}

/** Why a word of somebody whom nobody listens to is settled. */
export const untrusted = "its author is not in access.users"

/** Whether this account's words reach an agent. Nobody knows a deleted account, so it is nobody (G5.1). */
export const isTrusted = (policy: Policy, tracker: string, actor: Actor | undefined): boolean =>
  actor !== undefined && actor.kind !== "bot" && (policy.trusted[tracker]?.has(actor.principal) ?? false)

/** Whether a complete listing did not hold an open item whose source lets nothing go on without its label. */
export const isLetGo = ({ listed, observation, onUnlabel }: Situation): boolean =>
  onUnlabel === "stop" && listed === "absent" && observation.item.state === "open"

/** The session that an agent has on the item, unless it is over. */
export const living = (record: ItemRecord | undefined, agent: string): Session | undefined => {
  const session = record?.sessions[agent]
  return session === undefined || session.state === "ended" || session.state === "ending"
    ? undefined
    : session
}

/** What waits and is no part of a claim: a claimed delivery is looked up at its sink before anything is said of it. */
export const unclaimed = (record: ItemRecord): ReadonlyArray<Waiting> => {
  const claims = Object.entries(record.sessions).flatMap(([agent, { claim }]) =>
    [...(claim?.members ?? []), ...(claim?.baseline ?? [])].map((key) => seenKey(key, agent))
  )
  const claimed = new Set(claims)
  return record.waiting.filter(({ agent, key }) => !claimed.has(seenKey(key, agent)))
}
