/**
 * The ledger's record of one work item: what was seen on it, what waits, what each session was given. It is the only
 * memory that decides what an agent still has to hear (G3.3), so it has no expiry and no cap while the item lives.
 */
import * as Schema from "effect/Schema"
import { AgentPlan } from "./Agent.ts"
import { Tracker } from "./Event.ts"
import { HandOverId, Try } from "./HandOver.ts"
import { Instant, ItemState, Kind } from "./Item.ts"
import { Identity, Ref } from "./Ref.ts"

/** The format that this heed writes. A record with a larger one is newer than this heed and freezes its item (G3.5). */
export const recordVersion = 1

/** How a word was resolved: never to be handed over again, unless `heed retry` judges anew. */
export const Outcome = Schema.Union([
  Schema.Literals(["handed over", "baseline", "own", "command", "vanished", "gave up"]),
  Schema.TemplateLiteral(["settled: ", Schema.String])
])
export type Outcome = typeof Outcome.Type

/** The key of a session's start among the waiting: it is a delivery like a word, with attempts of its own. */
export const startKey = "start"

/** The key of a session's going on, after what held it was lost: it waits like a start, before any word. */
export const resumeKey = "resume"

/** Whether a key names a word, and no start or resumption. */
export const isWord = (key: string): boolean => key !== startKey && key !== resumeKey

/** One delivery that waits for its session: pending, or a member of the session's claim. */
export const Waiting = Schema.Struct({
  /** A word's key, `issue_comment/123`, or `start`, or `resume`. */
  key: Schema.String,
  agent: Schema.String,
  /** When it was written; what waits goes in this order. */
  at: Instant,
  /** Failed attempts so far. Waiting of any other kind costs none. */
  attempts: Schema.Int,
  /** Not to be claimed before. */
  notBefore: Schema.optionalKey(Instant),
  /** Re-armed after it was given up or settled: it goes last, and says so. */
  late: Schema.optionalKey(Schema.Literal(true))
})
export type Waiting = typeof Waiting.Type

/** A hand-over that was claimed for its session and has no result yet. Its words stand in its folder under `runs/`. */
export const Claim = Schema.Struct({
  /** The hand-over's id: a hash of the session's and the members' ids. */
  id: HandOverId,
  /** Names the folder `runs/<id>/<try>`. Only grows within a session; says nothing about failures. */
  try: Try,
  kind: Schema.Literals(["start", "words"]),
  members: Schema.Array(Schema.String),
  /** The words that the starting prompt held; its confirmation resolves exactly these. */
  baseline: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The conversation that this run begins or continues. */
  conversation: Schema.String,
  at: Instant
})
export type Claim = typeof Claim.Type

/**
 * wanted: its start waits or is claimed. live: confirmed; words go to it. blocked: its start was given up.
 * ending: its item ended, a run may still be at work until `endBy`. ended: proven gone.
 */
export const SessionState = Schema.Literals(["wanted", "live", "blocked", "ending", "ended"])
export type SessionState = typeof SessionState.Type

export const Session = Schema.Struct({
  /** UUIDv5 of item, agent and generation. */
  id: Schema.String,
  generation: Schema.Int,
  state: SessionState,
  since: Instant,
  /** Why it is in this state, for people. */
  why: Schema.String,
  plan: AgentPlan,
  /** The tries so far. */
  tries: Try,
  /** The confirmed conversation; absent until a run that began one has succeeded. */
  conversation: Schema.optionalKey(Schema.String),
  /** The confirmed conversation was lost once, and a second loss is a failed attempt. */
  fellBack: Schema.optionalKey(Schema.Literal(true)),
  /** How its last run failed; absent once one succeeded. */
  failure: Schema.optionalKey(Schema.String),
  /** Its last hand-over may have reached the agent, and nobody can tell: the next one says that it may repeat. */
  mayRepeat: Schema.optionalKey(Schema.Literal(true)),
  claim: Schema.optionalKey(Claim),
  /** Where its sink opened it, in that sink's words: recorded before it is opened, gone once nothing of it lives. */
  seat: Schema.optionalKey(Schema.String),
  /** heed is about to open or to park it there: what is gone meanwhile did not leave by itself. */
  moving: Schema.optionalKey(Schema.Literals(["opening", "parking"])),
  /** While ending: when the run that is still at work is killed. */
  endBy: Schema.optionalKey(Instant)
})
export type Session = typeof Session.Type

/** A word (or start) whose attempts were used up. */
export const GaveUp = Schema.Struct({
  key: Schema.String,
  agent: Schema.String,
  at: Instant,
  /** The heed that gave up; a newer one tries again. */
  version: Schema.String,
  why: Schema.String
})
export type GaveUp = typeof GaveUp.Type

/** A comment that heed owes the item. It is posted after the ledger knows of it, once. */
export const Notice = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  /** The posted comment's key; absent while it is owed. */
  posted: Schema.optionalKey(Schema.String)
})
export type Notice = typeof Notice.Type

/**
 * What calls for a start: judged once, by who opened or labelled the item. A command
 * is judged already, and only waits until the former session is gone.
 */
export const Edge = Schema.Literals(["first sight", "reopened", "labelled again", "commanded"])
export type Edge = typeof Edge.Type

/** The `look` of an item that is owed a comment. */
export const owed = "a comment is owed to the item"

export const ItemRecord = Schema.Struct({
  version: Schema.Literal(recordVersion),
  identity: Identity,
  ref: Ref,
  /** Former refs. */
  aliases: Schema.optionalKey(Schema.Array(Ref)),
  /** The source that last listed it, by name, and the scope in which it did. */
  source: Schema.String,
  scope: Schema.String,
  tracker: Tracker,
  space: Schema.String,
  kind: Kind,
  number: Schema.Int,
  key: Schema.optionalKey(Schema.String),
  url: Schema.String,
  repo: Schema.String,
  title: Schema.String,
  state: Schema.Union([ItemState, Schema.Literals(["deleted", "moved"])]),
  labels: Schema.Array(Schema.String),
  /** Whether the last complete listing held it: an absence that was seen makes a later label an edge (G4.2). */
  listed: Schema.Boolean,
  /** A start that nobody has judged yet, and what called for it. */
  edge: Schema.optionalKey(Edge),
  /** The edge belongs to a backlog that waits for a person's word (`--accept-backlog`). */
  held: Schema.optionalKey(Schema.Literal(true)),
  /** Unfinished business, and what it is; absent when there is none. */
  look: Schema.optionalKey(Schema.String),
  /** How far each stream was completely read. */
  read: Schema.Record(Schema.String, Instant),
  /** Held for everyone's sessions until somebody resumes. */
  paused: Schema.optionalKey(Schema.Struct({ at: Instant, by: Schema.String, why: Schema.String })),
  sessions: Schema.Record(Schema.String, Session),
  waiting: Schema.Array(Waiting),
  /** Resolved words: `stream/id@agent` where an agent was concerned, `stream/id` where none was. */
  seen: Schema.Record(Schema.String, Outcome),
  gaveUp: Schema.Array(GaveUp),
  notices: Schema.Array(Notice),
  /** When words were handed over in the last hour, oldest first: what `limits.perItemPerHour` counts. */
  handed: Schema.Array(Instant),
  /** When the item ended; pruning counts from here. */
  endedAt: Schema.optionalKey(Instant),
  /** A tombstone: what was written up to then was dealt with, and no longer is known one by one. */
  forgotten: Schema.optionalKey(Instant)
})
export type ItemRecord = typeof ItemRecord.Type
