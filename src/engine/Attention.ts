/**
 * Attention: what looking after one session asks of the dispatcher that shares its slots and turns among all sessions.
 */
import type * as Effect from "effect/Effect"
import type { Instant } from "../domain/Item.ts"

/** What is being done for a session: the dispatcher knows from it what may still start and what only has to be awaited. */
export type Phase =
  | "deciding"
  | "waiting for a slot"
  | "waiting for its agent to be ready"
  | "waiting to be sent"
  | "running"
  /** It is open, and nothing is to be done for it now. */
  | "keeping"

/** Why nothing is done for a session: nothing is to be done, or a time before which there is nothing to do. */
export interface Rest {
  readonly until?: Instant
  readonly why?: string
}

/** A session's ties to its dispatcher. */
export interface Attention {
  readonly phase: (phase: Phase) => Effect.Effect<void>
  /** Says why nothing is done for a session that is kept open; what rests otherwise says so when it leaves. */
  readonly rest: (rest: Rest) => Effect.Effect<void>
  /** Waits for a slot, unless one is held; what is held at the end is given back. */
  readonly slot: Effect.Effect<void>
  /** Takes a slot for what is at work already, unless one is held. */
  readonly seize: Effect.Effect<void>
  /**
   * Acts in turn: few claim, send and record at once (`limits.handOvers`). Waiting for one's turn is interruptible, and
   * acting is not: between a claim and its evidence there is no stop.
   */
  readonly turn: <A, E, R>(act: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** False once heed stops: what is not claimed by then stays pending, as if it had never been taken (G3.4). */
  readonly open: Effect.Effect<boolean>
  /** Returns once a stop has waited long enough for what is being sent (`limits.drain`). */
  readonly cutOff: Effect.Effect<void>
  /** Returns when the item was offered again. */
  readonly woken: Effect.Effect<void>
}
