/**
 * Sink: how work reaches an agent, and the evidence of what reached it. The ledger holds intentions, the sink holds
 * evidence; after a crash the two are put together by one look-up per session (G3.2).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentPlan } from "../domain/Agent.ts"
import type { HandOver, HandOverTry } from "../domain/HandOver.ts"
import type { Instant } from "../domain/Item.ts"

/**
 * Whether a hand-over reached its agent. `Unknown` cannot be told now and is asked again, never taken for `None`.
 * `Lost` nobody ever will tell: what knew it is gone. The hand-over is repeated, as a new try that says so.
 */
export type Evidence =
  | { readonly _tag: "None" }
  | { readonly _tag: "HandedOver" }
  | { readonly _tag: "Unknown"; readonly why: string }
  | { readonly _tag: "Lost"; readonly why: string }

/** How a hand-over that reached its agent ended. Only `Failed` spends an attempt. */
export type Result =
  | { readonly _tag: "Done" }
  /** `vanished`: it was killed from outside, as by a reboot, which says nothing of the agent. */
  | { readonly _tag: "Failed"; readonly why: string; readonly vanished?: true }
  | { readonly _tag: "NotNow"; readonly why: string }
  /** The conversation that was to be continued does not exist any more: open a new one with the whole thread. */
  | { readonly _tag: "ConversationLost"; readonly why: string }

/** A session, as its sink is asked about it. */
export interface SessionAt {
  /** UUIDv5 of item, agent and generation. */
  readonly id: string
  /** Its newest try: what a sink has to know whose hand-overs are runs of their own. */
  readonly newest?: HandOverTry
  /** Where it was opened, as `Stays.seat` said it: what a sink has to know whose sessions stay. */
  readonly seat?: string
}

/**
 * What is left of a session. `Live`: something of it runs; `conversation` is the one that it holds, where the sink
 * knows. `Dead`: its agent has left by itself, or somebody ended it. `Lost`: what held it is gone, by no doing of its
 * agent's. `Absent`: there is nothing of it. `Unknown` is never taken for any of these.
 */
export type Liveness =
  | { readonly _tag: "Live"; readonly conversation?: string }
  | { readonly _tag: "Dead"; readonly why: string }
  | { readonly _tag: "Lost"; readonly why: string }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Unknown"; readonly why: string }

/**
 * Why a hand-over could not be sent. `AgentNotStarted` spends an attempt; `ConversationLost` has the session begin a
 * new conversation with the whole thread, once; all else is waiting.
 */
export class SinkError extends Schema.TaggedError<SinkError>()("SinkError", {
  reason: Schema.Literals(["AgentNotStarted", "ConversationLost", "NotReady", "DiskUnwritable", "Withdrawn"]),
  /** What happened, where, and the mend. */
  message: Schema.String
}) {}

/** What a terminal is to run to show a session. */
export interface Showing {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/**
 * What a sink does beside, whose sessions stay open between hand-overs. There a hand-over is words for an agent that
 * lives already, and its result is known as soon as it was sent.
 */
export interface Stays {
  /** Where a session would be opened now: recorded before it is, so that every later heed finds it (G3.2). */
  readonly seat: Effect.Effect<string, SinkError>
  /**
   * Opens the hand-over's session where nothing of it lives: with `command` where it begins a conversation, with
   * `resume` otherwise. Returns once the agent is ready for words; `NotReady` after the plan's `ready.timeout`.
   * Interrupting it leaves the session open. Its evidence must not depend on it: opening hands nothing over.
   */
  readonly open: (handOver: HandOver) => Effect.Effect<void, SinkError>
  /** Waits until nothing of the session lives, and answers with what became of it. */
  readonly left: (
    session: SessionAt
  ) => Effect.Effect<Extract<Liveness, { _tag: "Dead" | "Lost" | "Absent" }>>
  /** When a living session last showed anything or was given anything; undefined while a person looks at it. */
  readonly idleSince: (session: SessionAt) => Effect.Effect<Instant | undefined>
  /** How a person sees the session and types into it; fails when nothing of it lives. */
  readonly show: (session: SessionAt) => Effect.Effect<Showing, SinkError>
}

/** One way to reach an agent. What it is asked about a try is answered from what lies in the sink, not from memory. */
export interface Sink {
  /** As `agents.<name>.sink` names it. */
  readonly name: string
  /** The longest prompt that one hand-over may have, in characters; what does not fit goes next. */
  readonly capacity: number
  /** Present where sessions stay open between hand-overs; absent where each hand-over is a run of its own. */
  readonly stays?: Stays
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
  readonly probe: (session: SessionAt) => Effect.Effect<Liveness>
  /** Ends whatever runs for the session: TERM to its whole group, KILL after a moment. Returns when it is gone. */
  readonly end: (session: SessionAt) => Effect.Effect<void>
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
