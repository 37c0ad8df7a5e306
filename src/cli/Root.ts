/**
 * The command `heed` itself with what all commands share, and the flags that several of them take.
 */
import * as Command from "effect/cli/Command"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Loaded } from "../config/load.ts"
import { parseDuration } from "../domain/Duration.ts"
import { Failure } from "./Failure.ts"
import { House } from "./House.ts"
import type { Page } from "./Render.ts"
import { columnsOf } from "./Width.ts"

export const root = Command.make("heed").pipe(
  Command.withDescription("Puts coding agents to work on what people label in an issue tracker."),
  Command.withSharedFlags({
    config: Flag.String("config").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("the configuration; else $HEED_CONFIG, ./heed.yaml"),
      Flag.optional
    )
  })
)

/** `--config` as it was given. */
export const configFile = Effect.map(root, ({ config }) => Option.getOrUndefined(config))

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("exact values for scripts"),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

/** Names one work item, as `Naming` understands it. */
export const item = Argument.String("REF").pipe(
  Argument.withDescription("acme/app#12, a web address, or a ref")
)

/** `30s`, `2h`, or words, as the configuration writes durations; in milliseconds. */
export const durationFlag = (name: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.filterMap(
      (text) => Option.fromUndefinedOr(parseDuration(text)),
      (text) => `a time like 30s, 5m or 2h, not "${text}"`
    )
  )

/** The configuration; an invalid one ends the command with every problem said (exit code 78). */
export const loaded: Effect.Effect<Loaded, Failure, House | Command.CommandContext<"heed">> = Effect.gen(
  function* () {
    const house = yield* House
    return yield* house.load(yield* configFile).pipe(
      Effect.mapError(
        ({ message, problems, reason }) =>
          new Failure({
            reason: "Invalid",
            // Where no file was found, its places stand in the problem itself.
            message: reason === "NotFound" ? problems.map((problem) => problem.message).join("\n") : message
          })
      )
    )
  }
)

/** What the configuration comes to. */
export const plan = Effect.map(loaded, (found) => found.plan)

/** The page that stdout is: its own width on a terminal, no end elsewhere. */
export const page: Effect.Effect<Page> = Effect.gen(function* () {
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  return { columns: columnsOf(process.stdout), colour: canColor, now: yield* Clock.currentTimeMillis }
})

/** Prints a value: as text, or with `--json` as JSON. */
export const print = Effect.fn("cli.print")(function* <A>(
  asJson: boolean,
  schema: Schema.Codec<A, Schema.Json>,
  value: A,
  text: (page: Page, value: A) => string
) {
  yield* Console.log(
    asJson
      ? JSON.stringify(yield* Effect.orDie(Schema.encodeEffect(schema)(value)), null, 2)
      : text(yield* page, value)
  )
})
