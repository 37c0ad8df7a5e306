/**
 * RunLock: at most one heed works on a state root. A kernel lock (`flock`) on `<root>/heed.pid`, gone with the process
 * however it dies; never a guess about liveness, never a weaker lock (G1.1 to G1.4).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Instant } from "../domain/Item.ts"

/** What a holder is: the loop, a single cycle, or a command that changes something without a daemon. */
export const Role = Schema.Literals(["daemon", "once", "command"])
export type Role = typeof Role.Type

/** The holder as its pidfile tells: the pid alone on the first line, then start time, boot id and role. */
export const Holder = Schema.Struct({
  pid: Schema.Int,
  startTime: Schema.String,
  bootId: Schema.String,
  role: Role
})
export type Holder = typeof Holder.Type

/** What a look at the lock shows, without taking it from anyone. */
export type Probe =
  | { readonly _tag: "Free"; readonly leftover: boolean }
  | { readonly _tag: "Held"; readonly holder: Holder | undefined; readonly why?: string }

export class RunLockError extends Schema.TaggedError<RunLockError>()("RunLockError", {
  /**
   * Held: another heed has the root. Unavailable: such a lock cannot be had here (no binding, a network or unknown
   * file system). Refused: the pidfile is a link or no plain file, or cannot be opened.
   */
  reason: Schema.Literals(["Held", "Unavailable", "Refused"]),
  pidfile: Schema.String,
  holder: Schema.optionalKey(Holder),
  /** What happened, where, and the mend. */
  message: Schema.String
}) {}

export interface HeldLock {
  readonly pidfile: string
  readonly since: Instant
}

export class RunLock extends Context.Service<
  RunLock,
  {
    /** Takes the lock for the scope's life. Retries for a moment, so that no probe makes a start fail. */
    readonly acquire: (role: Role) => Effect.Effect<HeldLock, RunLockError, Scope.Scope>
    readonly probe: Effect.Effect<Probe, RunLockError>
    /** Removes a leftover pidfile, under the lock; false when somebody holds it. */
    readonly clean: Effect.Effect<boolean, RunLockError>
  }
>()("heed/disk/RunLock") {}
