/**
 * sighted: the record as a look finds it, before anything is decided: born at first sight, told by the listing, and with
 * the edge that calls for a start.
 */
import type { WorkItem } from "../Item.ts"
import { type Edge, type ItemRecord, recordVersion } from "../Record.ts"
import { isLetGo, living, type Situation } from "./situation.ts"

/** The record on which a look decides. An edge that it sees now stays until somebody has judged it. */
export const sighted = (situation: Situation): ItemRecord => {
  const before = situation.record ?? born(situation, situation.observation.item)
  const { edge: _edge, held, ...rest } = before
  const edge = edgeOf(situation)
  return {
    ...rest,
    ...(edge === undefined ? {} : { edge }),
    ...(edge === undefined || held === undefined ? {} : { held }),
    source: situation.source,
    scope: situation.scope,
    listed: isListed(situation)
  }
}

const born = (situation: Situation, item: WorkItem): ItemRecord => ({
  version: recordVersion,
  identity: item.identity,
  ref: item.ref,
  source: situation.source,
  scope: situation.scope,
  tracker: item.tracker,
  space: item.space,
  kind: item.kind,
  number: item.number,
  ...(item.key === undefined ? {} : { key: item.key }),
  url: item.url,
  repo: item.repo,
  title: item.title,
  state: item.state,
  labels: item.labels,
  listed: false,
  read: {},
  sessions: {},
  waiting: [],
  seen: {},
  gaveUp: [],
  notices: [],
  handed: []
})

/** What calls for a start: an edge that is seen now, or one that still waits to be judged. */
const edgeOf = (situation: Situation): Edge | undefined => {
  const { listed, observation, policy, record } = situation
  if (observation.item.state !== "open" || isLetGo(situation)) return undefined
  if (record === undefined) return listed === "listed" ? "first sight" : undefined
  // A session at work goes on, whatever became of the label in the meantime (G4.2).
  if (living(record, policy.agent) !== undefined) return undefined
  if (record.edge === "commanded") return record.edge
  if (listed === "absent") return undefined
  if (record.state !== "open" && listed === "listed") return "reopened"
  if (!record.listed && listed === "listed") return "labelled again"
  return record.edge
}

/** An item that was reopened out of the listing's sight counts as unlisted, so that its next listing is an edge. */
const isListed = ({ listed, observation, record }: Situation): boolean => {
  if (listed !== "unknown") return listed === "listed"
  const reopened = record !== undefined && record.state !== "open" && observation.item.state === "open"
  return !reopened && (record?.listed ?? false)
}
