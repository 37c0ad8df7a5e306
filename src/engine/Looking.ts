/**
 * Looking: one look at an item that records nothing: what a cycle would read there, and what it would decide.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { apply } from "../domain/decide/apply.ts"
import { decide } from "../domain/decide/decide.ts"
import type { Decision } from "../domain/Decision.ts"
import { instant, type Observation, type Target } from "../domain/Item.ts"
import { Ledger } from "../state/Ledger.ts"
import { isHeld, lookFor, type Place, situationOf } from "./Place.ts"
import { Running } from "./Running.ts"
import { remembered, suffices, Words } from "./Words.ts"

/** What a look came to. */
export interface Looked {
  readonly observation: Observation
  readonly decisions: ReadonlyArray<Decision>
  /** Its start would have gone, and is held. */
  readonly isHeld: boolean
  /** The decisions if nothing held it. */
  readonly unheld: ReadonlyArray<Decision>
}

/** Answers with the look. It fails as a step's own look does. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const running = yield* Running
  const words = yield* Words

  return Effect.fn("Looking.look")(function* (place: Place, target: Target) {
    const record = yield* ledger.get(target.identity)
    const memory = yield* words.get(target.identity)
    const observation = yield* place.provider.observe(target, lookFor(record, memory))
    const policy = yield* running.policyFor(place.provider, observation)
    const { plan, providers } = yield* running.get
    const at = instant(yield* Clock.currentTimeMillis)
    const inForce = { plan, policy, providers }
    const situation = situationOf(place, record, observation, inForce, at)
    const first = decide(situation)
    const after = apply(situation, first)
    const held = isHeld(place, first)
    const looked: Looked = {
      observation,
      decisions: first,
      isHeld: held,
      unheld: held
        ? decide(situationOf({ ...place, hold: undefined }, record, observation, inForce, at))
        : first
    }
    if (after === undefined) return looked
    const known = remembered(after, memory, observation)
    if (suffices(after, known)) return looked
    // A start that needs more of the thread than was read: a cycle reads it whole in the same step.
    const whole = yield* place.provider.observe(target, lookFor(after, known))
    const second = decide(situationOf(place, after, whole, inForce, at))
    const decisions = [...first, ...second]
    return { ...looked, observation: whole, decisions, unheld: decisions }
  })
})
export type Look = Effect.Success<typeof make>
