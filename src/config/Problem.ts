/**
 * Problem: one thing that is wrong with a configuration, where, and what to write instead.
 */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

export const Problem = Schema.Struct({
  /** `agents.default.command[0]`; empty for the file as a whole. */
  path: Schema.String,
  /** 1-based; absent when the file has no such place. */
  line: Schema.optionalKey(Schema.Int),
  /** What is wrong and the mend; never a value of the file, which may be a secret. */
  message: Schema.String
})
export type Problem = typeof Problem.Type

/** Keys and indexes from the file's root. */
export type Path = ReadonlyArray<string | number>

/** `agents.default.command[0]`: a path as people write it, with nothing in it that a terminal would obey. */
export const pathText = (path: Path): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`
      if (/^[\w-]+$/u.test(step)) return index === 0 ? step : `.${step}`
      return `[${JSON.stringify(step.slice(0, 64)).replaceAll(/[\p{Cc}\p{Cf}]/gu, "?")}]`
    })
    .join("")

const most = 100

/** The first hundred problems: a file with more has one mistake that makes them all. */
export const capped = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.length <= most
    ? problems
    : [
        ...problems.slice(0, most),
        { path: "", message: `${problems.length - most} more problems; mend these first, then check again` }
      ]

/** The problems as lines for people, `heed.yaml:3: polling.interval: expected …`, in the order of the file. */
export const problemsText = (file: string, problems: ReadonlyArray<Problem>): string =>
  problems
    .map(({ path, line, message }) =>
      [line === undefined ? file : `${file}:${line}`, ...(path === "" ? [] : [path]), message].join(": ")
    )
    .join("\n")

/** A configuration that cannot be used: everything that is wrong with it, at once. Exit code 78. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  /** NotFound: there is no file. Unreadable: it is none, or cannot be read. Invalid: what it says. */
  reason: Schema.Literals(["NotFound", "Unreadable", "Invalid"]),
  file: Schema.String,
  problems: Schema.Array(Problem)
}) {
  override readonly [Runtime.errorExitCode] = 78
  override readonly [Runtime.errorReported] = false
  override get message(): string {
    return problemsText(this.file, this.problems)
  }
}
