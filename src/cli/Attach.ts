/**
 * `heed sessions attach REF`: a person's terminal on a session that stays open.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { refused } from "./Failure.ts"
import { House } from "./House.ts"
import { item, plan } from "./Root.ts"

/** A line that a person may copy into a shell. */
const line = (words: ReadonlyArray<string>) =>
  words
    .map((word) => (/^[\w./:=-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(" ")

export const attach = Command.make(
  "attach",
  { item },
  Effect.fn("cli.attach")(function* (input) {
    const house = yield* House
    const { command, args } = yield* house.show(yield* plan, input.item)
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      return yield* refused(`this is no terminal; in one, run: ${line([command, ...args])}`)
    }
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const code = yield* spawner
      .exitCode(
        ChildProcess.make(command, args, {
          extendEnv: true,
          // It takes the terminal over, which only the terminal's own process group may.
          detached: false,
          stdin: "inherit",
          stdout: "inherit",
          stderr: "inherit"
        })
      )
      .pipe(Effect.mapError(({ reason }) => refused(`${command} could not be started (${reason._tag})`)))
    if (code !== 0) {
      return yield* refused(
        `the session went away while it was shown (exit code ${code}); "heed sessions" says what became of it`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Shows an item's open session in this terminal, to look at it and to type. Detach with C-b d; the session goes on."
  ),
  Command.withShortDescription("look at an item's open session, and type"),
  Command.withExamples([{ command: "heed sessions attach acme/app#12" }])
)
