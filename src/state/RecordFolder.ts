/**
 * RecordFolder: the files under `<root>/items` and the index of them. It reads; who may write is the Ledger's business.
 *
 * A file that is no record for this heed stays where it is, byte for byte: its item is frozen, and looked at again
 * whenever it is asked for, so that an operator resolves it by mending the file or moving it out of the folder (G3.5).
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { join } from "node:path"
import { type Identity, identityHash } from "../domain/Ref.ts"
import { codeOf, type DiskError, diskError } from "../disk/DiskError.ts"
import * as Index from "./LedgerIndex.ts"
import { frozenEntry, type Entry, type LedgerIndex } from "./LedgerIndex.ts"
import * as KeyedTurns from "./KeyedTurns.ts"
import * as RecordFile from "./RecordFile.ts"

/** Files that are read at once while the folder is looked through. */
const readers = 8

/** An item as its file is now. */
export type Found =
  | { readonly _tag: "None" }
  | { readonly _tag: "Frozen"; readonly entry: Entry; readonly why: string }
  | { readonly _tag: "Record"; readonly slug: string; readonly read: RecordFile.Read; readonly size: number }

export interface RecordFolder {
  readonly index: LedgerIndex
  readonly path: string
  readonly pathOf: (slug: string) => string
  /** Whoever reads an item's file to act on it, or writes it, has the item's turn. */
  readonly turn: (identity: Identity) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Reads an item's file, and brings its entry up to date. In the item's turn. */
  readonly read: (identity: Identity) => Effect.Effect<Found>
  /** An entry; a frozen one after its file was looked at again. */
  readonly entry: (identity: Identity) => Effect.Effect<Entry | undefined>
  /** All entries, the frozen ones looked at again. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>>
  /** Takes in a file that its owner wrote. */
  readonly add: (slug: string) => void
  /** Looks whether a file of this name appeared since the folder was looked through, and takes it in. */
  readonly appeared: (slug: string) => Effect.Effect<boolean>
}

