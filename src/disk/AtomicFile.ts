/**
 * AtomicFile: replaces a file's content so that a reader, or whoever comes after a crash, sees the old content or the
 * new one, whole, and never a mixture (traps B82, B83).
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { randomBytes } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { DiskError, diskError } from "./DiskError.ts"
import { killPoint, type Written } from "./KillPoint.ts"

const encoder = new TextEncoder()

/** A name beside `path` that no reader takes for a record: `.name.<pid>.<random>.tmp`. */
const temporaryName = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`)

/** Whether a bare file name is that of a temporary file, left behind by a crash when its writer is gone. */
export const isTemporary = (name: string): boolean => /^\..+\.\d+\.[0-9a-f]{12}\.tmp$/u.test(name)

/** Makes a folder's entries durable: what was renamed, linked or removed in it before this call. */
export const syncFolder = Effect.fn("AtomicFile.syncFolder")(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.scoped(Effect.flatMap(files.open(folder, { flag: "r" }), (handle) => handle.sync)).pipe(
    Effect.mapError(diskError("sync", folder))
  )
})

/** Writes a new file, mode 0600, all bytes of it, synced. Fails when it exists; leaves none behind on failure. */
export const writeNew = Effect.fn("AtomicFile.writeNew")(function* (
  path: string,
  content: string | Uint8Array,
  what: Written | "claim" = "file"
) {
  const files = yield* FileSystem.FileSystem
  const bytes = typeof content === "string" ? encoder.encode(content) : content
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* files.open(path, { flag: "wx", mode: 0o600, noFollow: true })
      yield* killPoint(`${what}.begun`)
      yield* Effect.gen(function* () {
        yield* file.writeAll(bytes)
        yield* killPoint(`${what}.written`)
        const { size } = yield* file.stat
        if (BigInt(size) !== BigInt(bytes.length)) {
          return yield* new DiskError({
            reason: "Incomplete",
            path,
            message: `cannot write ${path}: ${size} of ${bytes.length} bytes arrived`
          })
        }
        yield* file.sync
        yield* killPoint(`${what}.synced`)
      }).pipe(
        // The write's own failure is the one to report; a temporary file that stays is removed at the next start.
        Effect.onError(() => Effect.ignore(files.remove(path, { force: true })))
      )
    })
  ).pipe(
    Effect.catchTag("PlatformError", (failure) => Effect.fail(diskError("write", path)(failure))),
    Effect.uninterruptible
  )
})

/**
 * Replaces (or makes) a file, mode 0600: temporary file in the same folder, all bytes, size check, sync, rename, folder
 * sync. Uninterruptible. On failure the old content is in place and no temporary file stays; with one exception: when
 * the last step, the folder's sync, fails, the new content is in place and may not survive a power cut.
 */
export const write = Effect.fn("AtomicFile.write")(function* (
  path: string,
  content: string | Uint8Array,
  what: Written = "file"
) {
  const files = yield* FileSystem.FileSystem
  const temporary = temporaryName(path)
  yield* writeNew(temporary, content, what).pipe(
    Effect.mapError(({ reason, message }) => new DiskError({ reason, path, message }))
  )
  yield* files.rename(temporary, path).pipe(
    Effect.mapError(diskError("replace", path)),
    // As above: the rename's failure is reported, the litter is swept later.
    Effect.onError(() => Effect.ignore(files.remove(temporary, { force: true })))
  )
  yield* killPoint(`${what}.renamed`)
  yield* syncFolder(dirname(path))
  yield* killPoint(`${what}.durable`)
}, Effect.uninterruptible)

/** Removes a file durably; a missing one is fine. */
export const remove = Effect.fn("AtomicFile.remove")(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.remove(path, { force: true }).pipe(Effect.mapError(diskError("remove", path)))
  yield* syncFolder(dirname(path))
}, Effect.uninterruptible)

/** Removes what crashed writers left in a folder. Only for who alone writes there: under the lock. */
export const removeTemporaries = Effect.fn("AtomicFile.removeTemporaries")(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const names = yield* files.readDirectory(folder).pipe(Effect.mapError(diskError("list", folder)))
  yield* Effect.forEach(names.filter(isTemporary), (name) =>
    files
      .remove(join(folder, name), { force: true })
      .pipe(Effect.mapError(diskError("remove", join(folder, name))))
  )
})
