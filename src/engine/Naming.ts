/**
 * Naming: what item a text on the command line means: its ref, its web address, `acme/app#12`, `APP-123`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConfigReloader } from "../config/ConfigReloader.ts"
import type { Ref } from "../domain/Ref.ts"
import { Ledger } from "../state/Ledger.ts"
import { Providers } from "../tracker/Provider.ts"
import { OperatorError } from "./Operator.ts"

/** Whether a text is this ref, or what stands in it behind its tracker, or behind its tracker and host. */
export const means = (text: string, ref: Ref): boolean => {
  const wanted = text.trim().toLowerCase()
  const [, place = ""] = /^[^:]+:(.*)$/u.exec(ref) ?? []
  return [ref, place, place.slice(place.indexOf("/") + 1)].some((name) => name.toLowerCase() === wanted)
}

export class Naming extends Context.Service<
  Naming,
  {
    /** Fails with `Unknown` when no item or more than one is meant; the message lists the candidates. */
    readonly resolve: (text: string) => Effect.Effect<Ref, OperatorError>
  }
>()("heed/engine/Naming") {
  static readonly layer: Layer.Layer<Naming, never, Ledger | Providers | ConfigReloader> = Layer.effect(
    Naming,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const providers = yield* Providers
      const config = yield* ConfigReloader

      const candidates = Effect.fn("Naming.candidates")(function* (text: string) {
        const known = (yield* ledger.entries).map((entry) => entry.ref).filter((ref) => means(text, ref))
        const sources = yield* providers.forSources((yield* config.current).sources)
        const named = yield* Effect.forEach(
          sources.flatMap((source) => source.resolve(text)),
          (ref) => Effect.map(ledger.find(ref), (entry) => entry?.ref ?? ref)
        )
        return [...new Set([...known, ...named])].sort()
      })

      const resolve = Effect.fn("Naming.resolve")(function* (text: string) {
        const [ref, ...others] = yield* candidates(text)
        if (ref === undefined)
          return yield* new OperatorError({
            reason: "Unknown",
            message: /[#!]\d+$|^https?:/u.test(text.trim())
              ? `no source watches "${text}" and heed knows no such item; if it is written as it should be, add where it lies to sources`
              : `no item is called "${text}"; write its ref, its web address or owner/name#12, as heed sessions shows it`
          })
        if (others.length > 0)
          return yield* new OperatorError({
            reason: "Unknown",
            message: `"${text}" may mean any of these; write one of them whole:\n${[ref, ...others].map((name) => `  ${name}`).join("\n")}`
          })
        return ref
      })

      return Naming.of({ resolve })
    })
  )
}
