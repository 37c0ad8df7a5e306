/**
 * The sinks that this heed has, and what a configuration has to know of each. A new one is a folder and a line here.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as ProcessSink from "./process/ProcessSink.ts"
import { pruneRuns } from "./process/Prune.ts"
import { Sinks } from "./Sink.ts"
import * as StdoutSink from "./stdout/StdoutSink.ts"
import { tmuxFields } from "./tmux/Settings.ts"
import * as TmuxSink from "./tmux/TmuxSink.ts"

/** For the configuration: the sinks by name, and the keys of an agent that only one of them has. */
export const sinkKinds = [
  { name: "process", fields: {} },
  { name: "tmux", fields: tmuxFields },
  { name: "stdout", fields: {}, commandless: true }
] as const

/** All sinks over one root's `runs` folder. */
export const layer = (options: ProcessSink.ProcessSinkOptions & TmuxSink.TmuxSinkOptions) =>
  Layer.effect(
    Sinks,
    Effect.gen(function* () {
      const world = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const all = [
        yield* ProcessSink.make(options),
        yield* TmuxSink.make(options),
        yield* StdoutSink.make(options)
      ]
      return Sinks.of({
        get: (name) => all.find((sink) => sink.name === name),
        tidy: (tidying) =>
          pruneRuns({ runs: options.runs, ...tidying }).pipe(
            Effect.asVoid,
            // What could not be removed is tried again at the next sweep.
            Effect.catch(({ message }) => Effect.logWarning(`old runs could not be removed: ${message}`)),
            Effect.provideContext(world)
          )
      })
    })
  )
