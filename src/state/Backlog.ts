/**
 * Backlog: which listings have had their first run, in `<root>/listings.json`. The items that a new root finds are
 * counted before any is started, and more than `polling.firstRun.max` wait for a person's word.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { Instant } from "../domain/Item.ts"

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
    readonly set: (listing: string, standing: Standing) => Effect.Effect<void>
    readonly all: Effect.Effect<{ readonly [listing: string]: Standing }>
  }
>()("heed/state/Backlog") {
  static readonly layerMemory: Layer.Layer<Backlog> = Layer.sync(Backlog, () => {
    let listings: { readonly [listing: string]: Standing } = {}
    return Backlog.of({
      get: (listing) => Effect.sync(() => listings[listing]),
      set: (listing, standing) =>
        Effect.sync(() => {
          listings = { ...listings, [listing]: standing }
        }),
      all: Effect.sync(() => listings)
    })
  })
}
void FileSystem
void Path
void File
