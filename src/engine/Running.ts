/**
 * Running: the plan that is in force, as the engine uses it: its providers, and its policy as plain values.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import type { Plan } from "../config/Plan.ts"
import type { Observation } from "../domain/Item.ts"
import type { Policy } from "../domain/Policy.ts"
import { type Provider, Providers, type SourceError } from "../tracker/Provider.ts"
import { marksIn } from "./Mark.ts"

/** What the engine was built with, beside the configuration. */
export interface Identification {
  /** heed's own version. */
  readonly version: string
  /** The key of this root's marks. */
  readonly markKey: string
  /** What a person said of the items that a first run finds; otherwise more than `polling.firstRun.max` are held. */
  readonly backlog?: "start" | "baseline"
}

/** A plan with what the engine makes of it. */
export interface InForce {
  readonly plan: Plan
  readonly providers: ReadonlyArray<Provider>
  readonly policy: Policy
}

/** The policy of a plan. `selves` are the accounts that heed speaks as, by tracker, where the tracker tells. */
export const policyOf = (
  plan: Plan,
  providers: ReadonlyArray<Provider>,
  selves: { readonly [tracker: string]: ReadonlySet<string> },
  { markKey, version }: Identification
): Policy => {
  const trusted: Record<string, Set<string>> = {}
  for (const provider of providers) {
    const names = (trusted[provider.tracker] ??= new Set())
    for (const user of plan.access.users) {
      if (user.tracker === undefined || user.tracker === provider.tracker)
        names.add(provider.principal(user.name))
    }
  }
  return {
    version,
    trusted,
    agent: "default",
    agents: Object.fromEntries(Object.entries(plan.agents).map(([name, agent]) => [name, agent.plan])),
    control: plan.control,
    attempts: plan.polling.attempts,
    retryAfter: plan.polling.retryAfter,
    perItemPerHour: plan.limits.perItemPerHour,
    isOwn: (item, comment) =>
      comment.author !== undefined &&
      (selves[item.tracker]?.has(comment.author.principal) ?? false) &&
      marksIn(markKey, item.identity, comment.body).length > 0
  }
}

/** What a provider told of its account; without a principal it does not tell (B20). */
interface Self {
  readonly principal: string | undefined
}

/** The plan that is in force, until `put` replaces it whole. */
export class Running extends Context.Service<
  Running,
  {
    readonly get: Effect.Effect<InForce>
    /** Puts a plan in force; sessions, queues and memories stay as they are. */
    readonly put: (plan: Plan) => Effect.Effect<InForce>
    /**
     * The policy to decide an observation by. Where a word bears one of heed's marks, which account this provider speaks
     * as is known by then: heed could not tell its own words from copied ones. Asked once per process at most.
     */
    readonly policyFor: (provider: Provider, observation: Observation) => Effect.Effect<Policy, SourceError>
    readonly identification: Identification
  }
>()("heed/engine/Running") {
  static readonly layer = (
    identification: Identification
  ): Layer.Layer<Running, never, ConfigReloader | Providers> =>
    Layer.effect(
      Running,
      Effect.gen(function* () {
        const config = yield* ConfigReloader
        const providersOf = yield* Providers
        const selves = yield* Ref.make<{ readonly [source: string]: Self }>({})

        const forPlan = Effect.fn("Running.forPlan")(function* (plan: Plan) {
          const providers = yield* providersOf.forSources(plan.sources)
          const known = yield* Ref.get(selves)
          const byTracker: Record<string, Set<string>> = {}
          for (const { source, tracker } of providers) {
            const self = known[source]?.principal
            if (self !== undefined) (byTracker[tracker] ??= new Set()).add(self)
          }
          return { plan, providers, policy: policyOf(plan, providers, byTracker, identification) }
        })

        const inForce = yield* Ref.make(yield* forPlan(yield* config.current))
        const put = Effect.fn("Running.put")(function* (plan: Plan) {
          const next = yield* forPlan(plan)
          yield* Ref.set(inForce, next)
          return next
        })

        const isMarked = ({ comments, item }: Observation) =>
          comments.some(({ body }) => marksIn(identification.markKey, item.identity, body).length > 0)

        const policyFor = Effect.fn("Running.policyFor")(function* (
          provider: Provider,
          observation: Observation
        ) {
          if (isMarked(observation) && (yield* Ref.get(selves))[provider.source] === undefined) {
            const principal = yield* provider.self
            yield* Ref.update(selves, (known) => ({ ...known, [provider.source]: { principal } }))
            yield* put((yield* Ref.get(inForce)).plan)
          }
          return (yield* Ref.get(inForce)).policy
        })

        return Running.of({ get: Ref.get(inForce), put, policyFor, identification })
      })
    )
}
