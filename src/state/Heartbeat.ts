/**
 * Heartbeat: the state of the running daemon in one small file, rewritten after each cycle: what `status` shows when
 * the daemon does not answer, and the only thing that an idle cycle writes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { Instant } from "../domain/Item.ts"
import { Waiting } from "../net/Breaker.ts"
import * as ExactJson from "./ExactJson.ts"

/** The health of one scope of one source. */
export const Health = Schema.Struct({
  source: Schema.String,
  scope: Schema.String,
  /** ok, or the reason of its last failure. */
  state: Schema.String,
  message: Schema.optionalKey(Schema.String),
  /** When it last answered. */
  okAt: Schema.optionalKey(Instant),
  /** Failures in a row. */
  failures: Schema.Int,
  /** When it is asked again after a failure. */
  nextAt: Schema.optionalKey(Instant),
  items: Schema.Int
})
export type Health = typeof Health.Type

/** What a source may still ask before its host says no, as the last answer told it. */
export const Budget = Schema.Struct({
  source: Schema.String,
  remaining: Schema.Int,
  limit: Schema.Int,
  resetAt: Instant
})
export type Budget = typeof Budget.Type

export const Beat = Schema.Struct({
  version: Schema.Literal(1),
  pid: Schema.Int,
  heed: Schema.String,
  at: Instant,
  startedAt: Instant,
  cycles: Schema.Int,
  idleCycles: Schema.Int,
  lastCycle: Schema.optionalKey(
    Schema.Struct({
      at: Instant,
      ms: Schema.Finite,
      items: Schema.Int,
      changed: Schema.Int,
      requests: Schema.Int,
      notModified: Schema.Int,
      errors: Schema.Int,
      interrupted: Schema.Boolean
    })
  ),
  sweptAt: Schema.optionalKey(Instant),
  sources: Schema.Array(Health),
  /** Only of hosts that tell. */
  budgets: Schema.optionalKey(Schema.Array(Budget)),
  /** What hosts are not asked before: a later heed keeps to it. */
  waits: Schema.optionalKey(Schema.Array(Waiting)),
  /** What people should know at a glance: a rejected configuration, a held first run, a paused agent. */
  warnings: Schema.Array(Schema.String)
})
export type Beat = typeof Beat.Type

export class Heartbeat extends Context.Service<
  Heartbeat,
  {
    readonly write: (beat: Beat) => Effect.Effect<void>
    /** The last beat; undefined when there is none or it cannot be read. */
    readonly read: Effect.Effect<Beat | undefined>
  }
>()("heed/state/Heartbeat") {
  /** Building the layer touches nothing; only who holds the root writes. A beat that cannot be written is logged once. */
  static readonly layer = (options: {
    readonly root: string
  }): Layer.Layer<Heartbeat, never, FileSystem.FileSystem> => Layer.effect(Heartbeat, live(options.root))

  static readonly layerMemory: Layer.Layer<Heartbeat> = Layer.sync(Heartbeat, () => {
    let last: Beat | undefined
    return Heartbeat.of({
      write: (beat) =>
        Effect.sync(() => {
          last = beat
        }),
      read: Effect.sync(() => last)
    })
  })
}

const isBeat = Schema.is(Beat)

const live = Effect.fnUntraced(function* (root: string) {
  const files = yield* FileSystem.FileSystem
  const path = join(root, "heartbeat.json")
  let failing = false
  return Heartbeat.of({
    write: Effect.fn("Heartbeat.write")(
      function* (beat: Beat) {
        yield* AtomicFile.write(path, ExactJson.render(beat), "heartbeat")
        failing = false
      },
      Effect.catchTag("DiskError", ({ message }) =>
        Effect.suspend(() => {
          if (failing) return Effect.void
          failing = true
          return Effect.logError(message)
        })
      ),
      Effect.provideService(FileSystem.FileSystem, files)
    ),
    read: files.readFileString(path).pipe(
      Effect.map((text) => {
        const beat = ExactJson.parse(text)
        return isBeat(beat) ? beat : undefined
      }),
      // A beat that cannot be read is none: whoever looks says that heed is not known to run.
      Effect.orElseSucceed(() => undefined),
      Effect.withSpan("Heartbeat.read")
    )
  })
})
