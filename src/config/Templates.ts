/**
 * Templates: the names that may stand in an agent's `command`, `resume` and `cwd`, and the templates of its prompts,
 * which another room renders: it hands its built-in ones and its parser over.
 */
import type { Prompts } from "./Plan.ts"

export interface Templates {
  /** Used where an agent names no file. */
  readonly builtIn: Prompts
  /** Why a text is no template for this prompt, or undefined when it is one. */
  readonly check: (prompt: keyof Prompts, text: string) => string | undefined
}

/** What may stand in `command` and `resume`: all of these are safe in an argument and in a path. */
export const commandNames: ReadonlyArray<string> = ["conversation.id", "session.id", "item.slug", "repo.slug"]
/** A folder may be shared by the conversations of an item, so these do not name one. */
export const folderNames: ReadonlyArray<string> = ["item.slug", "repo.slug"]

/** Why a text with `{{ names }}` cannot be filled in, or undefined when it can. */
export const namesProblem = (text: string, names: ReadonlyArray<string>): string | undefined => {
  const list = names.map((name) => `{{ ${name} }}`).join(", ")
  if (text.includes("{%")) return `only names can stand here, no {% tags %}; write one of: ${list}`
  const rest = text.replaceAll(/\{\{\s*([^{}]*?)\s*\}\}/gu, (whole, name: string) =>
    names.includes(name) ? "" : whole
  )
  if (!rest.includes("{{")) return undefined
  return `no name that can stand here, or one that is not closed; write one of: ${list}`
}
