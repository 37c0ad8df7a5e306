/**
 * KillPoint: the instants at which the knife kills heed: around each step that makes something durable, and around each
 * act on the outside. A hook for the suite in `test/knife/` and for nothing else; without `HEED_KNIFE` it is inert.
 */
import * as Effect from "effect/Effect"

/**
 * Every point, in the order in which a hand-over meets them. A file that is replaced whole has five: its successor is
 * there and empty, has all bytes, has them on the disk, is in its place, and is there for good. The suite proves that it
 * kills at each.
 */
export const killPoints = [
  "record.begun",
  "record.written",
  "record.synced",
  "record.renamed",
  "record.durable",
  "validators.begun",
  "validators.written",
  "validators.synced",
  "validators.renamed",
  "validators.durable",
  "heartbeat.begun",
  "heartbeat.written",
  "heartbeat.synced",
  "heartbeat.renamed",
  "heartbeat.durable",
  "root.begun",
  "root.written",
  "root.synced",
  "root.renamed",
  "root.durable",
  "prompt.begun",
  "prompt.written",
  "prompt.synced",
  "prompt.renamed",
  "prompt.durable",
  "events.begun",
  "events.written",
  "events.synced",
  "events.renamed",
  "events.durable",
  "hand-over.begun",
  "hand-over.written",
  "hand-over.synced",
  "hand-over.renamed",
  "hand-over.durable",
  "file.begun",
  "file.written",
  "file.synced",
  "file.renamed",
  "file.durable",
  "claim.begun",
  "claim.written",
  "claim.synced",
  "claim.linked",
  "claim.durable",
  "line.appending",
  "line.appended",
  "notice.posting",
  "notice.posted",
  "session.claimed",
  "session.sent",
  "session.over",
  "run.spawning",
  "run.spawned",
  "run.claimed",
  "pane.opening",
  "pane.opened",
  "words.pasting",
  "words.pasted",
  "words.submitting",
  "words.submitted",
  "pane.ending",
  "pane.ended"
] as const
export type KillPoint = (typeof killPoints)[number]

/** What a durable write writes, as far as the knife tells it apart. `file` is anything without a name of its own. */
export type Written =
  "record" | "validators" | "heartbeat" | "root" | "prompt" | "events" | "hand-over" | "file"

/** `HEED_KNIFE=record.renamed:3` kills at the third time that the record has just been renamed. */
const [armed = "", occurrence = "1"] = (process.env["HEED_KNIFE"] ?? "").split(":")

let left = Number(occurrence)

const strike = (point: KillPoint): Effect.Effect<void> =>
  Effect.sync(() => {
    if (point !== armed) return
    left -= 1
    if (left > 0) return
    process.kill(process.pid, "SIGKILL")
    // Not one step further, however late the signal is.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })

/** Kills this process, by SIGKILL, where `HEED_KNIFE` says so; otherwise nothing. */
export const killPoint: (point: KillPoint) => Effect.Effect<void> = armed === "" ? () => Effect.void : strike
