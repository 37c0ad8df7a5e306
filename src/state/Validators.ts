/**
 * Validators: for each listing, the ETags of its pages and the rows they vouch for, in `<root>/validators.json`.
 * An entry is stored only after everything it vouches for is durable (traps.md P.35); losing the file costs requests
 * and nothing else.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Instant } from "../domain/Item.ts"

export const Vouched = Schema.Struct({
  pages: Schema.Array(Schema.Struct({ url: Schema.String, etag: Schema.String })),
  /** Fingerprint by identity of each row that was dealt with. */
  rows: Schema.Record(Schema.String, Schema.String)
})
export type Vouched = typeof Vouched.Type

export class Validators extends Context.Service<
  Validators,
  {
    /** Empty for a listing that was never vouched for. `listing` is `<source>/<scope>`. */
    readonly get: (listing: string) => Effect.Effect<Vouched>
    /** Replaces an entry; the file is written by `flush`. */
    readonly set: (listing: string, vouched: Vouched) => Effect.Effect<void>
    /** When the last sweep ended, for all listings. */
    readonly sweptAt: Effect.Effect<Instant | undefined>
    readonly swept: (at: Instant) => Effect.Effect<void>
    /** Writes what changed since the last flush; nothing when nothing did. A failure is logged and costs requests. */
    readonly flush: Effect.Effect<void>
  }
>()("heed/state/Validators") {}
