/**
 * ExclusiveClaim: of any number of processes that claim the same folder, exactly one wins, and whoever loses reads the
 * winner's complete record. A link to a synced file is the claim, so that no crash leaves one that says nothing.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { syncFolder, writeNew } from "./AtomicFile.ts"
import { diskError } from "./DiskError.ts"
import { killPoint } from "./KillPoint.ts"

/** The claim's name in its folder. */
export const claimName = "claim"

export type Claimed = { readonly _tag: "Won" } | { readonly _tag: "Lost"; readonly content: string }

/** Claims `folder` with `content`, durably. Lost answers with the winner's content, also when it is one's own former. */
export const claim = Effect.fn("ExclusiveClaim.claim")(function* (folder: string, content: string) {
  const files = yield* FileSystem.FileSystem
  const target = join(folder, claimName)
  const record = join(folder, `.claim.${process.pid}.${randomBytes(6).toString("hex")}`)
  yield* writeNew(record, content, "claim")
  const won = yield* files.link(record, target).pipe(
    Effect.as(true),
    Effect.tap(killPoint("claim.linked")),
    Effect.catchIf(
      (failure) => failure.reason._tag === "AlreadyExists",
      () => Effect.succeed(false)
    ),
    Effect.mapError(diskError("claim", target)),
    // A record that stays beside the claim is litter that nobody reads.
    Effect.ensuring(Effect.ignore(files.remove(record, { force: true })))
  )
  if (won) {
    yield* syncFolder(folder)
    yield* killPoint("claim.durable")
    return { _tag: "Won" } satisfies Claimed
  }
  return {
    _tag: "Lost",
    content: yield* files.readFileString(target).pipe(Effect.mapError(diskError("read", target)))
  } satisfies Claimed
}, Effect.uninterruptible)

/** Who holds the claim on a folder: its content, or undefined while nobody does. */
export const claimant = Effect.fn("ExclusiveClaim.claimant")(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const target = join(folder, claimName)
  return yield* files.readFileString(target).pipe(
    Effect.catchIf(
      (failure) => failure.reason._tag === "NotFound",
      () => Effect.succeed(undefined)
    ),
    Effect.mapError(diskError("read", target))
  )
})
