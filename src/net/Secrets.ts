/**
 * Secrets: takes tokens out of texts that others wrote and heed keeps or passes on, such as what an agent said last:
 * those that this process has used, and the shapes of those it has not (G5.3, traps B102).
 */
import * as Context from "effect/Context"

/** Shapes that only secrets have. */
const shapes =
  "(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\\w{16,}|glpat-[\\w-]{16,}|ATATT[\\w=-]{16,}|sk-ant-[\\w-]{16,}|xox[abps]-[\\w-]{10,})"

const token = new RegExp(`(?<![A-Za-z0-9])${shapes}`, "gu")

/** `https://name:password@host`. */
const inAddress = /(?<=:\/\/)[^/\s:@"]+:[^/\s@"]+(?=@)/gu

const mask = "[secret]"

/** What is shorter may stand in any text by chance, and would tear holes into it. */
const shortest = 8

/** Whether a text holds what looks like a secret. */
export const looksSecret = (text: string): boolean => new RegExp(token.source, "u").test(text)

const make = () => {
  const known = new Set<string>()
  return {
    /** Remembers a token that is in use. */
    learn: (secret: string): void => {
      if (secret.length >= shortest) known.add(secret)
    },
    /** The text without secrets; anything else stays as it is. */
    redact: (text: string): string => {
      let clean = text.replaceAll(token, mask).replaceAll(inAddress, mask)
      for (const secret of known) clean = clean.replaceAll(secret, mask)
      return clean
    }
  }
}

/** One for the process: what one source's credential is, no other source's log may hold either. */
export const Secrets = Context.Reference<ReturnType<typeof make>>("heed/net/Secrets", { defaultValue: make })
