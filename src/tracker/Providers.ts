/**
 * The layers of `Providers`: the trackers of the registry, or providers that a program brings along.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Gateway } from "../net/Gateway.ts"
import { Providers, type Provider, type SourcePlan } from "./Provider.ts"
import { trackers, type Tracker } from "./Trackers.ts"

/**
 * Providers made from entries of the configuration. An entry that did not change keeps its provider, and with it what
 * that one remembers; one that changed or went is forgotten.
 */
export const layerWith = (known: ReadonlyArray<Tracker>) =>
  Layer.effect(
    Providers,
    Effect.gen(function* () {
      const gateway = yield* Gateway
      let made = new Map<string, Provider>()
      const provider = Effect.fnUntraced(function* (source: SourcePlan) {
        const former = made.get(JSON.stringify(source))
        if (former !== undefined) return former
        const tracker = known.find(({ kind }) => kind.name === source.provider)
        // The configuration is checked against the same registry, so this is a programming error.
        if (tracker === undefined) return yield* Effect.die(new Error(`no tracker ${source.provider}`))
        return yield* tracker.make(source).pipe(Effect.provideService(Gateway, gateway))
      })
      const forSources = Effect.fn("Providers.forSources")(function* (sources: ReadonlyArray<SourcePlan>) {
        const providers = yield* Effect.forEach(sources, provider)
        made = new Map(
          sources.flatMap((source, index) => {
            const own = providers[index]
            return own === undefined ? [] : [[JSON.stringify(source), own] as const]
          })
        )
        return providers
      })
      return Providers.of({ forSources })
    })
  )

/** The trackers of this heed. */
export const layer = layerWith(trackers)

/** The given providers, whatever the configuration names: for tests and for programs with a tracker of their own. */
export const layerMemory = (providers: ReadonlyArray<Provider>) =>
  Layer.succeed(Providers, Providers.of({ forSources: () => Effect.succeed(providers) }))
