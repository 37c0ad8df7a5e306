/**
 * Backlog: which listings have had their first run, in `<root>/listings.json`. The items that a new root finds are
 * counted before any is started, and more than `polling.firstRun.max` wait for a person's word.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { Instant } from "../domain/Item.ts"
import { LedgerError } from "./Ledger.ts"
import { Root } from "./Root.ts"

/** settled: starts go as they come. held: `count` starts wait for `--accept-backlog`. */
export const Standing = Schema.Struct({
  state: Schema.Literals(["settled", "held"]),
  at: Instant,
  count: Schema.Int
})
export type Standing = typeof Standing.Type

const File = Schema.Struct({ version: Schema.Literal(1), listings: Schema.Record(Schema.String, Standing) })

export class Backlog extends Context.Service<
  Backlog,
  {
    /** Undefined for a listing that never had a complete first run. `listing` is `<source>/<scope>`. */
    readonly get: (listing: string) => Effect.Effect<Standing | undefined>
    readonly set: (listing: string, standing: Standing) => Effect.Effect<void, LedgerError>
    readonly all: Effect.Effect<{ readonly [listing: string]: Standing }>
  }
>()("heed/state/Backlog") {
  static readonly layer: Layer.Layer<Backlog, never, Root | FileSystem.FileSystem> = Layer.effect(
    Backlog,
    Effect.gen(function* () {
      const { path } = yield* Root
      const files = yield* FileSystem.FileSystem
      const file = join(path, "listings.json")
      // A file that is missing or cannot be read means first runs: they count before they start anything.
      const stored = yield* files.readFileString(file).pipe(
        Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(File))),
        Effect.map(({ listings }) => listings),
        Effect.catch(() => Effect.succeed({}))
      )
      return Backlog.of(
        make(stored, (listings) =>
          AtomicFile.write(file, `${JSON.stringify({ version: 1, listings }, undefined, 2)}\n`).pipe(
            Effect.provideService(FileSystem.FileSystem, files),
            Effect.mapError(({ message }) => new LedgerError({ reason: "Unwritable", message }))
          )
        )
      )
    })
  )

  static readonly layerMemory: Layer.Layer<Backlog> = Layer.sync(Backlog, () =>
    Backlog.of(make({}, () => Effect.void))
  )
}

type Listings = { readonly [listing: string]: Standing }

const make = (
  stored: Listings,
  save: (listings: Listings) => Effect.Effect<void, LedgerError>
): Backlog["Service"] => {
  let listings = stored
  return {
    get: (listing) => Effect.sync(() => listings[listing]),
    set: (listing, standing) => {
      const next = { ...listings, [listing]: standing }
      return Effect.andThen(
        save(next),
        Effect.sync(() => {
          listings = next
        })
      )
    },
    all: Effect.sync(() => listings)
  }
}
