/** Ledgers on real folders, opened as often as a test restarts. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { slug } from "../../src/domain/Ref.ts"
import { Ledger } from "../../src/state/Ledger.ts"
import { Root } from "../../src/state/Root.ts"
import { record } from "./records.ts"

/** A test with a folder of its own. */
export const inFolder = <A, E>(
  name: string,
  body: (root: string) => Effect.Effect<A, E, FileSystem.FileSystem>
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      return yield* body(yield* files.makeTempDirectoryScoped())
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

/** Opens the ledger of `root` anew, as a start does, and uses it. */
export const within = <A, E>(
  root: string,
  body: (ledger: Ledger["Service"]) => Effect.Effect<A, E>,
  files: Layer.Layer<FileSystem.FileSystem> = NodeFileSystem.layer
) =>
  Ledger.use(body).pipe(
    Effect.provide(
      Ledger.layer.pipe(Layer.provide(Root.layer({ path: root })), Layer.fresh, Layer.provide(files))
    )
  )

/** Where the record of the item with this number lies. */
export const fileOf = (root: string, number: number) => {
  const { ref, identity } = record(number)
  return join(root, "items", `${slug(ref, identity)}.json`)
}
