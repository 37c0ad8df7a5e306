/**
 * Readiness: whether anything of a plan can work at all on this machine. It is said once, at the start, with the mend;
 * one bad source among good ones is that source's failure alone.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sinks } from "../sink/Sink.ts"
import { Running } from "./Running.ts"

export class NothingUsable extends Schema.TaggedError<NothingUsable>()("NothingUsable", {
  /** What is missing, and the mend of each. */
  message: Schema.String
}) {}

/** Fails when no source can ask, or no agent can be started. Asks no tracker anything. */
export const check: Effect.Effect<void, NothingUsable, Running | Sinks> = Effect.gen(function* () {
  const { plan, providers } = yield* (yield* Running).get
  const sinks = yield* Sinks
  const sources = yield* Effect.forEach(providers, (provider) =>
    provider.ready.pipe(
      Effect.as(undefined),
      Effect.catch(({ message }) => Effect.succeed(`source ${provider.source}: ${message}`))
    )
  )
  const agents = yield* Effect.forEach(Object.entries(plan.agents), ([name, agent]) =>
    (sinks.get(agent.plan.sink)?.ready(agent.plan) ?? Effect.void).pipe(
      Effect.as(undefined),
      Effect.catch(({ message }) => Effect.succeed(`agent ${name}: ${message}`))
    )
  )
  for (const { of, found } of [
    { of: "source can be asked", found: sources },
    { of: "agent can be started", found: agents }
  ]) {
    const wrong = found.filter((problem) => problem !== undefined)
    if (found.length > 0 && wrong.length === found.length) {
      return yield* new NothingUsable({
        message: [`no ${of}:`, ...wrong.map((problem) => `  ${problem}`)].join("\n")
      })
    }
  }
})
