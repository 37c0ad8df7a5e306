/**
 * What a command may ask of the running daemon over its socket: one JSON line each way, then the connection ends.
 */
import * as Schema from "effect/Schema"
import { Role } from "../disk/RunLock.ts"
import { SessionLine } from "../engine/Inspector.ts"
import { Beat } from "../state/Heartbeat.ts"

/** Both sides say it; a daemon of another version answers that it cannot be spoken to. */
export const protocolVersion = 1

/** The longest request, in bytes. Answers may be as long as they must. */
export const requestLimit = 8192

export const SessionAction = Schema.Literals(["stop", "pause", "resume"])
export type SessionAction = typeof SessionAction.Type

export const Request = Schema.Union([
  Schema.Struct({ version: Schema.Literal(protocolVersion), request: Schema.Literal("status") }),
  /** Ends the daemon. It answers before it ends; that it is gone, only the lock tells. */
  Schema.Struct({ version: Schema.Literal(protocolVersion), request: Schema.Literal("stop") }),
  Schema.Struct({
    version: Schema.Literal(protocolVersion),
    request: Schema.Literal("retry"),
    /** Any name of an item that `Naming` knows. */
    item: Schema.String
  }),
  Schema.Struct({
    version: Schema.Literal(protocolVersion),
    request: Schema.Literal("sessions"),
    action: SessionAction,
    item: Schema.String
  })
])
export type Request = typeof Request.Type

/** The daemon, its sources and sessions, as `heed status` shows them. */
export const Status = Schema.Struct({
  version: Schema.Literal(1),
  /** Whether somebody holds the root. */
  running: Schema.Boolean,
  /** daemon: it told so itself just now. disk: what the last one left there. */
  from: Schema.Literals(["daemon", "disk"]),
  root: Schema.String,
  /** Of the holder; absent when nobody holds the root, or who does cannot be read. */
  pid: Schema.optionalKey(Schema.Int),
  role: Schema.optionalKey(Role),
  beat: Schema.optionalKey(Beat),
  sessions: Schema.Array(SessionLine),
  /** What people should know at a glance, beside what the beat holds. */
  warnings: Schema.Array(Schema.String)
})
export type Status = typeof Status.Type

export const Answer = Schema.Union([
  Schema.TaggedStruct("Status", { version: Schema.Literal(protocolVersion), status: Status }),
  /** It was done; the text says what. */
  Schema.TaggedStruct("Done", { version: Schema.Literal(protocolVersion), message: Schema.String }),
  Schema.TaggedStruct("Refused", { version: Schema.Literal(protocolVersion), message: Schema.String })
])
export type Answer = typeof Answer.Type
