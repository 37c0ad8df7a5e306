/**
 * Agents: how the agents fare that failed since their last success, in `<root>/agents.json`. It is written when one
 * fails, and when one succeeds again: a heed whose agents are well never writes it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { AgentHealth } from "../domain/AgentHealth.ts"
import { Root } from "./Root.ts"

const File = Schema.Struct({
  version: Schema.Literal(1),
  agents: Schema.Record(Schema.String, AgentHealth)
})

/** By name; an agent that is well has no entry. */
export type Health = { readonly [agent: string]: AgentHealth }

export class Agents extends Context.Service<
  Agents,
  {
    readonly all: Effect.Effect<Health>
    /**
     * Changes one agent's entry, one change after the other; undefined removes it, the same entry writes nothing. On a
     * disk that cannot be written the change holds in memory, is said once, and is written with the next one.
     */
    readonly modify: <A>(
      agent: string,
      change: (before: AgentHealth | undefined) => readonly [A, AgentHealth | undefined]
    ) => Effect.Effect<A>
  }
>()("heed/state/Agents") {
  static readonly layer: Layer.Layer<Agents, never, Root | FileSystem.FileSystem> = Layer.effect(
    Agents,
    Effect.gen(function* () {
      const { path } = yield* Root
      const files = yield* FileSystem.FileSystem
      const found = yield* stored(files, path).pipe(
        Effect.catch((why) =>
          Effect.as(
            Effect.logWarning(`${fileIn(path)} cannot be read, so failures are counted anew: ${why}`),
            {}
          )
        )
      )
      return Agents.of(
        make(found, (agents) =>
          AtomicFile.write(fileIn(path), `${JSON.stringify({ version: 1, agents }, undefined, 2)}\n`).pipe(
            Effect.provideService(FileSystem.FileSystem, files),
            Effect.mapError(({ message }) => message)
          )
        )
      )
    })
  )

  /** For commands that only look: beside a daemon, without the lock. What is changed stays in memory. */
  static readonly layerReadOnly = (options: {
    readonly root: string
  }): Layer.Layer<Agents, never, FileSystem.FileSystem> =>
    Layer.effect(
      Agents,
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        // Whoever owns the root says what is wrong with the file.
        const found = yield* stored(files, options.root).pipe(Effect.catch(() => Effect.succeed({})))
        return Agents.of(make(found, () => Effect.void))
      })
    )

  static readonly layerMemory: Layer.Layer<Agents> = Layer.sync(Agents, () =>
    Agents.of(make({}, () => Effect.void))
  )
}

const fileIn = (root: string) => join(root, "agents.json")

/** Fails with what is wrong with a file that is there and says nothing. */
const stored = (files: FileSystem.FileSystem, root: string): Effect.Effect<Health, string> =>
  files.readFileString(fileIn(root)).pipe(
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(`{"version":1,"agents":{}}`)),
    Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(File))),
    Effect.map(({ agents }) => agents),
    Effect.mapError(({ message }) => message)
  )

const make = (found: Health, save: (agents: Health) => Effect.Effect<void, string>): Agents["Service"] => {
  let agents = found
  let isSaid = false
  const turn = Semaphore.makeUnsafe(1)
  const write = Effect.suspend(() => save(agents)).pipe(
    Effect.tap(
      Effect.sync(() => {
        isSaid = false
      })
    ),
    Effect.catch((why) =>
      Effect.suspend(() => {
        if (isSaid) return Effect.void
        isSaid = true
        return Effect.logWarning(`how agents fare is not kept over a restart: ${why}`)
      })
    )
  )
  return {
    all: Effect.sync(() => agents),
    modify: (agent, change) =>
      Effect.suspend(() => {
        const before = agents[agent]
        const [answer, after] = change(before)
        if (after === before) return Effect.succeed(answer)
        const { [agent]: _gone, ...others } = agents
        agents = after === undefined ? others : { ...others, [agent]: after }
        return Effect.as(write, answer)
      }).pipe(Semaphore.withPermit(turn))
  }
}
