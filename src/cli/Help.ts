/**
 * Help: a command's help as text of at most 80 columns.
 */
import type { ArgDoc, FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import { type Page, tone } from "./Render.ts"
import { pad, width, wrap } from "./Text.ts"

const columns = 80
/** The widest first column; what is wider stands on a line of its own. */
const widest = 24

type Entry = readonly [name: string, description: string]

const entries = (all: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const left = Math.min(widest, Math.max(...all.map(([name]) => width(name)))) + 2
  return all.flatMap(([name, description]) => {
    const [first = "", ...rest] = wrap(description, columns - left - 2)
    const under = rest.map((line) => " ".repeat(left + 2) + line)
    return width(name) > widest
      ? [`  ${name}`, `${" ".repeat(left + 2)}${first}`, ...under]
      : [`  ${pad(name, left)}${first}`.trimEnd(), ...under]
  })
}

const flag = (doc: FlagDoc): Entry => {
  const [meaning, choices] = choicesOf(Option.getOrElse(doc.description, () => ""))
  const value = doc.type === "boolean" ? "" : ` ${choices ?? (doc.type.startsWith("<") ? "SHELL" : doc.type)}`
  return [[`--${doc.name}`, ...doc.aliases].join(", ") + value, meaning]
}

/** A flag of a few words says them in place of its value. */
const choicesOf = (description: string): readonly [string, string | undefined] => {
  const [, meaning = "", choices = ""] = /^(.*) \(choices: (.*)\)$/u.exec(description) ?? []
  const words = choices.split(", ").join("|")
  return meaning === ""
    ? [description, undefined]
    : [meaning, words.length <= widest / 2 + 2 ? words : undefined]
}

const argument = (doc: ArgDoc): Entry => [
  `${doc.name}${doc.variadic ? "…" : ""}`,
  Option.getOrElse(doc.description, () => "") + (doc.required ? "" : " (optional)")
]

/** The help of one command. */
export const help = (page: Pick<Page, "colour">, doc: HelpDoc): string => {
  const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
    lines.length === 0 ? [] : ["", tone(page, "bold", title), ...lines]
  const flags = [...doc.flags, ...(doc.inheritedFlags ?? [])].map(flag)
  const commands = (doc.subcommands ?? []).flatMap((group) =>
    group.commands.map((command): Entry => [command.name, command.shortDescription ?? command.description])
  )
  const globals = (doc.commandPath?.length ?? 1) > 1 ? [] : (doc.globalFlags ?? []).map(flag)
  const examples = (doc.examples ?? []).map(({ command, description }): Entry => [command, description ?? ""])
  const example = ([command, description]: Entry) =>
    description === "" ? [`  ${command}`] : [`  ${command}`, tone(page, "dim", `      ${description}`)]
  return [
    ...wrap(doc.description, columns),
    ...section("USAGE", [`  ${doc.usage}`]),
    ...section("ARGUMENTS", (doc.args ?? []).length === 0 ? [] : entries((doc.args ?? []).map(argument))),
    ...section("COMMANDS", commands.length === 0 ? [] : entries(commands)),
    ...section("FLAGS", flags.length + globals.length === 0 ? [] : entries([...flags, ...globals])),
    ...section("EXAMPLES", examples.flatMap(example))
  ].join("\n")
}
