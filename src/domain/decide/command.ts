/**
 * Control commands: what a comment's first line asks heed itself to do.
 */
import { type ControlWord, controlWords } from "../Decision.ts"

/** A body's first word when it starts with `/`, and the rest of its line: `command` and `instruction` of an event. */
export const slashCommand = (
  body: string
): { readonly command: string; readonly instruction: string } | undefined => {
  const line = body.split("\n", 1)[0] ?? ""
  const match = /^\s*(\/\S+)(?:\s+(.*))?$/u.exec(line)
  return match?.[1] === undefined ? undefined : { command: match[1], instruction: (match[2] ?? "").trim() }
}

/** A control command, and the text that goes on to the agent without it (empty when there is none). */
export interface ControlCommand {
  readonly word: ControlWord
  readonly rest: string
}

/** Reads `/heed start …` from a body; `undefined` when the body commands nothing that heed knows. */
export const controlCommand = (body: string, prefix: string): ControlCommand | undefined => {
  const slash = slashCommand(body)
  if (slash === undefined || slash.command.toLowerCase() !== prefix.toLowerCase()) return undefined
  const [first = "", ...others] = slash.instruction.split(/\s+/u)
  const word = controlWords.find((known) => known === first.toLowerCase())
  if (word === undefined) return undefined
  const below = body.includes("\n") ? body.slice(body.indexOf("\n") + 1) : ""
  return { word, rest: [others.join(" "), below.trim()].filter((text) => text !== "").join("\n") }
}

/** What follows the prefix of a body that speaks to heed and says nothing that heed knows; empty where nothing does. */
export const unknownCommand = (body: string, prefix: string): string | undefined => {
  const slash = slashCommand(body)
  if (slash?.command.toLowerCase() !== prefix.toLowerCase() || controlCommand(body, prefix) !== undefined) {
    return undefined
  }
  return slash.instruction.split(/\s+/u)[0] ?? ""
}
