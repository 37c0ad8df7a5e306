/**
 * The `stdout` sink: one NormalizedEvent per line, for scripts. A line that went into a pipe leaves nothing behind: a
 * hand-over that a crash cut short may or may not have been printed: its evidence is lost.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type { DiskError } from "../../disk/DiskError.ts"
import * as ProcessIdentity from "../../disk/ProcessIdentity.ts"
import { NormalizedEvent } from "../../domain/Event.ts"
import type { HandOverTry } from "../../domain/HandOver.ts"
import { instant } from "../../domain/Item.ts"
import * as RunFolder from "../RunFolder.ts"
import { type Evidence, type Liveness, type Result, type Sink, SinkError } from "../Sink.ts"

/** Where the sink keeps its evidence. */
export interface StdoutSinkOptions {
  /** Absolute: `<root>/runs`. */
  readonly runs: string
}

const capacity = 8_000_000

const encode = Schema.encodeSync(NormalizedEvent)

/** One line of JSON. JSON itself escapes no C1 control, and some terminals obey those (G5.2). */
const lineOf = (event: NormalizedEvent): string =>
  JSON.stringify(encode(event)).replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are the characters meant
    /[\u007f-\u009f]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`
  ) + "\n"

const notReady = (message: string) => new SinkError({ reason: "NotReady", message })

/** A sink that prints. In its folder the claim stands before the first line goes out, the exit after the last. */
export const make = Effect.fn("StdoutSink.make")(function* (options: StdoutSinkOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const stdio = yield* Stdio.Stdio
  const folder = yield* RunFolder.make(options.runs).pipe(
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.provideService(Path.Path, path)
  )
  const turns = yield* Semaphore.make(1)

  const evidence = Effect.fn("StdoutSink.evidence")(function* (
    which: HandOverTry
  ): Effect.fn.Return<Evidence> {
    const claim = yield* folder.claimState(which)
    if (claim._tag === "Free" || claim._tag === "Void") return { _tag: "None" }
    if (claim._tag === "Unreadable") return { _tag: "Unknown", why: claim.why }
    const exit = yield* folder.exit(which).pipe(Effect.orElseSucceed(() => undefined))
    return exit === undefined
      ? { _tag: "Lost", why: "it was cut short while it was printed: whoever reads may have it already" }
      : { _tag: "HandedOver" }
  })

  /** Takes the try for this process; an earlier process that died while it printed gives it up. */
  const claim = Effect.fnUntraced(function* (which: HandOverTry) {
    const state = yield* folder.claimState(which)
    switch (state._tag) {
      case "Void":
        return yield* new SinkError({ reason: "Withdrawn", message: `hand-over ${which.id} was withdrawn` })
      case "Unreadable":
        return yield* notReady(state.why)
      case "Taken":
        if (state.by.pid !== process.pid && (yield* ProcessIdentity.isAlive(state.by))) {
          return yield* notReady(`another heed (pid ${state.by.pid}) prints it`)
        }
        return
      case "Free": {
        const me = yield* ProcessIdentity.identify(process.pid)
        if (me === undefined) return yield* notReady("this system does not tell who this process is")
        const won = yield* folder.take(which, me).pipe(Effect.mapError(RunFolder.diskUnwritable))
        if (!won) return yield* notReady("another heed was first")
      }
    }
  })

  const print = Effect.fnUntraced(function* (which: HandOverTry) {
    if ((yield* evidence(which))._tag === "HandedOver") return
    const handOver = yield* folder.read(which).pipe(Effect.mapError(RunFolder.diskUnwritable))
    if (handOver === undefined) {
      return yield* notReady(`nothing was prepared in ${folder.folderOf(which)}`)
    }
    yield* claim(which)
    const lines = handOver.events.map(lineOf)
    yield* Stream.run(Stream.fromIterable(lines), stdio.stdout({ endOnDone: false })).pipe(
      Effect.mapError((error) => notReady(`standard output takes nothing: ${error.message}`))
    )
    yield* folder.leave(which, { code: 0, took: 0 }).pipe(Effect.mapError(RunFolder.diskUnwritable))
  })

  return {
    name: "stdout",
    capacity,
    ready: () => Effect.void,
    prepare: Effect.fn("StdoutSink.prepare")((handOver) =>
      folder.write(handOver).pipe(Effect.mapError(RunFolder.diskUnwritable))
    ),
    send: Effect.fn("StdoutSink.send")((which) =>
      Semaphore.withPermit(turns, print(which)).pipe(
        Effect.timeoutOrElse({
          duration: "5 seconds",
          orElse: () => Effect.fail(notReady("standard output took nothing for 5 seconds"))
        })
      )
    ),
    evidence,
    withdraw: Effect.fn("StdoutSink.withdraw")(function* (which) {
      const now = yield* Clock.currentTimeMillis
      return yield* folder.makeVoid(which, instant(now)).pipe(
        Effect.flatMap((won) => (won ? Effect.succeed<Evidence>({ _tag: "None" }) : evidence(which))),
        Effect.catch((error: DiskError) =>
          Effect.succeed<Evidence>({ _tag: "Unknown", why: `cannot withdraw: ${error.message}` })
        )
      )
    }),
    result: Effect.fn("StdoutSink.result")((which) =>
      evidence(which).pipe(
        Effect.repeat({
          until: (found) => found._tag === "HandedOver",
          schedule: Schedule.spaced("1 second")
        }),
        Effect.as<Result>({ _tag: "Done" })
      )
    ),
    probe: () => Effect.succeed<Liveness>({ _tag: "Absent" }),
    end: () => Effect.void
  } satisfies Sink
})
