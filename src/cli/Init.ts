/**
 * `heed init`: writes a heed.yaml of six lines: your login, this folder's repository, one agent. Asks no network.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Option from "effect/Option"
import { login as knownLogin, origin, repository as knownRepository, repositoryOf } from "./Known.ts"
import { refused } from "./Failure.ts"
import { House } from "./House.ts"
import { configFile } from "./Root.ts"
import { oneLine } from "./Text.ts"

/** The six lines. Logins and repositories hold nothing that YAML reads otherwise once they are quoted. */
export const sixLines = (login: string, repo: string): string =>
  [
    "version: 1",
    `sources: [{ provider: github, repos: [${JSON.stringify(repo)}], label: agent }]`,
    `access: { users: [${JSON.stringify(login)}] }`,
    "agents:",
    "  default: { sink: process, command: [claude, -p, --session-id, '{{ conversation.id }}'],",
    "    resume: [claude, -p, --resume, '{{ conversation.id }}'] }",
    ""
  ].join("\n")

const isLogin = (text: string) => /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/u.test(text)
const isRepository = (text: string) => /^[A-Za-z0-9][\w.-]*\/[\w.-]+$/u.test(text)

interface Question {
  readonly flag: string
  readonly ask: string
  readonly example: string
  readonly given: Option.Option<string>
  readonly known: Effect.Effect<Option.Option<string>, never, FileSystem.FileSystem>
  readonly valid: (text: string) => boolean
}

/** From the flag; on a terminal from its user, who is shown what is known; elsewhere what is known. */
const answer = Effect.fn("init.answer")(function* (question: Question) {
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  const known = Option.filter(yield* question.known, question.valid)
  const value = Option.isSome(question.given)
    ? question.given.value
    : canPrompt
      ? yield* Prompt.run(
          Prompt.String({
            message: `${question.ask.slice(0, 1).toUpperCase()}${question.ask.slice(1)}`,
            default: Option.getOrElse(known, () => "")
          })
        ).pipe(Effect.catchTag("QuitError", () => Effect.interrupt))
      : Option.getOrElse(known, () => "")
  if (question.valid(value)) return value
  return yield* refused(
    value === ""
      ? `nothing here tells ${question.ask}; say it with --${question.flag} ${question.example}`
      : `"${oneLine(value)}" cannot be ${question.ask}; write it like --${question.flag} ${question.example}`
  )
})

/** Why a file could not be written, for people. */
const mendOf = ({ reason }: PlatformError.PlatformError): string => {
  switch (reason._tag) {
    case "NotFound":
      return ": its folder does not exist; make it first"
    case "PermissionDenied":
      return ": this user may not write there; name another place with --config"
    default:
      return `: ${reason.message}`
  }
}

/** A clone of another host is told: what was written watches github.com. */
const elsewhere = Effect.gen(function* () {
  const address = Option.getOrElse(yield* origin(process.cwd()), () => "")
  return address === "" || Option.isSome(repositoryOf(address))
    ? []
    : ["this clone's origin is not on github.com: for an Enterprise server add host to the source"]
})

export const init = Command.make(
  "init",
  {
    login: Flag.String("login").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("your GitHub login: the one who is listened to"),
      Flag.optional
    ),
    repo: Flag.String("repo").pipe(
      Flag.withMetavar("OWNER/NAME"),
      Flag.withDescription("the repository to watch"),
      Flag.optional
    )
  },
  Effect.fn("cli.init")(function* (input) {
    const fs = yield* FileSystem.FileSystem
    const house = yield* House
    const file = Option.getOrElse(Option.fromUndefinedOr(yield* configFile), () => "heed.yaml")
    const exists = refused(`${oneLine(file)} exists already and is left as it is`)
    if (yield* fs.exists(file).pipe(Effect.catchTag("PlatformError", () => Effect.succeed(false))))
      return yield* exists
    const login = yield* answer({
      flag: "login",
      ask: "your GitHub login",
      example: "alice",
      given: input.login,
      known: knownLogin,
      valid: isLogin
    })
    const repo = yield* answer({
      flag: "repo",
      ask: "the repository to watch",
      example: "acme/app",
      given: input.repo,
      known: knownRepository,
      valid: isRepository
    })
    yield* fs
      .writeFileString(file, sixLines(login, repo), { flag: "wx" })
      .pipe(
        Effect.catchTag("PlatformError", (error) =>
          Effect.fail(
            error.reason._tag === "AlreadyExists"
              ? exists
              : refused(`${oneLine(file)} cannot be written${mendOf(error)}`)
          )
        )
      )
    const valid = yield* Effect.isSuccess(house.load(file))
    yield* Console.log(
      [
        `wrote ${oneLine(file)}: ${repo}, label "agent", ${login} is listened to`,
        ...(yield* elsewhere),
        ...(valid ? [] : [`look at it before you start: "heed config check" has something to say`]),
        `next: heed plan`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Writes a heed.yaml of six lines: your login, this repository, one agent."),
  Command.withShortDescription("write a heed.yaml of six lines"),
  Command.withExamples([
    { command: "heed init" },
    { command: "heed init --login alice --repo acme/app", description: "without questions" }
  ])
)