/** Looks through the folder once. */
export const open = Effect.fn("RecordFolder.open")(function* (
  files: FileSystem.FileSystem,
  folder: string
): Effect.fn.Return<RecordFolder, DiskError> {
  const index = Index.make()
  const turns = KeyedTurns.make()
  const turn = (identity: Identity) => turns.take(identityHash(identity))
  /** The slugs of each hash: more than one when somebody copied a file, and then nobody knows which is right. */
  const slugs = new Map<string, ReadonlyArray<string>>()
  /** Items whose only record lies under a name that is not its own, and that name. */
  const misplaced = new Map<string, string>()

  const pathOf = (slug: string) => join(folder, RecordFile.nameOf(slug))

  const readFile = Effect.fnUntraced(function* (slug: string) {
    const path = pathOf(slug)
    return yield* files.readFileString(path).pipe(
      Effect.map((text) => ({ size: text.length, result: RecordFile.read(slug, text) })),
      Effect.catch((failure) =>
        failure.reason._tag === "NotFound"
          ? Effect.succeed(undefined)
          : Effect.succeed({
              size: 0,
              result: Result.fail<RecordFile.Unreadable>({
                why: `its file cannot be read (${codeOf(failure) || failure.reason._tag})`
              })
            })
      )
    )
  })

  const freeze = (slug: string, reason: RecordFile.Unreadable): Found => {
    const entry = frozenEntry(slug, reason)
    index.put(entry, undefined)
    const why = `${reason.why}. heed touches neither the item nor ${pathOf(slug)} until you mend that file or move it out of the folder`
    return { _tag: "Frozen", entry, why }
  }

  const list = files.readDirectory(folder).pipe(
    Effect.catchIf(
      (failure) => failure.reason._tag === "NotFound",
      () => Effect.succeed<Array<string>>([])
    ),
    Effect.map((names) => names.flatMap((name) => RecordFile.slugOf(name) ?? [])),
    Effect.mapError(diskError("list", folder))
  )

  /** Looks for an item's file anew, after the one that was known is gone: it may only have got its right name. */
  const search = Effect.fnUntraced(function* (hash: string) {
    // A folder that cannot be listed now has nothing new for anybody.
    const found = yield* list.pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
    slugs.delete(hash)
    for (const slug of found) if (RecordFile.hashOf(slug) === hash) add(slug)
  })

  const readAll = (hash: string) =>
    Effect.forEach(slugs.get(hash) ?? [], (slug) =>
      Effect.map(readFile(slug), (file) => (file === undefined ? [] : [{ slug, ...file }]))
    ).pipe(Effect.map((found) => found.flat()))

  const examine = Effect.fnUntraced(function* (hash: string) {
    let present = yield* readAll(hash)
    if (present.length === 0 && slugs.has(hash)) {
      yield* search(hash)
      present = yield* readAll(hash)
    }
    const [first, second] = present
    if (first === undefined) {
      const [listed] = slugs.get(hash) ?? []
      if (listed !== undefined) return freeze(listed, { why: "its file is a link to nothing" })
      index.drop(hash)
      return { _tag: "None" } satisfies Found
    }
    slugs.set(
      hash,
      present.map(({ slug }) => slug)
    )
    if (second !== undefined) {
      const known = Result.isSuccess(first.result) ? first.result.success.record : undefined
      return freeze(first.slug, {
        why: `two files claim to be its record, ${pathOf(first.slug)} and ${pathOf(second.slug)}`,
        ...(known === undefined ? {} : { identity: known.identity, ref: known.ref })
      })
    }
    const { slug, size, result } = first
    if (Result.isFailure(result)) {
      const { identity } = result.failure
      if (identity !== undefined && identityHash(identity) !== hash)
        misplaced.set(identityHash(identity), slug)
      return freeze(slug, result.failure)
    }
    const read = result.success
    index.put(Index.entryOf(slug, read.record), read.record)
    return { _tag: "Record", slug, read, size } satisfies Found
  })

  const add = (slug: string) => {
    const hash = RecordFile.hashOf(slug)
    slugs.set(hash, [...new Set([...(slugs.get(hash) ?? []), slug])])
  }

  /** An item without a file of its own, whose record was seen under another's name: it is not new, it is frozen. */
  const stray = Effect.fnUntraced(function* (identity: Identity) {
    const hash = identityHash(identity)
    const slug = misplaced.get(hash)
    if (slug === undefined) return { _tag: "None" } satisfies Found
    misplaced.delete(hash)
    yield* examine(RecordFile.hashOf(slug))
    if (!misplaced.has(hash)) {
      yield* search(hash)
      return yield* examine(hash)
    }
    const why = `its record lies under another item's name, ${pathOf(slug)}. Give the file its name back, or remove it`
    return { _tag: "Frozen", entry: frozenEntry(slug, { why, identity }), why } satisfies Found
  })

  const read = Effect.fnUntraced(function* (identity: Identity) {
    const found = yield* examine(identityHash(identity))
    return found._tag === "None" ? yield* stray(identity) : found
  })

  const entry = Effect.fnUntraced(function* (identity: Identity) {
    const known = index.get(identityHash(identity))
    if (known !== undefined && known.frozen === undefined) return known
    const found = yield* read(identity).pipe(turn(identity))
    return found._tag === "Frozen" ? { ...found.entry, identity } : index.get(identityHash(identity))
  })

  const entries = Effect.suspend(() =>
    Effect.forEach(
      index.entries().filter(({ frozen }) => frozen !== undefined),
      ({ slug }) => examine(RecordFile.hashOf(slug)).pipe(turns.take(RecordFile.hashOf(slug))),
      { discard: true }
    )
  ).pipe(Effect.map(() => index.entries()))

  const appeared = Effect.fnUntraced(function* (slug: string) {
    const there = yield* readFile(slug)
    if (there === undefined) return false
    add(slug)
    return true
  })

  for (const slug of yield* list) add(slug)
  yield* Effect.forEach([...slugs.keys()], examine, { concurrency: readers, discard: true })
  return { index, path: folder, pathOf, turn, read, entry, entries, add, appeared }
})
