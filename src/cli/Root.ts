/**
 * The command `heed` itself with what all commands share, and the flags that several of them take.
 */
import * as Command from "effect/cli/Command"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Terminal from "effect/Terminal"
import type { Plan } from "../config/Plan.ts"
import { Failure } from "./Failure.ts"
import { House } from "./House.ts"
import { type Page, problems } from "./Render.ts"

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

const units: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30s`, `2h`, or words, as the configuration writes durations. */
export const durationFlag = (name: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.filterMap(
      (text) => {
        const short = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/u.exec(text.trim())
        return short === null
          ? Schema.decodeUnknownOption(Schema.DurationFromString)(text)
          : Option.some(Duration.millis(Number(short[1]) * (units[short[2] ?? ""] ?? 0)))
      },
      (text) => `write a time like 30s, 5m or 2h instead of "${text}"`
    )
  )

/** Reads the configuration; an invalid one ends the command with every problem said (exit code 78). */
export const plan: Effect.Effect<Plan, Failure, House | Command.CommandContext<"heed">> = Effect.gen(
  function* () {
    const house = yield* House
    const checked = yield* house.check(yield* configFile)
    if (checked._tag === "Valid") return checked.plan
    return yield* new Failure({ reason: "Invalid", message: problems(checked.file, checked.problems) })
  }
)

/** The page that stdout is: its own width on a terminal, 80 columns elsewhere. */
export const page: Effect.Effect<Page, never, Terminal.Terminal> = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const columns = yield* terminal.columns
  return { columns: columns > 0 ? columns : 80, colour: canColor, now: yield* Clock.currentTimeMillis }
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
