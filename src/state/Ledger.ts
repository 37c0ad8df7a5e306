/**
 * Ledger: the durable record of each work item, one file per item under `<root>/items`. `modify` is the only way to
 * change one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { type DiskError } from "../disk/DiskError.ts"
import type { ItemRecord } from "../domain/Record.ts"
import { type Identity, identityHash, type Ref, slug as slugFor } from "../domain/Ref.ts"
import { isSame } from "./ExactJson.ts"
import * as Index from "./LedgerIndex.ts"
import { type Entry } from "./LedgerIndex.ts"
import * as RecordCache from "./RecordCache.ts"
import * as RecordFile from "./RecordFile.ts"
import * as RecordFolder from "./RecordFolder.ts"
import { Root } from "./Root.ts"

export type { Entry }

/** Why a record could not be read or written. Nothing was changed. */
export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  /**
   * Frozen: the record is corrupt, empty, foreign or newer (G3.5); only an operator resolves it.
   * Unwritable: disk full, read-only or failing (G3.6); it resumes by itself.
   */
  reason: Schema.Literals(["Frozen", "Unwritable"]),
  message: Schema.String
}) {}

/**
 * Which share of the known records a newer heed wrote, from 0 to 1. Over a half, this heed is the wrong one for the
 * root, and a start says so instead of freezing item by item (G3.5).
 */
export const newerShare = (entries: ReadonlyArray<Entry>): number =>
  entries.length === 0 ? 0 : entries.filter(({ newer }) => newer === true).length / entries.length

export class Ledger extends Context.Service<
  Ledger,
  {
    /** The record of an item; undefined when heed never saw it. */
    readonly get: (identity: Identity) => Effect.Effect<ItemRecord | undefined, LedgerError>
    /**
     * Changes an item's record. `f` is pure: it gets the record as it is now and answers with a value and the record to
     * be (undefined removes it). Calls for one item run one after the other; when this returns the new record is
     * durable (temporary file, all bytes, sync, rename, folder sync); a record that did not change is not written.
     */
    readonly modify: <A>(
      identity: Identity,
      f: (record: ItemRecord | undefined) => readonly [A, ItemRecord | undefined]
    ) => Effect.Effect<A, LedgerError>
    /** Every known item, frozen ones included. */
    readonly entries: Effect.Effect<ReadonlyArray<Entry>>
    readonly entry: (identity: Identity) => Effect.Effect<Entry | undefined>
    /** The item that bears this ref now or bore it before. */
    readonly find: (ref: Ref) => Effect.Effect<Entry | undefined>
  }
>()("heed/state/Ledger") {
  /** The ledger of a root that is held: looks through the folder once, and removes what crashed writers left there. */
  static readonly layer: Layer.Layer<Ledger, LedgerError, Root | FileSystem.FileSystem> = Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = yield* Root
      yield* AtomicFile.removeTemporaries(root.items).pipe(Effect.mapError(unwritable))
      const folder = yield* RecordFolder.open(files, root.items).pipe(Effect.mapError(unwritable))
      return Ledger.of(live(files, folder))
    })
  )

  /** For commands that only look: beside a daemon, without the lock. It writes nothing, and `modify` fails. */
  static readonly layerReadOnly = (options: {
    readonly root: string
  }): Layer.Layer<Ledger, never, FileSystem.FileSystem> =>
    Layer.effect(
      Ledger,
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const folder = yield* Effect.cached(
          RecordFolder.open(files, join(options.root, "items")).pipe(Effect.mapError(unwritable))
        )
        return Ledger.of(readOnly(folder))
      })
    )

  /** Records in memory, for tests and embedders. */
  static readonly layerMemory: Layer.Layer<Ledger> = Layer.sync(Ledger, () => Ledger.of(memory()))
}

const unwritable = ({ message }: DiskError) =>
  new LedgerError({ reason: "Unwritable", message: `${message}. heed goes on by itself once that is mended` })

const frozen = (identity: Identity, why: string) =>
  new LedgerError({ reason: "Frozen", message: `${identity} is frozen: ${why}` })

/** A caller that writes one item's record under another's identity is wrong, and nothing of it is written. */
const isOwn = (identity: Identity, record: ItemRecord) =>
  record.identity === identity
    ? Effect.void
    : Effect.die(new Error(`the record of ${record.identity} was to be written as ${identity}`))

