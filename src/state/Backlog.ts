/**
 * Backlog: which listings have had their first run, in `<root>/listings.json`. The items that a new root finds are
 * counted before any is started, and more than `polling.firstRun.max` wait for a person's word.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { Instant } from "../domain/Item.ts"
import { Identity } from "../domain/Ref.ts"
import { LedgerError } from "./Ledger.ts"
import { Root } from "./Root.ts"

/** settled: starts go as they come. held: `count` starts wait for `--accept-backlog`. */
export const Standing = Schema.Struct({
  state: Schema.Literals(["settled", "held"]),
  at: Instant,
  count: Schema.Int,
  /**
   * Members of the backlog that could not be looked at when it was counted. Once they can, they are held like the others
   * or, where the listing is settled, part of the baseline.
   */
  unseen: Schema.optionalKey(Schema.Array(Identity))
})
export type Standing = typeof Standing.Type

const File = Schema.Struct({ version: Schema.Literal(1), listings: Schema.Record(Schema.String, Standing) })

export class Backlog extends Context.Service<
  Backlog,
  {
    /** Undefined for a listing that never had a complete first run. `listing` is `<source>/<scope>`. */
    readonly get: (listing: string) => Effect.Effect<Standing | undefined>
    /** Durable when it returns; what others set at the same time stays. */
    readonly set: (listing: string, standing: Standing) => Effect.Effect<void, LedgerError>
    readonly all: Effect.Effect<{ readonly [listing: string]: Standing }>
  }
>()("heed/state/Backlog") {
  static readonly layer: Layer.Layer<Backlog, never, Root | FileSystem.FileSystem> = Layer.effect(
    Backlog,
    Effect.gen(function* () {
      const { path } = yield* Root
      const files = yield* FileSystem.FileSystem
      return Backlog.of(
        make(yield* stored(files, path), (listings) =>
          AtomicFile.write(fileIn(path), `${JSON.stringify({ version: 1, listings }, undefined, 2)}\n`).pipe(
            Effect.provideService(FileSystem.FileSystem, files),
            Effect.mapError(({ message }) => new LedgerError({ reason: "Unwritable", message }))
          )
        )
      )
    })
  )

  /** For commands that only look: beside a daemon, without the lock. `set` fails. */
  static readonly layerReadOnly = (options: {
    readonly root: string
  }): Layer.Layer<Backlog, never, FileSystem.FileSystem> =>
    Layer.effect(
      Backlog,
      Effect.gen(function* () {
        const listings = yield* stored(yield* FileSystem.FileSystem, options.root)
        return Backlog.of(
          make(listings, () =>
            Effect.fail(
              new LedgerError({
                reason: "Unwritable",
                message: "this command only looks: it does not hold the root's lock"
              })
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

const fileIn = (root: string) => join(root, "listings.json")

/** A file that is missing or cannot be read means first runs: they count before they start anything. */
const stored = (files: FileSystem.FileSystem, root: string): Effect.Effect<Listings> =>
  files.readFileString(fileIn(root)).pipe(
    Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(File))),
    Effect.map(({ listings }) => listings),
    Effect.catch(() => Effect.succeed({}))
  )

const make = (
  found: Listings,
  save: (listings: Listings) => Effect.Effect<void, LedgerError>
): Backlog["Service"] => {
  let listings = found
  // Several listings have their first run at once, and each writes all of them.
  const turn = Semaphore.makeUnsafe(1)
  return {
    get: (listing) => Effect.sync(() => listings[listing]),
    set: Effect.fn("Backlog.set")((listing: string, standing: Standing) =>
      Effect.suspend(() => {
        const next = { ...listings, [listing]: standing }
        return Effect.andThen(
          save(next),
          Effect.sync(() => {
            listings = next
          })
        )
      }).pipe(Semaphore.withPermit(turn))
    ),
    all: Effect.sync(() => listings)
  }
}
