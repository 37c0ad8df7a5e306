/** State roots for tests of the lock. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { RunLock } from "../../src/disk/RunLock.ts"

/** A test with the lock of a root of its own, which does not exist yet; its folder does. */
export const withRoot = <A, E>(
  name: string,
  body: (root: string, lock: RunLock["Service"]) => Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = join(yield* files.makeTempDirectoryScoped(), "root")
      return yield* RunLock.use((lock) => body(root, lock)).pipe(Effect.provide(RunLock.layer({ root })))
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

/** What came of a start: `acquired`, or the reason why not. */
export const outcome = (lock: RunLock["Service"]) =>
  Effect.scoped(lock.acquire("daemon")).pipe(
    Effect.as("acquired"),
    Effect.catch((failure) => Effect.succeed(failure.reason))
  )
