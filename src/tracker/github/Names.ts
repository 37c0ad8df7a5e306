/**
 * Names: what people write on the command line for an item, and the refs it may mean.
 */
import type { Ref } from "../../domain/Ref.ts"
import { refOf } from "./Facts.ts"
import type { Settings } from "./Settings.ts"

const number = "([1-9][0-9]{0,9})"
const full = new RegExp(`^github:([^/]+)/([^/]+/[^/#]+)#${number}$`, "iu")
const address = new RegExp(`^https?://([^/]+)/([^/]+/[^/]+)/(?:issues|pull)/${number}(?:[/?#].*)?$`, "iu")
const short = new RegExp(`^([^/:\\s]+/[^/#\\s]+)#${number}$`, "u")
const bare = new RegExp(`^#?${number}$`, "u")

/** A full ref, a web address, `acme/app#12`, or `#12` where the source has one repository. */
export const resolve = (settings: Pick<Settings, "host" | "repos">, text: string): ReadonlyArray<Ref> => {
  const { host, repos } = settings
  const inScope = (repo: string | undefined, digits: string | undefined): ReadonlyArray<Ref> =>
    repos
      .filter((known) => known.toLowerCase() === repo?.toLowerCase())
      .map((known) => refOf(host, known, Number(digits)))
  const trimmed = text.trim()
  const whole = full.exec(trimmed) ?? address.exec(trimmed)
  if (whole !== null) {
    return whole[1]?.toLowerCase() === host.toLowerCase() ? inScope(whole[2], whole[3]) : []
  }
  const named = short.exec(trimmed)
  if (named !== null) return inScope(named[1], named[2])
  const only = bare.exec(trimmed)
  return only !== null && repos.length === 1 ? inScope(repos[0], only[1]) : []
}
