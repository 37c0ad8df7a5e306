/**
 * `heed explain REF`: everything heed knows of one item, and the reason for each decision on it.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Explanation, Inspector } from "../engine/Inspector.ts"
import { refused } from "./Failure.ts"
import { Naming } from "../engine/Naming.ts"
import { House } from "./House.ts"
import * as Render from "./Render.ts"
import { item, json, plan, print } from "./Root.ts"
import { heard } from "./Status.ts"

export const explain = Command.make(
  "explain",
  { item, json },
  Effect.fn("cli.explain")(function* (input) {
    const house = yield* House
    const which = yield* plan
    const explanation = yield* Effect.gen(function* () {
      const ref = yield* (yield* Naming).resolve(input.item)
      return yield* (yield* Inspector).explain(ref)
    }).pipe(
      Effect.provide(house.inspector(which)),
      Effect.catchTag(["LedgerError", "OperatorError"], (error) => Effect.fail(refused(error.message)))
    )
    if (explanation === undefined)
      return yield* refused(`heed knows no item "${input.item}"; "heed sessions" lists those at work`)
    // What keeps words waiting now, only the heed knows that keeps them.
    const told = (yield* heard(which.state))?.sessions ?? []
    const sessions = explanation.sessions.map(
      (line) => told.find(({ session }) => session === line.session) ?? line
    )
    yield* print(input.json, Explanation, { ...explanation, sessions }, Render.explain)
  })
).pipe(
  Command.withDescription("Shows everything heed knows of one item, and the reason for each decision."),
  Command.withShortDescription("all that is known of an item, and why"),
  Command.withExamples([{ command: "heed explain acme/app#12" }])
)
