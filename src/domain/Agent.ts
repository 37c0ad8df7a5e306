/**
 * How one kind of agent is started and continued: the part of `agents.<name>` that a session keeps for its life, so
 * that an edit of the configuration changes no session at work.
 */
import * as Schema from "effect/Schema"

/** `conversation.id`, `item.slug` and the like inside `command`, `resume` and `cwd` are still unrendered here. */
export const AgentPlan = Schema.Struct({
  sink: Schema.String,
  /** The first run of a conversation. */
  command: Schema.Array(Schema.String),
  /** Every later run; without it a later run is `command` again. */
  resume: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Absolute; made when missing. */
  cwd: Schema.String,
  env: Schema.Record(Schema.String, Schema.String),
  passEnv: Schema.Array(Schema.String),
  coalesce: Schema.Boolean,
  /** One run's longest time, in milliseconds of awake time. */
  timeout: Schema.Finite,
  /** What a running agent gets when its item ends, in milliseconds. */
  endGrace: Schema.Finite,
  /**
   * When an agent whose session stays open is ready for words: its screen has not changed for `delay` milliseconds
   * and, where there is a pattern, shows what matches it. After `timeout` milliseconds heed says that it waits.
   */
  ready: Schema.optionalKey(
    Schema.Struct({ delay: Schema.Finite, pattern: Schema.String, timeout: Schema.Finite })
  ),
  /** Milliseconds after which an idle open session is parked. Absent: never. */
  idleAfter: Schema.optionalKey(Schema.Finite),
  /** What its agent's leaving means: `restart` when something waits, which is the default, or the session's end. */
  onExit: Schema.optionalKey(Schema.Literals(["restart", "end"]))
})
export type AgentPlan = typeof AgentPlan.Type

/** Whether two plans start and continue an agent in the same way. */
export const isSamePlan = Schema.toEquivalence(AgentPlan)

/** The names that a template inside `command`, `resume` or `cwd` may use: all of them are safe in a path. */
export interface AgentNames {
  readonly conversation: { readonly id: string }
  readonly item: { readonly slug: string }
  readonly repo: { readonly slug: string }
  readonly session: { readonly id: string }
}
