/**
 * Ledger: the durable record of each work item, one file per item under `<root>/items`. `modify` is the only way to
 * change one.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ItemRecord } from "../domain/Record.ts"
import type { Identity, Ref } from "../domain/Ref.ts"

/** Why a record could not be read or written. Nothing was changed. */
export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", {
  /**
   * Frozen: the record is corrupt, empty, foreign or newer (G3.5); only an operator resolves it.
   * Unwritable: disk full, read-only or failing (G3.6); it resumes by itself.
   */
  reason: Schema.Literals(["Frozen", "Unwritable"]),
  message: Schema.String
}) {}

/** What is known of a record without reading it: small enough to be held for every item. */
export interface Entry {
  readonly identity: Identity
  readonly ref: Ref
  readonly slug: string
  readonly source: string
  readonly scope: string
  /** Whether the last complete listing held it. */
  readonly listed: boolean
  /** A session that is not ended, or waiting words, or a claim: somebody has to look after it. */
  readonly busy: boolean
  readonly look: boolean
  /** Why the item is frozen; absent when it is not. */
  readonly frozen?: string
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /** The record of an item; undefined when heed never saw it. */
    readonly get: (identity: Identity) => Effect.Effect<ItemRecord | undefined, LedgerError>
    /**
     * Changes an item's record. `f` is pure: it gets the record as it is now and answers with a value and the record to
     * be (undefined removes it). Calls for one item run one after the other; when this returns the new record is
     * durable (temporary file, all bytes, sync, rename, folder sync); a record that did not change is not written.
     */
    readonly modify: <A>(
      identity: Identity,
      f: (record: ItemRecord | undefined) => readonly [A, ItemRecord | undefined]
    ) => Effect.Effect<A, LedgerError>
    /** Every known item, frozen ones included. */
    readonly entries: Effect.Effect<ReadonlyArray<Entry>>
    readonly entry: (identity: Identity) => Effect.Effect<Entry | undefined>
    /** The item that bears this ref now or bore it before. */
    readonly find: (ref: Ref) => Effect.Effect<Entry | undefined>
  }
>()("heed/state/Ledger") {}
