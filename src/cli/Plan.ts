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
import { count, wrap } from "./Text.ts"
import { warn } from "./Warnings.ts"
import { item, json, plan as planned, print } from "./Root.ts"

/** Why nothing would happen on one item. */
const idle = (item: string, isListed: boolean, isKnown: boolean): string =>
  isListed
    ? `nothing would happen: nothing is new on ${item}; "heed explain ${item}" tells what became of all that is there`
    : isKnown
      ? `nothing would happen: no source lists ${item} now; "heed explain ${item}" tells what is known of it`
      : `nothing would happen: no source lists ${item}. It lacks the label, is closed, or is not there`

export const plan = Command.make(
  "plan",
  { item: item.pipe(Argument.optional), json },
  Effect.fn("cli.plan")(function* (input) {
    const house = yield* House
    const which = yield* planned
    yield* warn(which)
    const { dryRun, why } = yield* Effect.gen(function* () {
      const inspector = yield* Inspector
      const naming = yield* Naming
      const only = Option.isSome(input.item) ? yield* naming.resolve(input.item.value) : undefined
      const planned = yield* inspector.plan(only)
      const quiet = only !== undefined && planned.items.every(({ steps }) => steps.length === 0)
      if (!quiet || planned.failures.length > 0) return { dryRun: planned, why: undefined }
      // A listed item is known by now, or would have steps.
      const known = planned.items.length > 0 || (yield* inspector.explain(only)) !== undefined
      return { dryRun: planned, why: idle(Render.shortRef(only), planned.items.length > 0, known) }
    }).pipe(
      Effect.provide(house.inspector(which)),
      Effect.catchTag(["LedgerError", "OperatorError"], (error) => Effect.fail(refused(error.message)))
    )
    yield* print(input.json, DryRun, dryRun, (page, value) =>
      why === undefined ? Render.plan(page, value) : wrap(why, page.columns).join("\n")
    )
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
