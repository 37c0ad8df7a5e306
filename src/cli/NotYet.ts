/**
 * Commands that this version does not have yet: it knows them, and says so.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { refused } from "./Failure.ts"

/** An unlisted command that refuses, whatever follows it. */
export const notYet = <const Name extends string>(name: Name) =>
  Command.make(name, { rest: Argument.String("ARGUMENT").pipe(Argument.variadic()) }, () =>
    Effect.fail(refused(`"${name}" is not there yet; a later version of heed brings it`))
  ).pipe(
    Command.withDescription("Not there yet; a later version of heed brings it."),
    Command.withExamples([{ command: "heed --help", description: "what is there" }]),
    Command.unlisted
  )
