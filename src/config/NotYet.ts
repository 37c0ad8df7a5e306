/**
 * NotYet: keys that heed's configuration will have and this version does nothing with. They are named, never ignored;
 * what merely says that such a feature is off is accepted.
 */
import type { Finding } from "./Explain.ts"
import type { Kinds } from "./Kinds.ts"
import type { Path } from "./Problem.ts"
import type { Plain } from "./Yaml.ts"
import { isMapping } from "./Yaml.ts"

/** A key of a later version, with the values that ask nothing of it. */
interface LaterKey {
  /** `*` stands for any key or index. */
  readonly at: ReadonlyArray<string>
  readonly inert: (value: Plain) => boolean
  readonly mend: string
}

const is =
  (...values: ReadonlyArray<Plain>) =>
  (value: Plain) =>
    values.includes(value)
const empty = (value: Plain) => Array.isArray(value) && value.length === 0
const off = (value: Plain) => isMapping(value) && value["enabled"] === false

const later: ReadonlyArray<LaterKey> = [
  {
    at: ["routes"],
    inert: empty,
    mend: "remove it; without routes, an item in scope starts the agent `default`"
  },
  { at: ["webhook"], inert: off, mend: "remove it, or write { enabled: false }; heed polls" },
  { at: ["acknowledge"], inert: is(false), mend: "remove it, or write false" },
  { at: ["access", "roles"], inert: empty, mend: "remove it, and name people in access.users" },
  { at: ["access", "bots"], inert: empty, mend: "remove it; bots are not listened to" },
  { at: ["sources", "*", "linkPullRequests"], inert: is(false), mend: "remove it, or write false" },
  { at: ["sources", "*", "confidential"], inert: is("skip"), mend: "remove it, or write skip" },
  { at: ["agents", "*", "onEdit"], inert: is("ignore"), mend: "remove it, or write ignore" }
]

/** A value without the keys of later versions, and what is to be said about those that asked for something. */
export interface Sifted {
  readonly value: Plain
  readonly findings: ReadonlyArray<Finding>
}

const matches = (at: ReadonlyArray<string>, path: Path) =>
  at.length === path.length && at.every((step, index) => step === "*" || step === path[index])

/** Takes the keys of later versions out of a file's values, but for those that a kind of this version has. */
export const sift = (value: Plain, kinds: Kinds): Sifted => {
  const known = new Set([...kinds.providers, ...kinds.sinks].flatMap(({ fields }) => Object.keys(fields)))
  const findings: Array<Finding> = []
  const walk = (here: Plain, path: Path): Plain => {
    if (Array.isArray(here)) return here.map((item, index) => walk(item, [...path, index]))
    if (!isMapping(here)) return here
    const kept: { [key: string]: Plain } = Object.create(null)
    for (const [key, inner] of Object.entries(here)) {
      const place = [...path, key]
      const found = known.has(key) ? undefined : later.find(({ at }) => matches(at, place))
      if (found === undefined) kept[key] = walk(inner, place)
      else if (!found.inert(inner)) findings.push({ path: place, message: `not yet: ${key}; ${found.mend}` })
    }
    return kept
  }
  return { value: walk(value, []), findings }
}
