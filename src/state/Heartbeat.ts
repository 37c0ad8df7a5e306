/**
 * Heartbeat: the state of the running daemon in one small file, rewritten after each cycle: what `status` shows when
 * the daemon does not answer, and the only thing that an idle cycle writes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Instant } from "../domain/Item.ts"

/** The health of one scope of one source. */
export const Health = Schema.Struct({
  source: Schema.String,
  scope: Schema.String,
  /** ok, or the reason of its last failure. */
  state: Schema.String,
  message: Schema.optionalKey(Schema.String),
  /** When it last answered. */
  okAt: Schema.optionalKey(Instant),
  /** Failures in a row. */
  failures: Schema.Int,
  /** When it is asked again after a failure. */
  nextAt: Schema.optionalKey(Instant),
  items: Schema.Int
})
export type Health = typeof Health.Type

export const Beat = Schema.Struct({
  version: Schema.Literal(1),
  pid: Schema.Int,
  heed: Schema.String,
  at: Instant,
  startedAt: Instant,
  cycles: Schema.Int,
  idleCycles: Schema.Int,
  lastCycle: Schema.optionalKey(
    Schema.Struct({
      at: Instant,
      ms: Schema.Finite,
      items: Schema.Int,
      changed: Schema.Int,
      requests: Schema.Int,
      notModified: Schema.Int,
      errors: Schema.Int,
      interrupted: Schema.Boolean
    })
  ),
  sweptAt: Schema.optionalKey(Instant),
  sources: Schema.Array(Health),
  /** What people should know at a glance: a rejected configuration, a held first run, a paused agent. */
  warnings: Schema.Array(Schema.String)
})
export type Beat = typeof Beat.Type

export class Heartbeat extends Context.Service<
  Heartbeat,
  {
    readonly write: (beat: Beat) => Effect.Effect<void>
    /** The last beat; undefined when there is none or it cannot be read. */
    readonly read: Effect.Effect<Beat | undefined>
  }
>()("heed/state/Heartbeat") {}
