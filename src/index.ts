/**
 * heed as a library: the engine, the services it stands on with their live layers, the schemas of configuration, events
 * and records, and the pure decisions. `docs/embedding.md` shows how they go together; `heed/testing` has the layers
 * that need no disk, process or network.
 */

// The engine.

/** `layer({ markKey })` is everything that works on items, over the state, configuration, providers and sinks given. */
export * as Engine from "./engine/Engine.ts"
/** The loop over all sources, and one cycle of it. Interrupting either is a stop. */
export { type CycleSummary, Poller } from "./engine/Poller.ts"
/** Gives what waits to its sessions' agents, in order and within the slots. */
export { Dispatcher } from "./engine/Dispatcher.ts"
/** What a person may do to an item: retry, pause, resume, stop, accept a backlog. */
export { Operator, OperatorError } from "./engine/Operator.ts"
/** What is known and what would happen: sessions, a dry run, an explanation. Reads only. */
export { DryRun, Explanation, Inspector, PlannedItem, PlannedStep, SessionLine } from "./engine/Inspector.ts"
/** The item that a text means: its ref, its web address, `acme/app#12`. */
export { Naming } from "./engine/Naming.ts"
/** The rooms of this machine put together, as the daemon has them: providers, state, sinks, configuration, engine. */
export * as Live from "./live/Live.ts"

// Configuration.

/** `Plan.make` makes a plan out of values, `Plan.load` reads a configuration file. */
export * as Plan from "./live/Plan.ts"
/** The running plan, and the check before every cycle whether its file says something new. */
export { ConfigReloader, type Reload } from "./config/ConfigReloader.ts"
/** What is wrong with a configuration file: all of it, each with its path, line and mend. */
export { ConfigError, Problem } from "./config/Problem.ts"
/** What a configuration of this heed may name: the schemas of its sources and agents, and the prompts' templates. */
export { rooms as configRooms } from "./live/Rooms.ts"
/** The JSON Schemas of the configuration file (for `configRooms.kinds`) and of a NormalizedEvent. */
export { eventJsonSchema, fileJsonSchema } from "./config/JsonSchema.ts"

// Trackers.

/** The seam of a tracker: one source, as values. Its errors end nothing and spend no attempt. */
export {
  type Listing,
  type Look,
  PageValidator,
  type Provider,
  Providers,
  SourceError,
  type SourcePlan,
  type Usage
} from "./tracker/Provider.ts"
/** The layers of `Providers`: this heed's trackers, others of the same make, or providers that a program brings. */
export * as Trackers from "./tracker/Providers.ts"
/** One kind of tracker, as `Trackers.layerWith` takes it. */
export type { Tracker } from "./tracker/Trackers.ts"

// Sinks.

/** The seam of a sink: how work reaches an agent, and the evidence of what reached it. */
export {
  type Evidence,
  type Liveness,
  type Result,
  type SessionAt,
  type Showing,
  type Sink,
  SinkError,
  Sinks,
  type Stays
} from "./sink/Sink.ts"
/** This heed's sinks over a folder of runs, and what a configuration knows of each. */
export * as LiveSinks from "./sink/LiveSinks.ts"
/** What is given to an agent at once, frozen, and the name of one try of it. */
export { HandOver, type HandOverTry } from "./domain/HandOver.ts"

// State.

/** Everything under one root as one layer, or the same in memory. */
export * as State from "./state/State.ts"
/** The folder in which everything heed remembers lies. */
export { Root, RootError, type RootOptions } from "./state/Root.ts"
/** The durable record of each work item. `modify` is the only way to change one. */
export { type Entry, Ledger, LedgerError } from "./state/Ledger.ts"
/** What heed did and why, one line an event. */
export { EventLog, EventName, Level, LogLine, type NewEvent } from "./state/EventLog.ts"
/** The state of the running daemon after each cycle. */
export { Beat, Health, Heartbeat } from "./state/Heartbeat.ts"
/** What vouches for a listing, so that an unchanged one costs nothing. Losing it costs requests. */
export { Validators } from "./state/Validators.ts"
/** How the agents fare that failed since their last success. */
export { Agents } from "./state/Agents.ts"
/** Which listings have had their first run. */
export { Backlog, Standing } from "./state/Backlog.ts"
/** At most one heed works on a root: a kernel lock, never a weaker one. */
export { type HeldLock, Holder, type Probe, Role, RunLock, RunLockError } from "./disk/RunLock.ts"

// Values and decisions: pure, without a service.

/** The names of a work item: its canonical ref, its tracker's immutable identity, its file name. */
export { Identity, Ref, slug } from "./domain/Ref.ts"
/** What trackers tell: items, their words, and how much of them was seen. */
export {
  type Actor,
  type ChangeProposal,
  type Check,
  type Comment,
  type Gone,
  Instant,
  instant,
  ItemState,
  Kind,
  type Labelling,
  millis,
  type Observation,
  type Row,
  type StreamReading,
  type Target,
  wordKey,
  type WorkItem
} from "./domain/Item.ts"
/** Version 1 of what happened, to which entity, by whom: what agents read. */
export { eventBodyLimit, NormalizedEvent } from "./domain/Event.ts"
/** The ledger's record of one item, and its parts. */
export {
  Claim,
  Edge,
  GaveUp,
  ItemRecord,
  Notice,
  Outcome,
  recordVersion,
  Session,
  SessionState,
  startKey,
  Waiting
} from "./domain/Record.ts"
/** How one kind of agent is started and continued. */
export { AgentPlan } from "./domain/Agent.ts"
/** What the configuration says about deciding. */
export type { Policy } from "./domain/Policy.ts"
/** What may be said about an item, each with its reason; and the words of control. */
export { type ControlWord, controlWords, type Decision } from "./domain/Decision.ts"
/** Says what is to happen on an item, given its record, an observation, the policy and the time. Total and pure. */
export { decide, decideGone } from "./domain/decide/decide.ts"
/** What decisions are made from, and how the item's listing spoke of it. */
export type { Listed, Situation } from "./domain/decide/situation.ts"
/** The record after the decisions. Pure. */
export { apply, applyGone } from "./domain/decide/apply.ts"
/** heed's version. */
export { version } from "./domain/Version.ts"
