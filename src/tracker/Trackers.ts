/**
 * Trackers: the registry. A tracker is one folder beside this file and one line in this list.
 */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Gateway } from "../net/Gateway.ts"
import type { Provider, SourcePlan } from "./Provider.ts"
import { github } from "./github/GitHub.ts"

export interface Tracker {
  /** What the configuration has to know: the keys of its entries, and what no schema says about them. */
  readonly kind: {
    /** As `provider:` names it. */
    readonly name: string
    readonly fields: { readonly [key: PropertyKey]: Schema.ConstraintCodec<unknown, unknown> }
    readonly check: (settings: Schema.Json) => ReadonlyArray<{
      readonly path: ReadonlyArray<string | number>
      readonly message: string
    }>
    /** Checked settings with every path in them made absolute by `resolve`; absent where there is none. */
    readonly rooted?: (settings: Schema.Json, resolve: (path: string) => string) => Schema.Json
  }
  /** Makes the provider of one entry; asks nothing yet. */
  readonly make: (plan: SourcePlan) => Effect.Effect<Provider, never, Gateway>
}

export const trackers: ReadonlyArray<Tracker> = [github]