const live = (files: FileSystem.FileSystem, folder: RecordFolder.RecordFolder): Ledger["Service"] => {
  const cache = RecordCache.make()
  const onDisk = <A>(effect: Effect.Effect<A, DiskError, FileSystem.FileSystem>) =>
    effect.pipe(Effect.provideService(FileSystem.FileSystem, files), Effect.mapError(unwritable))

  /**
   * Writes that are in place and may not survive a power cut, and how many of them are known to by now. The first stands
   * for what a heed that was killed before its last sync may have left in place.
   */
  let unsure = 1
  let secured = 0
  /** Before anything is built on what the disk says, all of it is durable: else a claim could be sent and then lost. */
  const secure = Effect.suspend(() => {
    const known = unsure
    if (secured === known) return Effect.void
    return Effect.map(onDisk(AtomicFile.syncFolder(folder.path)), () => {
      secured = known
    })
  })

  const load = Effect.fnUntraced(function* (identity: Identity) {
    yield* secure
    const entry = folder.index.get(identityHash(identity))
    const cached = entry === undefined ? undefined : cache.get(entry.slug)
    if (entry !== undefined && cached !== undefined) return { slug: entry.slug, read: cached }
    const found = yield* folder.read(identity)
    if (found._tag === "Frozen") return yield* frozen(identity, found.why)
    if (found._tag === "None") return undefined
    const read = RecordFile.condense(found.read)
    cache.put(found.slug, read, found.size)
    return { slug: found.slug, read }
  })

  const get = Effect.fn("Ledger.get")(function* (identity: Identity) {
    const loaded = yield* load(identity).pipe(folder.turn(identity))
    return loaded?.read.record
  })

  const store = Effect.fnUntraced(function* (
    slug: string,
    record: ItemRecord,
    old: RecordFile.Read | undefined
  ) {
    const { text, ...read } = RecordFile.write(record, old?.raw)
    // Until the write is known to be durable, nothing in memory speaks for the file.
    cache.drop(slug)
    yield* onDisk(
      AtomicFile.write(folder.pathOf(slug), text, "record").pipe(
        Effect.tapError(({ path }) =>
          Effect.sync(() => {
            if (path === folder.path) unsure += 1
          })
        )
      )
    )
    cache.put(slug, read, text.length)
    folder.add(slug)
    folder.index.put(Index.entryOf(slug, record), record)
  })

  const change = Effect.fnUntraced(function* <A>(
    identity: Identity,
    f: (record: ItemRecord | undefined) => readonly [A, ItemRecord | undefined]
  ): Effect.fn.Return<A, LedgerError> {
    const loaded = yield* load(identity)
    const [answer, next] = f(loaded?.read.record)
    if (next === undefined) {
      if (loaded !== undefined) {
        cache.drop(loaded.slug)
        yield* onDisk(AtomicFile.remove(folder.pathOf(loaded.slug)))
        folder.index.drop(identityHash(identity))
      }
      return answer
    }
    yield* isOwn(identity, next)
    if (loaded !== undefined) {
      if (!isSame(loaded.read.record, next)) yield* store(loaded.slug, next, loaded.read)
      return answer
    }
    const slug = slugFor(next.ref, identity)
    // Somebody put a file there since the folder was looked through: it is the item's record, and `f` has to see it.
    if (yield* folder.appeared(slug)) return yield* change(identity, f)
    yield* store(slug, next, undefined)
    return answer
  })

  const modify: Ledger["Service"]["modify"] = Effect.fn("Ledger.modify")(
    <A>(identity: Identity, f: (record: ItemRecord | undefined) => readonly [A, ItemRecord | undefined]) =>
      change(identity, f).pipe(folder.turn(identity), Effect.uninterruptible)
  )

  return {
    get,
    modify,
    entries: folder.entries,
    entry: folder.entry,
    find: (ref) => Effect.sync(() => folder.index.find(ref))
  }
}

const readOnly = (opened: Effect.Effect<RecordFolder.RecordFolder, LedgerError>): Ledger["Service"] => {
  // A folder that cannot be listed is a defect for whoever only looks: there is nothing to show.
  const folder = Effect.orDie(opened)
  return {
    get: Effect.fn("Ledger.get")(function* (identity) {
      const found = yield* (yield* opened).read(identity)
      if (found._tag === "Frozen") return yield* frozen(identity, found.why)
      return found._tag === "None" ? undefined : found.read.record
    }),
    modify: () =>
      Effect.fail(
        new LedgerError({
          reason: "Unwritable",
          message: "this command only looks: it does not hold the root's lock"
        })
      ),
    entries: Effect.flatMap(folder, ({ entries }) => entries),
    entry: (identity) => Effect.flatMap(folder, ({ entry }) => entry(identity)),
    find: (ref) => Effect.map(folder, ({ index }) => index.find(ref))
  }
}

const memory = (): Ledger["Service"] => {
  const records = new Map<Identity, { readonly slug: string; readonly record: ItemRecord }>()
  const index = Index.make()
  return {
    get: (identity) => Effect.sync(() => records.get(identity)?.record),
    modify: (identity, f) =>
      Effect.suspend(() => {
        const held = records.get(identity)
        const [answer, next] = f(held?.record)
        if (next === undefined) {
          records.delete(identity)
          index.drop(identityHash(identity))
          return Effect.succeed(answer)
        }
        const slug = held?.slug ?? slugFor(next.ref, identity)
        return isOwn(identity, next).pipe(
          Effect.map(() => {
            records.set(identity, { slug, record: next })
            index.put(Index.entryOf(slug, next), next)
            return answer
          })
        )
      }),
    entries: Effect.sync(() => index.entries()),
    entry: (identity) => Effect.sync(() => index.get(identityHash(identity))),
    find: (ref) => Effect.sync(() => index.find(ref))
  }
}
