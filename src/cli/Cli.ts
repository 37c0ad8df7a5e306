/**
 * The command line as a whole: arguments in, exit code out; errors as one clear text on stderr.
 */
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { version } from "../domain/Version.ts"
import { config } from "./Config.ts"
import { demo } from "./demo/Demo.ts"
import type { Ending } from "./Ending.ts"
import { events } from "./Events.ts"
import { explain } from "./Explain.ts"
import { exitCode } from "./Failure.ts"
import { help } from "./Help.ts"
import type { House } from "./House.ts"
import { init } from "./Init.ts"
import * as Narrator from "./Narrator.ts"
import { notYet } from "./NotYet.ts"
import { plan } from "./Plan.ts"
import { retry } from "./Retry.ts"
import { root } from "./Root.ts"
import { sessions } from "./Sessions.ts"
import { command as start } from "./Start.ts"
import { status } from "./Status.ts"
import { stop } from "./Stop.ts"
import { complaint } from "./Text.ts"
import { columnsOf } from "./Width.ts"

const complain = (text: string) => Console.error(complaint("heed", text, columnsOf(process.stderr)))

/** `heed` with all its commands. */
export const heed = root.pipe(
  Command.withExamples([
    { command: "heed init", description: "begin here" },
    { command: "heed start", description: "then watch and work" }
  ]),
  Command.withSubcommands([
    start,
    stop,
    status,
    plan,
    explain,
    events,
    sessions,
    retry,
    config,
    init,
    demo,
    notYet("say"),
    notYet("cancel"),
    notYet("lease"),
    notYet("doctor")
  ])
)

/** Help on stdout; what is wrong with an invocation on stderr, with the way to the help in place of the help itself. */
const presenter: Layer.Layer<never> = Layer.unwrap(
  Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) => {
    return CliOutput.layerPresenter({
      present: (event) => {
        switch (event._tag) {
          case "Help":
            return Console.log(help({ colour: canColor }, event.helpDoc))
          case "Version":
            return Console.log(event.version)
          case "InvalidInvocation":
            return Console.error(
              [
                ...event.errors.map((error) => complaint("heed", error.message, columnsOf(process.stderr))),
                `see: ${event.commandPath.join(" ")} --help`
              ].join("\n")
            )
        }
      }
    })
  })
)

/** Logs of every command go to stderr; `start` tells more, as its configuration says. */
const logs = Layer.unwrap(
  Effect.map(Narrator.narration({ level: "warn", format: "pretty" }), (how) =>
    Narrator.layerLogger({ ...how, json: false })
  )
)

const settings = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  presenter,
  logs
)

/** `heed help plan` and `heed version`, as other tools have them. */
const meant = ([first, ...rest]: ReadonlyArray<string>): ReadonlyArray<string> =>
  first === "help"
    ? [...rest, "--help"]
    : first === "version" && rest.length === 0
      ? ["--version"]
      : first === undefined
        ? []
        : [first, ...rest]

/** Runs a command line and answers with its exit code. A defect is left to the caller. */
export const run = (
  args: ReadonlyArray<string>
): Effect.Effect<number, never, House | Ending | Command.Environment> =>
  Command.runWith(heed, { version, renderErrors: true })(meant(args)).pipe(
    Effect.as(0),
    Effect.catchTag("Failure", (failure) => Effect.as(complain(failure.message), exitCode(failure))),
    // The presenter has said what is wrong; asking for help by naming a group alone is no error.
    Effect.catchTag("ShowHelp", (help) => Effect.succeed(help.errors.length === 0 ? 0 : 1)),
    Effect.catch((error) => Effect.as(complain(error.message), 1)),
    Effect.catchDefect((defect) =>
      Effect.as(
        Console.error(`heed: this is a defect of heed, please report it\n${Cause.pretty(Cause.die(defect))}`),
        1
      )
    ),
    Effect.provide(settings)
  )
