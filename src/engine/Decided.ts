/**
 * Decided: what the event log is told of the decisions on an item. Pure: whoever made them durable says it, all in one
 * write.
 */
import { untrusted } from "../domain/decide/situation.ts"
import type { Decision } from "../domain/Decision.ts"
import { type ItemRecord, startKey } from "../domain/Record.ts"
import type { Ref } from "../domain/Ref.ts"
import type { NewEvent } from "../state/EventLog.ts"

/** An item whose decisions are told. */
export interface Told {
  readonly source: string
  readonly ref: Ref
  /** Its record before them; undefined at first sight. */
  readonly before: ItemRecord | undefined
}

type Line = NewEvent & { readonly level: "info" }

/** One decision in lines; none where nothing happened. */
const linesOf = (
  told: Pick<Line, "level" | "source" | "ref">,
  before: ItemRecord | undefined,
  decision: Decision
): ReadonlyArray<NewEvent> => {
  switch (decision._tag) {
    case "Begin":
      return [
        {
          event: "dispatch.queued",
          ...told,
          agent: decision.agent,
          key: startKey,
          generation: decision.generation,
          why: decision.reason
        }
      ]
    case "Queue":
      // Words on an item without a session are thread: they go nowhere yet.
      return before?.sessions[decision.agent]?.state === "live"
        ? [{ event: "poll.comment_forwarded", ...told, key: decision.word, agent: decision.agent }]
        : []
    case "Settle":
      return [
        {
          event: "poll.comment_settled",
          ...told,
          key: decision.key,
          outcome: decision.outcome,
          why: decision.reason
        }
      ]
    case "Refuse":
      return [
        {
          event: "control.refused",
          ...told,
          key: decision.word,
          command: decision.command,
          why: decision.reason
        }
      ]
    case "Obey":
      return [
        {
          event: "control.command",
          ...told,
          key: decision.word,
          command: decision.command,
          by: decision.by
        }
      ]
    case "End":
      return [{ event: "poll.closure_detected", ...told, agent: decision.agent, why: decision.reason }]
    case "Rearm":
      return [
        {
          event: "poll.rearmed",
          ...told,
          key: decision.key,
          agent: decision.agent,
          why: decision.reason
        }
      ]
    case "Learn":
    case "Wait":
      return []
  }
}

const isUnauthorized = (decision: Decision): boolean =>
  (decision._tag === "Settle" || decision._tag === "Refuse") && decision.reason === untrusted

/** The lines that tell an item's decisions; that a stranger wrote there is said once per item. */
export const decidedLines = (
  { before, ref, source }: Told,
  decisions: ReadonlyArray<Decision>
): ReadonlyArray<NewEvent> => {
  const told = { level: "info" as const, source, ref }
  const known = Object.values(before?.seen ?? {}).includes(`settled: ${untrusted}`)
  return [
    ...decisions.flatMap((decision) => linesOf(told, before, decision)),
    ...(!known && decisions.some(isUnauthorized)
      ? [
          {
            event: "poll.unauthorized" as const,
            ...told,
            why: "somebody who is not in access.users wrote here"
          }
        ]
      : [])
  ]
}

/** The sessions that a change to a record ended at once; where a run has its grace, its attendant says it later. */
export const endedLines = (before: ItemRecord | undefined, after: ItemRecord): ReadonlyArray<NewEvent> =>
  Object.entries(after.sessions)
    .filter(([agent, { state }]) => {
      const was = before?.sessions[agent]
      return state === "ended" && was !== undefined && was.state !== "ended"
    })
    .map(([agent, { generation, id, why }]) => ({
      event: "session.ended" as const,
      level: "info" as const,
      source: after.source,
      ref: after.ref,
      agent,
      session: id,
      generation,
      why
    }))
