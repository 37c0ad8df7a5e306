/**
 * Conclusion: how a claim ended, and what that makes of the record. Pure, so that it can be tried before it is written.
 */
import { type Instant, instant, millis } from "../domain/Item.ts"
import type { Policy } from "../domain/Policy.ts"
import * as Queue from "../domain/queue.ts"
import type { Claim, ItemRecord } from "../domain/Record.ts"
import type { Result, SinkError } from "../sink/Sink.ts"
import { giveUpText } from "./Notice.ts"

/** How a claim ended: as its run did, or in doubt, where nobody will ever know whether it reached its agent. */
export type Ended = Result | { readonly _tag: "InDoubt"; readonly why: string }

/** A claim and its end. */
export interface Conclusion {
  readonly claim: Claim
  readonly ended: Ended
}

/** How a hand-over ended that could not be sent; undefined where that is no end, and the hand-over waits. */
export const endedBy = ({ message, reason }: SinkError): Ended | undefined => {
  switch (reason) {
    case "AgentNotStarted":
      return { _tag: "Failed", why: message }
    case "ConversationLost":
      return { _tag: "ConversationLost", why: message }
    case "NotReady":
    case "DiskUnwritable":
    case "Withdrawn":
      return undefined
  }
}

/** What an end comes to: a conversation that is lost once more is a failed attempt. */
export const endOf = (record: ItemRecord, agent: string, ended: Ended): Ended =>
  ended._tag === "ConversationLost" && record.sessions[agent]?.fellBack === true
    ? { _tag: "Failed", why: ended.why }
    : ended

/** The record once its session's claim has ended; unchanged where the session has another claim, or none, by now. */
export const concluded = (
  record: ItemRecord,
  agent: string,
  { claim, ended }: Conclusion,
  policy: Policy,
  at: Instant
): ItemRecord => {
  const current = record.sessions[agent]?.claim
  if (current?.id !== claim.id || current.try !== claim.try) return record
  const end = endOf(record, agent, ended)
  switch (end._tag) {
    case "Done":
      return Queue.succeeded(record, agent, at)
    case "NotNow":
      return Queue.putOff(record, agent, instant(millis(at) + (policy.retryAfter[0] ?? 60_000)))
    case "ConversationLost":
      return Queue.conversationLost(record, agent)
    case "InDoubt":
      return Queue.inDoubt(record, agent)
    case "Failed":
      return Queue.failed(record, agent, end.why, {
        policy,
        now: at,
        giveUpText: giveUpText(policy.attempts, policy.control.prefix)
      })
  }
}
