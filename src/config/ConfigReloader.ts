/**
 * ConfigReloader: the running plan, and the check before every cycle whether its file says something new. A new plan is
 * taken whole or not at all; whatever is wrong with the file, the running plan stays (traps B87 to B90).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { snapshot } from "./Files.ts"
import { evaluate } from "./load.ts"
import type { Plan } from "./Plan.ts"
import type { Problem } from "./Problem.ts"
import type { Rooms } from "./Read.ts"

export type { Problem } from "./Problem.ts"

/** What a check found. `Rejected` is said once per content; the running plan stays. */
export type Reload =
  | { readonly _tag: "Unchanged" }
  | { readonly _tag: "Reloaded"; readonly plan: Plan; readonly needRestart: ReadonlyArray<string> }
  | { readonly _tag: "Rejected"; readonly problems: ReadonlyArray<Problem>; readonly first: boolean }

/** Where the plan comes from, and what the loader is told of the rooms that it does not know. */
export interface Options extends Rooms {
  /** Absolute. */
  readonly file: string
}

/** The new plan with what cannot change under a running heed kept, and the names of what was kept. */
const keepRunning = (running: Plan, next: Plan): Extract<Reload, { readonly _tag: "Reloaded" }> => ({
  _tag: "Reloaded",
  plan: { ...next, state: { ...next.state, root: running.state.root } },
  needRestart: next.state.root === running.state.root ? [] : ["state.root"]
})

/** The content that was last refused, with what was wrong with it. */
interface Refused {
  readonly hash: string
  readonly problems: ReadonlyArray<Problem>
}

interface Held {
  readonly running: Plan
  readonly refused: Refused | undefined
}

export class ConfigReloader extends Context.Service<
  ConfigReloader,
  {
    readonly current: Effect.Effect<Plan>
    readonly check: Effect.Effect<Reload>
  }
>()("heed/config/ConfigReloader") {
  /** Reads the file once now, and fails as `load` does if it is not valid: a first start has no plan to keep. */
  static readonly layer = (options: Options) =>
    Layer.effect(
      ConfigReloader,
      Effect.gen(function* () {
        const world = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
        const evaluated = Effect.fnUntraced(function* (taken: Parameters<typeof evaluate>[0]) {
          return (yield* evaluate(taken, options)).plan
        }, Effect.provideContext(world))
        const take = snapshot(options.file).pipe(Effect.provideContext(world))
        const held = yield* Ref.make<Held>({ running: yield* evaluated(yield* take), refused: undefined })
        const oneAtATime = yield* Semaphore.make(1)

        const check = Effect.gen(function* (): Effect.fn.Return<Reload> {
          const { running, refused } = yield* Ref.get(held)
          const taken = yield* take
          if (taken.hash === running.hash) {
            // Back at what runs: the same mistake made again is news again.
            yield* Ref.set(held, { running, refused: undefined })
            return { _tag: "Unchanged" }
          }
          if (taken.hash === refused?.hash)
            return { _tag: "Rejected", problems: refused.problems, first: false }
          const next = yield* Effect.result(evaluated(taken))
          if (Result.isFailure(next)) {
            const { problems } = next.failure
            yield* Ref.set(held, { running, refused: { hash: taken.hash, problems } })
            return { _tag: "Rejected", problems, first: true }
          }
          const reload = keepRunning(running, next.success)
          yield* Ref.set(held, { running: reload.plan, refused: undefined })
          return reload
        }).pipe(Effect.withSpan("ConfigReloader.check"), Semaphore.withPermit(oneAtATime))

        return ConfigReloader.of({ current: Effect.map(Ref.get(held), ({ running }) => running), check })
      })
    )

  /** A plan that never changes by itself. */
  static readonly layerMemory = (plan: Plan) =>
    Layer.succeed(
      ConfigReloader,
      ConfigReloader.of({ current: Effect.succeed(plan), check: Effect.succeed({ _tag: "Unchanged" }) })
    )
}
