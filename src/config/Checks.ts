/**
 * Checks: what no schema says, because it is about two places at once or about names that only the whole file knows.
 */
import type { Finding } from "./Explain.ts"
import type { Kinds, SinkKind } from "./Kinds.ts"
import type { CommonAgent, Outline } from "./Schema.ts"
import { suggestion } from "./Suggest.ts"
import type { Plain } from "./Yaml.ts"
import { isList } from "./Yaml.ts"
import { commandNames, folderNames, namesProblem } from "./Templates.ts"

/** A source after its kind's schema: what cross-checks need of it. */
export interface SourceEntry {
  readonly index: number
  readonly provider: string
  readonly name: string
}

/** Every source's name is its own. */
export const sourceNames = (sources: ReadonlyArray<SourceEntry>): ReadonlyArray<Finding> =>
  sources.flatMap(({ name, index }) => {
    const first = sources.find((other) => other.name === name)
    if (first === undefined || first.index === index) return []
    return [
      {
        path: ["sources", index, "name"],
        message: `sources[${first.index}] has this name too; write another \`name:\` here`
      }
    ]
  })

/** `github:alice` binds a login to a tracker; a colon after anything but a word belongs to an account id. */
export const user = (entry: string): { readonly tracker?: string; readonly name: string } => {
  const bound = /^([a-z][a-z-]*):(.+)$/u.exec(entry)
  const [, tracker, name] = bound ?? []
  return tracker === undefined || name === undefined ? { name: entry } : { tracker, name }
}

const userProblem = (entry: string, kinds: Kinds): string | undefined => {
  const { tracker, name } = user(entry)
  const trackers = kinds.providers.map((kind) => kind.name)
  if (tracker !== undefined && kinds.notYet.providers.includes(tracker)) {
    return `not yet: the tracker ${tracker}; remove this entry`
  }
  if (tracker !== undefined && !trackers.includes(tracker)) {
    return `no tracker that heed knows stands before the colon; ${suggestion(tracker, trackers)}`
  }
  if (name.startsWith("@")) return "a login is written without @; remove it"
  if (name.includes("@")) return "an e-mail address is nobody's login; write the login or account id"
  return undefined
}

/** The entries of `access.users` that are text, whatever else is wrong with the list. */
export const users = (entries: Plain | undefined, kinds: Kinds): ReadonlyArray<Finding> =>
  (isList(entries) ? entries : []).flatMap((entry, index) => {
    const message = typeof entry === "string" ? userProblem(entry, kinds) : undefined
    return message === undefined ? [] : [{ path: ["access", "users", index], message }]
  })

/** Without routes everything goes to the agent `default`. */
export const defaultAgent = (names: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  names.includes("default")
    ? []
    : [
        {
          path: ["agents", "default"],
          message:
            "missing; without routes every item goes to the agent `default`: write it, or rename one to it"
        }
      ]

const secretName = /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY)$/iu

const envProblem = (name: string, value: string): string | undefined => {
  if (/^HEED_/iu.test(name)) return "HEED_* is heed's own; write another name"
  if (value.includes("\0")) return "a variable cannot hold a NUL character; remove it"
  if (secretName.test(name) && value !== "") {
    return `a secret is never a value in this file; remove it, set ${name} where heed runs, and add it to passEnv`
  }
  return undefined
}

/** One agent, beside what its schema says. `given` are the keys that stand in the file, wrong ones too. */
export const agent = (
  name: string,
  settings: CommonAgent,
  kind: SinkKind,
  given: ReadonlyArray<string>
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const say = (path: ReadonlyArray<string | number>, message: string | undefined) => {
    if (message !== undefined) findings.push({ path: ["agents", name, ...path], message })
  }
  if (!given.includes("command") && kind.commandless === undefined) {
    say(
      ["command"],
      "missing; write `command:` with the program and its arguments, such as [claude, --print]"
    )
  }
  for (const key of ["command", "resume"] as const) {
    const words = settings[key] ?? []
    if (words[0]?.trim() === "") say([key, 0], "the program's name is empty; write it")
    if (words[0]?.includes("{{")) say([key, 0], "the program itself cannot be a template; write its name")
    words.forEach((word, index) => say([key, index], namesProblem(word, commandNames)))
  }
  say(["cwd"], namesProblem(settings.cwd, folderNames))
  for (const [variable, value] of Object.entries(settings.env))
    say(["env", variable], envProblem(variable, value))
  settings.passEnv.forEach((variable, index) => {
    if (/^HEED_/iu.test(variable)) say(["passEnv", index], "HEED_* is heed's own; remove it")
  })
  return findings
}

const trackerTokens = new Set([
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GITLAB_TOKEN",
  "JIRA_TOKEN"
])

/** What is valid and yet deserves a loud word. `secrets` are the variables that sources take their tokens from. */
export const warnings = (
  outline: Outline,
  agents: ReadonlyArray<{ readonly name: string; readonly common: CommonAgent }>,
  secrets: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...(outline.access.users.length === 0
    ? [
        "access.users is empty: nobody's words reach an agent. Write the logins you trust, such as users: [alice]."
      ]
    : []),
  ...(outline.sources.length === 0 ? ["sources is empty: heed watches nothing."] : []),
  ...agents.flatMap(({ name, common }) =>
    common.passEnv
      .filter((variable) => trackerTokens.has(variable) || secrets.includes(variable))
      .map(
        (variable) =>
          `agents.${name}.passEnv hands ${variable} to the agent, who can then do on the tracker whatever that token can.`
      )
  )
]
