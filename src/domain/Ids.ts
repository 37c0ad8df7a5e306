/**
 * Ids that say the same thing however and whenever a thing was seen: pure functions of identity (traps B66).
 */
import { createHash } from "node:crypto"
import type { Comment } from "./Item.ts"
import type { Identity } from "./Ref.ts"

/** Fields may hold any text, so they are joined as JSON: no two lists give the same text. */
const digest = (fields: ReadonlyArray<string | number>, length = 32): string =>
  createHash("sha256").update(JSON.stringify(fields), "utf8").digest("hex").slice(0, length)

/** The delivery of one comment to one agent: 32 hex digits. */
export const deliveryId = (space: string, comment: Pick<Comment, "stream" | "id">, agent: string): string =>
  digest(["word", space, comment.stream, comment.id, agent])

/** The delivery of a session's start. */
export const startId = (identity: Identity, agent: string, generation: number): string =>
  digest(["start", identity, agent, generation])

/** The delivery by which a session goes on after what held it was lost. */
export const resumeId = (identity: Identity, agent: string, generation: number): string =>
  digest(["resume", identity, agent, generation])

/** heed's answer to a question that is the word of this key: 12 hex digits. */
export const answerId = (space: string, word: string): string => digest(["answer", space, word], 12)

/** What is given to a session at once, named by the session and its members' delivery ids, in order. */
export const handOverId = (session: string, members: ReadonlyArray<string>): string =>
  digest(["hand-over", session, ...members])

/** heed's own UUIDv5 namespace. */
const namespace = Buffer.from("6f0d5c1e8a4b4f2f9d7e2b6c1a3e5d70", "hex")

/** The UUIDv5 of (item, agent, generation): the session's id, the same on every machine. */
export const sessionId = (identity: Identity, agent: string, generation: number): string => {
  const name = JSON.stringify([identity, agent, generation])
  const bytes = createHash("sha1").update(namespace).update(name, "utf8").digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
