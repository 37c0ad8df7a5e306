/**
 * Place: from where an item is looked at, what is read of it there, and the situation in which it is decided. A cycle
 * and a dry run come to the same decisions because both ask here.
 */
import type { Listed, Situation } from "../domain/decide/situation.ts"
import type { Decision } from "../domain/Decision.ts"
import type { Instant, Observation, Target, WorkItem } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Look, Provider } from "../tracker/Provider.ts"
import type { InForce } from "./Running.ts"
import { type Memory, suffices } from "./Words.ts"

/** Why a start is held, and what becomes of the record of which one is. */
export interface Hold {
  readonly why: string
  readonly mark: (record: ItemRecord) => ItemRecord
}

/** Where an item is looked at from. */
export interface Place {
  readonly provider: Provider
  readonly scope: string
  /** `as it answers`: nobody listed, and the item's own answer stands for what a listing will say. */
  readonly listed: Listed | "as it answers"
  /** Absent where starts go as they come. */
  readonly hold?: Hold | undefined
}

/** What names a known item to its tracker. */
export const targetOf = ({ identity, kind, number, ref, repo }: ItemRecord): Target => ({
  ref,
  identity,
  kind,
  number,
  repo
})

/**
 * What has to be read of an item, given what is known of it. Who labelled it is part of a start's prompt, so it is asked
 * for until a session has confirmed its conversation.
 */
export const lookFor = (record: ItemRecord | undefined, memory: Memory | undefined): Look => {
  if (record === undefined) return { since: {}, labelling: true }
  return {
    since: suffices(record, memory) ? record.read : {},
    labelling: Object.values(record.sessions).every(
      ({ conversation, state }) => conversation === undefined || state === "ended" || state === "ending"
    )
  }
}

/**
 * How the listing spoke of an item, as far as the item's own answer agrees: a listing lags behind, and neither an
 * appearance nor an absence is believed against the item itself (traps B05).
 */
const listedOf = ({ listed, provider }: Place, item: WorkItem): Listed => {
  const isCovered = provider.covers(item)
  if (listed === "as it answers") return isCovered ? "listed" : "absent"
  return listed === "unknown" || (listed === "listed") === isCovered ? listed : "unknown"
}

/** An item that two listings hold stays with the one that had it, as long as the plan has that one. */
const homeOf = (
  { provider, scope }: Place,
  record: ItemRecord | undefined,
  { providers }: Pick<InForce, "providers">
): { readonly source: string; readonly scope: string } =>
  record !== undefined &&
  providers.some(({ scopes, source }) => source === record.source && scopes.includes(record.scope))
    ? { source: record.source, scope: record.scope }
    : { source: provider.source, scope }

/** The situation of a look. */
export const situationOf = (
  place: Place,
  record: ItemRecord | undefined,
  observation: Observation,
  { plan, policy, providers }: InForce,
  now: Instant
): Situation => {
  const home = homeOf(place, record, { providers })
  return {
    record,
    observation,
    listed: listedOf(place, observation.item),
    ...home,
    hold: place.hold?.why,
    onUnlabel: plan.sources.find(({ name }) => name === home.source)?.onUnlabel ?? "keep",
    policy,
    now
  }
}

/** Whether a start would have gone from here, and is held. */
export const isHeld = ({ hold }: Place, decisions: ReadonlyArray<Decision>): boolean =>
  hold !== undefined && decisions.some(({ _tag, reason }) => _tag === "Wait" && reason === hold.why)
