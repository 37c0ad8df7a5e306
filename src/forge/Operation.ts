/** One thing that can be done to a forge from outside: by its own process as a call, by another one as JSON. */
import * as Schema from "effect/Schema"
import type { Forgery } from "./Wire.ts"
import { type Account, type Repo } from "./World.ts"

export interface Operation<In, Out> {
  readonly input: Schema.Codec<In, Schema.Json>
  readonly output: Schema.Codec<Out, Schema.Json>
  /**
   * Throws `ForgeMisuse` when the state refuses it.
   *
   * @internal
   */
  readonly run: (forgery: Forgery, input: In) => Out
}

/** @internal */
export const operation = <In, Out>(
  input: Schema.Codec<In, Schema.Json>,
  output: Schema.Codec<Out, Schema.Json>,
  run: (forgery: Forgery, input: In) => Out
): Operation<In, Out> => ({ input, output, run })

/** The output of an operation that has none. */
export const Nothing = Schema.Null

/** What names an item. */
export const itemFields = { repo: Schema.String, number: Schema.Int }

/** Who does it; the repository's owner when nobody is named. */
export const byFields = { by: Schema.optionalKey(Schema.String) }

/** @internal */
export const actor = ({ stage: { world } }: Forgery, repo: Repo, login: string | undefined): Account =>
  world.account(login ?? repo.owner)
