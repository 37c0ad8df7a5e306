/**
 * LedgerIndex: what is known of every record without holding it: a few words an item, and who bears which ref.
 */
import type { Instant } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import { type Identity, identityHash, Ref } from "../domain/Ref.ts"
import { Identity as IdentitySchema } from "../domain/Ref.ts"
import type { Unreadable } from "./RecordFile.ts"
import { hashOf } from "./RecordFile.ts"

/** What is known of a record without reading it: small enough to be held for every item. */
export interface Entry {
  readonly identity: Identity
  readonly ref: Ref
  readonly slug: string
  readonly source: string
  readonly scope: string
  /** Whether the last complete listing held it. */
  readonly listed: boolean
  /** As `isBusy` has it. */
  readonly busy: boolean
  readonly look: boolean
  /** When the item ended, if it did and is not forgotten yet. */
  readonly endedAt?: Instant
  /** Something waits, has a claim, is open somewhere or is ending: of the busy items those on which there is work. */
  readonly waits: boolean
  /** Why the item is frozen; absent when it is not. */
  readonly frozen?: string
  /** It is frozen because a newer heed wrote it. */
  readonly newer?: true
}

/** Whether a session of the item is not over, has a claim, or is open somewhere: somebody has to look after it. */
export const isBusy = (record: ItemRecord): boolean =>
  Object.values(record.sessions).some(
    (session) => session.state !== "ended" || session.claim !== undefined || session.seat !== undefined
  )

/** The entry of a record in the file `<slug>.json`. */
export const entryOf = (slug: string, record: ItemRecord): Entry => ({
  identity: record.identity,
  ref: record.ref,
  slug,
  source: record.source,
  scope: record.scope,
  listed: record.listed,
  busy: isBusy(record),
  look: record.look !== undefined,
  ...(record.endedAt === undefined || record.forgotten === record.endedAt ? {} : { endedAt: record.endedAt }),
  waits:
    record.waiting.length > 0 ||
    Object.values(record.sessions).some(
      (session) => session.claim !== undefined || session.seat !== undefined || session.state === "ending"
    )
})

/** The entry of a file that is no record: under the names that could be made out, else under its file's. */
export const frozenEntry = (slug: string, { why, newer, identity, ref }: Unreadable): Entry => ({
  identity:
    identity !== undefined && identityHash(identity) === hashOf(slug)
      ? identity
      : IdentitySchema.make(`unknown:${slug}`),
  ref: ref ?? Ref.make(`unknown:${slug}`),
  slug,
  source: "",
  scope: "",
  listed: false,
  busy: false,
  look: false,
  waits: false,
  frozen: why,
  ...(newer === undefined ? {} : { newer })
})

export interface LedgerIndex {
  readonly entries: () => ReadonlyArray<Entry>
  /** By the hash in its slug. */
  readonly get: (hash: string) => Entry | undefined
  readonly put: (entry: Entry, record: ItemRecord | undefined) => void
  readonly drop: (hash: string) => void
  readonly find: (ref: Ref) => Entry | undefined
}

export const make = (): LedgerIndex => {
  const entries = new Map<string, Entry>()
  /** Who bears or bore a ref: nearly always one. */
  const bearers = new Map<Ref, string | ReadonlyArray<string>>()
  const aliases = new Map<string, ReadonlyArray<Ref>>()
  const ended = new Set<string>()

  const bearersOf = (ref: Ref): ReadonlyArray<string> => {
    const known = bearers.get(ref)
    return known === undefined ? [] : typeof known === "string" ? [known] : known
  }

  const setBearers = (ref: Ref, hashes: ReadonlyArray<string>) => {
    const [first, second] = hashes
    if (first === undefined) bearers.delete(ref)
    else bearers.set(ref, second === undefined ? first : hashes)
  }

  /** How well an item answers to a ref: a name it bears now before one it bore, an open item before an ended one. */
  const rank = (entry: Entry, ref: Ref): number =>
    entry.ref !== ref ? 0 : entry.frozen !== undefined || ended.has(hashOf(entry.slug)) ? 1 : 2

  const drop = (hash: string) => {
    const entry = entries.get(hash)
    if (entry === undefined) return
    for (const ref of [entry.ref, ...(aliases.get(hash) ?? [])]) {
      setBearers(
        ref,
        bearersOf(ref).filter((bearer) => bearer !== hash)
      )
    }
    aliases.delete(hash)
    ended.delete(hash)
    entries.delete(hash)
  }

  return {
    entries: () => [...entries.values()],
    get: (hash) => entries.get(hash),
    put: (entry, record) => {
      const hash = hashOf(entry.slug)
      drop(hash)
      entries.set(hash, entry)
      const former = record?.aliases ?? []
      if (former.length > 0) aliases.set(hash, former)
      if (record?.endedAt !== undefined) ended.add(hash)
      for (const ref of new Set([entry.ref, ...former])) setBearers(ref, [...bearersOf(ref), hash])
    },
    drop,
    find: (ref) => {
      const found = bearersOf(ref).flatMap((hash) => entries.get(hash) ?? [])
      return found.sort((one, other) => rank(other, ref) - rank(one, ref))[0]
    }
  }
}
