/**
 * RecordFile: an item's record as the text of its file. Reading answers with the record or with why its item is frozen
 * (G3.5); writing keeps whatever this heed does not know, and always puts the keys in the same order (traps B86).
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AgentPlan } from "../domain/Agent.ts"
import { Claim, GaveUp, ItemRecord, Notice, recordVersion, Session, Waiting } from "../domain/Record.ts"
import { Identity, identityHash, Ref } from "../domain/Ref.ts"
import * as ExactJson from "./ExactJson.ts"
import { isObject, type Json, type JsonObject } from "./ExactJson.ts"

/** A record that was read. */
export interface Read {
  readonly record: ItemRecord
  /** The file's JSON, which may hold more than `record` does; absent once it is known that it does not. */
  readonly raw?: JsonObject
}

/** Why a file is no record for this heed, and what of it could be made out. */
export interface Unreadable {
  readonly why: string
  /** It was written by a newer heed. */
  readonly newer?: true
  readonly identity?: Identity
  readonly ref?: Ref
}

/** A record's bare file name; nothing else in the folder is read. */
export const nameOf = (slug: string): string => `${slug}.json`

/** The slug in a record's file name; undefined for every other name. */
export const slugOf = (name: string): string | undefined =>
  /^([a-z0-9][a-z0-9-]*-[0-9a-f]{16})\.json$/u.exec(name)?.[1]

/** The part of a slug that names the identity. */
export const hashOf = (slug: string): string => slug.slice(-16)

const decode = Schema.decodeUnknownResult(ItemRecord)
const isIdentity = Schema.is(Identity)
const isRef = Schema.is(Ref)

/** Reads the text of the file `<slug>.json`. */
export const read = (slug: string, text: string): Result.Result<Read, Unreadable> => {
  if (text === "") return Result.fail({ why: "its file is empty" })
  if (text.includes("\u0000")) return Result.fail({ why: "its file holds NUL bytes" })
  const raw = ExactJson.parse(text)
  if (raw === undefined) return Result.fail({ why: "its file is no complete JSON" })
  if (!isObject(raw)) return Result.fail({ why: "its file holds no JSON object" })
  const known = {
    ...(isIdentity(raw["identity"]) ? { identity: raw["identity"] } : {}),
    ...(isRef(raw["ref"]) ? { ref: raw["ref"] } : {})
  }
  const version = raw["version"]
  if (typeof version === "number" && version > recordVersion) {
    return Result.fail({
      why: `its record has version ${version}, this heed reads up to ${recordVersion}: it was written by a newer heed`,
      newer: true,
      ...known
    })
  }
  const decoded = decode(raw)
  if (Result.isFailure(decoded)) {
    return Result.fail({
      why: `its record is not valid: ${decoded.failure.message.replaceAll(/\s+/gu, " ")}`,
      ...known
    })
  }
  const record = decoded.success
  if (identityHash(record.identity) !== hashOf(slug)) {
    return Result.fail({ why: `its file holds the record of another item, ${record.ref}`, ...known })
  }
  return Result.succeed({ record, raw })
}

/** What is worth keeping of a record that was read: its JSON too, but only where that holds more. */
export const condense = ({ record, raw }: Read): Read =>
  raw === undefined || ExactJson.isSame(raw, record) ? { record } : { record, raw }

interface Fields {
  readonly [key: string]: Json | undefined
}

/** The known keys in their schema's order, then what only the old value has under keys that nobody here knows. */
const arrange = (keys: ReadonlyArray<string>, value: Fields, old: Json | undefined): JsonObject => {
  const arranged: { [key: string]: Json } = {}
  for (const key of keys) {
    const field = value[key]
    if (field !== undefined) arranged[key] = field
  }
  if (isObject(old)) {
    for (const [key, field] of Object.entries(old)) if (!keys.includes(key)) arranged[key] = field
  }
  return arranged
}

const keys = {
  record: Object.keys(ItemRecord.fields),
  session: Object.keys(Session.fields),
  claim: Object.keys(Claim.fields),
  plan: Object.keys(AgentPlan.fields),
  waiting: Object.keys(Waiting.fields),
  gaveUp: Object.keys(GaveUp.fields),
  notice: Object.keys(Notice.fields)
}

const property = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** Finds each entry's former self by what names it. */
const formerly = (list: Json | undefined, names: ReadonlyArray<string>) => {
  const name = (entry: Json) => JSON.stringify(names.map((key) => property(entry, key)))
  const found = new Map((Array.isArray(list) ? list : []).map((entry: Json) => [name(entry), entry]))
  return (entry: Json): Json | undefined => (found.size === 0 ? undefined : found.get(name(entry)))
}

const arrangeSession = (session: Session, old: Json | undefined): JsonObject => {
  const former = property(old, "id") === session.id ? old : undefined
  const formerClaim = property(former, "claim")
  const { plan, claim } = session
  return arrange(
    keys.session,
    {
      ...session,
      plan: arrange(keys.plan, plan, property(former, "plan")),
      ...(claim === undefined
        ? {}
        : {
            claim: arrange(
              keys.claim,
              claim,
              property(formerClaim, "id") === claim.id ? formerClaim : undefined
            )
          })
    },
    former
  )
}

/** The JSON of a record to be written over `raw`. */
const arrangeRecord = (record: ItemRecord, raw: JsonObject | undefined): JsonObject => {
  const sessions = property(raw, "sessions")
  const waiting = formerly(property(raw, "waiting"), ["key", "agent"])
  const gaveUp = formerly(property(raw, "gaveUp"), ["key", "agent"])
  const notice = formerly(property(raw, "notices"), ["id"])
  return arrange(
    keys.record,
    {
      ...record,
      sessions: Object.fromEntries(
        Object.entries(record.sessions).map(([agent, session]) => [
          agent,
          arrangeSession(session, property(sessions, agent))
        ])
      ),
      waiting: record.waiting.map((entry) => arrange(keys.waiting, entry, waiting(entry))),
      gaveUp: record.gaveUp.map((entry) => arrange(keys.gaveUp, entry, gaveUp(entry))),
      notices: record.notices.map((entry) => arrange(keys.notice, entry, notice(entry)))
    },
    raw
  )
}

/** The text to be written for a record, and what a later write has to know of it. */
export const write = (record: ItemRecord, raw: JsonObject | undefined): { readonly text: string } & Read => {
  const json = arrangeRecord(record, raw)
  return { text: ExactJson.render(json), record, ...(raw === undefined ? {} : { raw: json }) }
}
