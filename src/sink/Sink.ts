/**
 * Sink: how work reaches an agent, and the evidence of what reached it. The ledger holds intentions, the sink holds
 * evidence; after a crash the two are put together by one look-up per session (G3.2).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentPlan } from "../domain/Agent.ts"
import type { HandOver, HandOverTry } from "../domain/HandOver.ts"

/** Whether a hand-over reached its agent. `Unknown` is a sink that cannot tell; it is never taken for `None`. */
export type Evidence =
  | { readonly _tag: "None" }
  | { readonly _tag: "HandedOver" }
  | { readonly _tag: "Unknown"; readonly why: string }

/** How a hand-over that reached its agent ended. Only `Failed` spends an attempt. */
export type Result =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly why: string }
  | { readonly _tag: "NotNow"; readonly why: string }
  /** The conversation that was to be continued does not exist any more: open a new one with the whole thread. */
  | { readonly _tag: "ConversationLost"; readonly why: string }

/** Whether something of a session still runs. `Unknown` is never taken for `Gone`. */
export type Liveness =
  | { readonly _tag: "Running"; readonly try: HandOverTry }
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Unknown"; readonly why: string }

/** Why a hand-over could not be sent. Only `AgentNotStarted` spends an attempt: all else is waiting. */
export class SinkError extends Schema.TaggedError<SinkError>()("SinkError", {
  reason: Schema.Literals(["AgentNotStarted", "NotReady", "DiskUnwritable", "Withdrawn"]),
  /** What happened, where, and the mend. */
  message: Schema.String
}) {}

/** One way to reach an agent. What it is asked about a try is answered from what lies in the sink, not from memory. */
export interface Sink {
  /** As `agents.<name>.sink` names it. */
  readonly name: string
  /** The longest prompt that one hand-over may have, in characters; what does not fit goes next. */
  readonly capacity: number
  /**
   * What is done about a hand-over whose evidence stays unknown: asked again, where the sink will know, or repeated,
   * where it never will: as a new try, whose prompt says that it may repeat.
   */
  readonly inDoubt: "ask again" | "repeat"
  /** Fails when no session of this plan could be started on this machine: the command was not found. */
  readonly ready: (plan: AgentPlan) => Effect.Effect<void, SinkError>
  /** Makes the hand-over's content durable, before the ledger claims it. Repeating it changes nothing. */
  readonly prepare: (handOver: HandOver) => Effect.Effect<void, SinkError>
  /**
   * Sends a prepared hand-over and returns once there is evidence. Sending a try again, after a crash or beside
   * another heed, reaches the agent once. Bounded to 5 seconds.
   */
  readonly send: (which: HandOverTry) => Effect.Effect<void, SinkError>
  readonly evidence: (which: HandOverTry) => Effect.Effect<Evidence>
  /** Makes sure that a try without evidence never reaches its agent; answers with what is certain afterwards. */
  readonly withdraw: (which: HandOverTry) => Effect.Effect<Evidence>
  /** Waits for the end of a try that was handed over. Interrupting the wait touches nothing. */
  readonly result: (which: HandOverTry) => Effect.Effect<Result>
  /** What still runs for a session, given its newest try. */
  readonly probe: (session: string, newest: HandOverTry | undefined) => Effect.Effect<Liveness>
  /** Ends whatever runs for the try: TERM to its whole group, KILL after a moment. Returns when it is gone. */
  readonly end: (which: HandOverTry) => Effect.Effect<void>
}

/** What is kept of runs that are over (`state.runs`). */
export interface Tidying {
  /** Milliseconds since a run's last change. */
  readonly keep: number
  /** Bytes of all runs together; the oldest go first. */
  readonly maxTotal: number
  readonly isProtected: (which: HandOverTry) => boolean
}

/** The sinks that this heed has, by name. A name that no agent may use is refused when the configuration is read. */
export class Sinks extends Context.Service<
  Sinks,
  {
    readonly get: (name: string) => Sink | undefined
    /** Removes what old runs left behind; a claimed try is protected, and one that still runs stays too. */
    readonly tidy: (options: Tidying) => Effect.Effect<void>
  }
>()("heed/sink/Sinks") {}
