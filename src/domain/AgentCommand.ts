/**
 * The templates inside `command`, `resume` and `cwd`: four names, no logic, one pass. A value is put in as it is and
 * never looked at again, so it cannot bring in a second template (traps B98).
 */
import { createHash } from "node:crypto"
import type { AgentNames } from "./Agent.ts"
import type { HandOver } from "./HandOver.ts"

/** What a template may say between `{{` and `}}`. */
export const agentNameList = ["conversation.id", "session.id", "item.slug", "repo.slug"] as const

const valueOf = (name: string, names: AgentNames): string | undefined => {
  switch (name) {
    case "conversation.id":
      return names.conversation.id
    case "session.id":
      return names.session.id
    case "item.slug":
      return names.item.slug
    case "repo.slug":
      return names.repo.slug
    default:
      return undefined
  }
}

const hole = /\{\{(.*?)\}\}/gsu

/** Puts the names in. A hole of another name, which no configuration may have, stays as it stands. */
export const renderAgentTemplate = (template: string, names: AgentNames): string =>
  template.replaceAll(hole, (whole: string, inner: string) => valueOf(inner.trim(), names) ?? whole)

/** `acme/app` as one safe path segment: a readable part, and a hash since that part alone may be another's (B100). */
export const repoSlug = (repo: string): string => {
  const readable = repo
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(-48)
    .replaceAll(/^-+|-+$/gu, "")
  const hash = createHash("sha256").update(repo.toLowerCase(), "utf8").digest("hex").slice(0, 8)
  return `${readable === "" ? "repo" : readable}-${hash}`
}

export const agentNames = (
  handOver: Pick<HandOver, "conversation" | "item"> & { readonly session: { readonly id: string } }
): AgentNames => ({
  conversation: { id: handOver.conversation },
  item: { slug: handOver.item.slug },
  repo: { slug: repoSlug(handOver.item.repo) },
  session: { id: handOver.session.id }
})
