/**
 * AgentHealth: how one agent fares over all of its items. Whoever fails wherever it goes is broken itself: it is paused,
 * and tried now and then, instead of emptying the budget of every delivery (product: five failures in a row over
 * several items). An item that fails alone is its attempts' business.
 */
import * as Schema from "effect/Schema"
import { HandOverId, Try } from "./HandOver.ts"
import { type Instant, Instant as InstantSchema, instant, millis } from "./Item.ts"
import { Identity, Ref } from "./Ref.ts"

/** So many failures in a row, over so many items at least, pause an agent. */
const inARow = 5
const overItems = 2

/** How long a paused agent is left alone between two tries, in milliseconds. */
const probeEvery = 300_000

export const AgentFailure = Schema.Struct({
  item: Identity,
  ref: Ref,
  source: Schema.String,
  handOver: HandOverId,
  try: Try,
  at: InstantSchema,
  why: Schema.String
})
export type AgentFailure = typeof AgentFailure.Type

export const AgentHealth = Schema.Struct({
  /** A digest of the agent's entry in the configuration: what failed under another one says nothing of this one. */
  entry: Schema.String,
  /** The latest failures since the last success, oldest first. */
  failures: Schema.Array(AgentFailure),
  paused: Schema.optionalKey(
    Schema.Struct({
      since: InstantSchema,
      /** When the next item may be tried. */
      nextProbe: InstantSchema,
      /** The item that is tried: it may be given something, and no other one. */
      probe: Schema.optionalKey(Identity)
    })
  )
})
export type AgentHealth = typeof AgentHealth.Type

/** An agent of which nothing bad is known. */
export const well = (entry: string): AgentHealth => ({ entry, failures: [] })

/** The last failure of an agent that failed. */
export const lastFailure = ({ failures }: AgentHealth): AgentFailure | undefined => failures.at(-1)

/** How many items the latest failures were on. */
export const itemsOf = ({ failures }: AgentHealth): number => new Set(failures.map(({ item }) => item)).size

/** After a failed hand-over; one that is told twice, as after a crash, counts once. A probe that fails is over. */
export const failed = (health: AgentHealth, failure: AgentFailure): AgentHealth => {
  const isKnown = health.failures.some(
    (known) => known.handOver === failure.handOver && known.try === failure.try
  )
  if (isKnown) return health
  const next = { ...health, failures: [...health.failures, failure].slice(-inARow) }
  if (health.paused !== undefined) {
    const { probe, ...paused } = health.paused
    return { ...next, paused: probe === failure.item ? paused : health.paused }
  }
  return next.failures.length < inARow || itemsOf(next) < overItems
    ? next
    : { ...next, paused: { since: failure.at, nextProbe: later(failure.at) } }
}

const later = (at: Instant): Instant => instant(millis(at) + probeEvery)

/** Whether an item may be given something by an agent, and what that makes of the agent. */
export type Permission =
  | { readonly _tag: "Granted"; readonly health: AgentHealth }
  | { readonly _tag: "Refused"; readonly health: AgentHealth; readonly until: Instant }

/** Asks for a hand-over on an item. Of a paused agent, the first one to ask once the time has come is the probe. */
export const asked = (health: AgentHealth, item: Identity, now: Instant): Permission => {
  const { paused } = health
  if (paused === undefined || paused.probe === item) return { _tag: "Granted", health }
  if (now < paused.nextProbe) {
    // A time further ahead was written by a clock that has been set back since.
    const until = paused.nextProbe > later(now) ? later(now) : paused.nextProbe
    const isTimely = until === paused.nextProbe
    return {
      _tag: "Refused",
      until,
      health: isTimely ? health : { ...health, paused: { ...paused, nextProbe: until } }
    }
  }
  return { _tag: "Granted", health: { ...health, paused: { ...paused, probe: item, nextProbe: later(now) } } }
}

/** Lets an item be the probe of a paused agent at once. */
export const chosen = (health: AgentHealth, item: Identity): AgentHealth =>
  health.paused === undefined ? health : { ...health, paused: { ...health.paused, probe: item } }
