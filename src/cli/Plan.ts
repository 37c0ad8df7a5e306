/**
 * `heed plan`: what the next cycle would do and why; writes nothing, dispatches nothing.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DryRun, Inspector } from "../engine/Inspector.ts"
import { Failure, refused } from "./Failure.ts"
import { Naming } from "../engine/Naming.ts"
import { House } from "./House.ts"
import * as Render from "./Render.ts"
import { count } from "./Text.ts"
import { item, json, plan as planned, print } from "./Root.ts"

export const plan = Command.make(
  "plan",
  { item: item.pipe(Argument.optional), json },
  Effect.fn("cli.plan")(function* (input) {
    const house = yield* House
    const which = yield* planned
    const dryRun = yield* Effect.gen(function* () {
      const naming = yield* Naming
      const only = Option.isSome(input.item) ? yield* naming.resolve(input.item.value) : undefined
      return yield* (yield* Inspector).plan(only)
    }).pipe(
      Effect.provide(house.inspector(which)),
      Effect.catchTag("OperatorError", (error) => Effect.fail(refused(error.message)))
    )
    yield* print(input.json, DryRun, dryRun, Render.plan)
    if (dryRun.failures.length > 0)
      return yield* new Failure({
        reason: "Refused",
        message: `${count(dryRun.failures.length, "source")} could not be asked: what is shown is not all`
      })
  })
).pipe(
  Command.withDescription("Shows what the next cycle would do and why, item by item. Changes nothing."),
  Command.withShortDescription("what the next cycle would do, and why"),
  Command.withExamples([
    { command: "heed plan" },
    { command: "heed plan acme/app#12", description: "one item alone" }
  ])
)
