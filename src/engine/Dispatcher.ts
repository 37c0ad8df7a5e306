/**
 * Dispatcher: gives what waits to its sessions' agents, in order and within the slots.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Returns once everything that can be handed over now has been: what is left waits for a time or an agent. */
    readonly drained: Effect.Effect<void>
    /** Returns once, beside that, every run at work has ended and its result is recorded. */
    readonly settled: Effect.Effect<void>
    /** Never returns; dies with the defect of a worker, so that no daemon lives on deaf. */
    readonly supervise: Effect.Effect<never>
  }
>()("heed/engine/Dispatcher") {}
