/**
 * Validators: for each listing, the ETags of its pages and the rows they vouch for, in `<root>/validators.json`.
 * An entry is stored only after everything it vouches for is durable (traps P.35); losing the file costs requests
 * and nothing else.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { Instant } from "../domain/Item.ts"
import * as ExactJson from "./ExactJson.ts"

export const Vouched = Schema.Struct({
  pages: Schema.Array(Schema.Struct({ url: Schema.String, etag: Schema.String })),
  /** Fingerprint by identity of each row that was dealt with. */
  rows: Schema.Record(Schema.String, Schema.String),
  /** Its sweep was due and could not be made: until one was, it is listed unconditionally. */
  owesSweep: Schema.optionalKey(Schema.Literal(true)),
  /** The listing has just dropped from these rows to none, and is believed only if it says so again. */
  doubted: Schema.optionalKey(Schema.Literal(true))
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
>()("heed/state/Validators") {
  /** Reads the file when first asked. Only who holds the root flushes. */
  static readonly layer = (options: {
    readonly root: string
  }): Layer.Layer<Validators, never, FileSystem.FileSystem> => Layer.effect(Validators, live(options.root))

  static readonly layerMemory: Layer.Layer<Validators> = Layer.sync(Validators, () => {
    const held: Held = { listings: new Map(), sweptAt: undefined, dirty: false }
    return Validators.of({ ...access(Effect.succeed(held)), flush: Effect.void })
  })
}

const ValidatorsFile = Schema.Struct({
  version: Schema.Literal(1),
  sweptAt: Schema.optionalKey(Instant),
  listings: Schema.Record(Schema.String, Vouched)
})
const isFile = Schema.is(ValidatorsFile)

interface Held {
  readonly listings: Map<string, Vouched>
  sweptAt: Instant | undefined
  dirty: boolean
}

const access = (opened: Effect.Effect<Held>): Omit<Validators["Service"], "flush"> => ({
  get: (listing) => Effect.map(opened, ({ listings }) => listings.get(listing) ?? { pages: [], rows: {} }),
  set: (listing, vouched) =>
    Effect.map(opened, (held) => {
      if (ExactJson.isSame(held.listings.get(listing), vouched)) return
      held.listings.set(listing, vouched)
      held.dirty = true
    }),
  sweptAt: Effect.map(opened, ({ sweptAt }) => sweptAt),
  swept: (at) =>
    Effect.map(opened, (held) => {
      held.dirty ||= held.sweptAt !== at
      held.sweptAt = at
    })
})

const live = Effect.fnUntraced(function* (root: string) {
  const files = yield* FileSystem.FileSystem
  const path = join(root, "validators.json")

  const opened = yield* files.readFileString(path).pipe(
    Effect.map((text) => ExactJson.parse(text)),
    // Without them the next listing is unconditional, and nothing else.
    Effect.orElseSucceed(() => undefined),
    Effect.map((file): Held => {
      const read = isFile(file) ? file : undefined
      return { listings: new Map(Object.entries(read?.listings ?? {})), sweptAt: read?.sweptAt, dirty: false }
    }),
    Effect.cached
  )

  const flush = Effect.gen(function* () {
    const held = yield* opened
    if (!held.dirty) return
    // What is set while the file is written is the next flush's.
    held.dirty = false
    yield* AtomicFile.write(
      path,
      ExactJson.render({
        version: 1,
        ...(held.sweptAt === undefined ? {} : { sweptAt: held.sweptAt }),
        listings: Object.fromEntries(held.listings)
      } satisfies typeof ValidatorsFile.Type),
      "validators"
    ).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          held.dirty = true
        })
      )
    )
  }).pipe(
    Effect.catchTag("DiskError", ({ message }) => Effect.logWarning(message)),
    Effect.provideService(FileSystem.FileSystem, files),
    Effect.withSpan("Validators.flush")
  )

  return Validators.of({ ...access(opened), flush })
})
