/**
 * `heed config`: checks the configuration, prints its schema, shows what it comes to.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { House } from "./House.ts"
import { loaded, plan } from "./Root.ts"
import { oneLine } from "./Text.ts"
import { warn } from "./Warnings.ts"

const check = Command.make("check", {}, () =>
  Effect.flatMap(plan, (which) => Effect.andThen(warn(which), Console.log(`${oneLine(which.file)} is valid`)))
).pipe(
  Command.withDescription("Checks the configuration; says all that is wrong at once, with line and mend."),
  Command.withShortDescription("say all that is wrong, with line and mend"),
  Command.withExamples([
    { command: "heed config check" },
    { command: "heed config check --config ci/heed.yaml" }
  ])
)

const schema = Command.make(
  "schema",
  {
    event: Flag.Boolean("event").pipe(
      Flag.withDescription("the schema of the events that agents get"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    )
  },
  (input) =>
    House.use((house) =>
      Effect.flatMap(house.schema(input.event ? "event" : "config"), (document) =>
        Console.log(JSON.stringify(document, null, 2))
      )
    )
).pipe(
  Command.withDescription("Prints the JSON Schema of the configuration, for editors."),
  Command.withShortDescription("the JSON Schema, for editors"),
  Command.withExamples([{ command: "heed config schema > heed.schema.json" }])
)

const show = Command.make("show", {}, () =>
  Effect.gen(function* () {
    const { effective } = yield* loaded
    const { showText } = yield* Effect.promise(() => import("../config/Show.ts"))
    yield* Console.log(showText(effective).trimEnd())
  })
).pipe(
  Command.withDescription("Prints what the configuration comes to, with every default."),
  Command.withShortDescription("what it comes to, with every default"),
  Command.withExamples([{ command: "heed config show > whole.yaml" }])
)

export const config = Command.make("config").pipe(
  Command.withDescription("Checks, describes or shows the configuration."),
  Command.withShortDescription("check it, print its schema, show defaults"),
  Command.withExamples([{ command: "heed config check" }]),
  Command.withSubcommands([check, schema, show])
)
