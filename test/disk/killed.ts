/** Replaces a file three times, and says each time that it stands. Killed by `HEED_KNIFE`, or run to its end. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import * as AtomicFile from "../../src/disk/AtomicFile.ts"

const [path = ""] = process.argv.slice(2)

await Effect.runPromise(
  Effect.forEach([1, 2, 3], (count) =>
    Effect.andThen(
      AtomicFile.write(path, String(count), "record"),
      Effect.sync(() => writeSync(1, String(count)))
    )
  ).pipe(Effect.provide(NodeFileSystem.layer))
)
