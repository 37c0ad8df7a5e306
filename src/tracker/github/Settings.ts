/**
 * Settings: one GitHub entry of `sources`, its defaults, and what no schema says about it.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { optional, required, withDefault } from "../../domain/Key.ts"
import { Auth } from "../../net/Credentials.ts"

const text = (expected: string, pattern: RegExp) =>
  Schema.String.pipe(Schema.check(Schema.isPattern(pattern, { expected })))

/** A dot or two alone would be a step in a path. */
const Repo = text(
  "a repository as owner/name",
  /^(?!\.{1,2}\/)[A-Za-z0-9._-]+\/(?!\.{1,2}$)[A-Za-z0-9._-]+$/u
)
const Host = text("a host name such as github.com", /^[A-Za-z0-9.-]+(?::\d+)?$/u)
const Labels = Schema.Array(Schema.NonEmptyString).pipe(Schema.check(Schema.isMinLength(1)))

/** The label of an entry that names none. */
export const defaultLabel = "agent"

/** The keys of an entry beside `provider` and `name`. `apiUrl` and the label follow from the others where absent. */
export const fields = {
  host: withDefault(Host, "github.com", "The host; an Enterprise Server is fine."),
  apiUrl: optional(
    Schema.NonEmptyString,
    "Where its API is; follows from `host` where it is not written. Plain http only to loopback."
  ),
  auth: withDefault(
    Auth,
    { from: "gh", binary: "gh" },
    "Where the token comes from; never the token itself."
  ),
  repos: required(Schema.Array(Repo), "The repositories to watch, as `owner/name`."),
  label: Schema.optionalKey(
    Schema.NonEmptyString.pipe(
      Schema.annotateEncoded({
        description: "An open item with this label gets an agent.",
        default: defaultLabel
      })
    )
  ),
  labels: optional(
    Schema.Union([
      Schema.Struct({ anyOf: required(Labels, "Items with any of these.") }),
      Schema.Struct({ allOf: required(Labels, "Items with all of these.") })
    ]),
    "Several labels, in place of `label`."
  ),
  monitor: withDefault(
    Schema.Struct({
      issues: withDefault(Schema.Boolean, true, "Watch issues."),
      pullRequests: withDefault(Schema.Boolean, true, "Watch pull requests.")
    }),
    {},
    "What is watched."
  )
}

export const Settings = Schema.Struct(fields)
export type Settings = typeof Settings.Type

/** Settings as they stand in a plan: decoded, with defaults filled in. */
export const decodeSettings = Schema.decodeUnknownOption(Settings)

/** Without a slash at the end. github.com has its API on a host of its own, GitHub Enterprise Server below a path. */
export const apiUrl = (settings: Pick<Settings, "host" | "apiUrl">): string => {
  if (settings.apiUrl !== undefined) return settings.apiUrl.replace(/\/+$/u, "")
  const host = settings.host.toLowerCase()
  return host === "github.com" || host.endsWith(".ghe.com") ? `https://api.${host}` : `https://${host}/api/v3`
}

/** One request's worth of labels each; an item of any of them is in scope. */
export const labelSets = (
  settings: Pick<Settings, "label" | "labels">
): ReadonlyArray<ReadonlyArray<string>> => {
  if (settings.labels === undefined) return [[settings.label ?? defaultLabel]]
  return "anyOf" in settings.labels ? settings.labels.anyOf.map((label) => [label]) : [settings.labels.allOf]
}

const loopback = (hostname: string) =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(hostname)

export interface Problem {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

const addressProblems = (settings: Settings): ReadonlyArray<Problem> => {
  if (settings.apiUrl === undefined) return []
  const path = ["apiUrl"]
  if (!URL.canParse(settings.apiUrl)) {
    return [{ path, message: "is no URL: write it whole, such as https://ghe.example.org/api/v3" }]
  }
  const { protocol, hostname, username, password, search, hash } = new URL(settings.apiUrl)
  if (username !== "" || password !== "") {
    return [{ path, message: "holds a user or password: write it without, and name the credential in auth" }]
  }
  if (search !== "" || hash !== "") return [{ path, message: "ends in a query or fragment: leave it off" }]
  if (protocol === "https:") return []
  if (protocol !== "http:") return [{ path, message: `speaks ${protocol} where https: is needed` }]
  return loopback(hostname)
    ? []
    : [{ path, message: "would send the token unencrypted: write https (plain http only to loopback)" }]
}

const labelProblems = (settings: Settings): ReadonlyArray<Problem> => {
  const named: ReadonlyArray<readonly [string, Problem["path"]]> = [
    ...(settings.label === undefined ? [] : [[settings.label, ["label"]] as const]),
    ...Object.entries(settings.labels ?? {}).flatMap(([key, labels]) =>
      labels.map((label, index) => [label, ["labels", key, index]] as const)
    )
  ]
  return [
    ...(settings.label !== undefined && settings.labels !== undefined
      ? [{ path: ["labels"], message: "stands beside label: keep one of the two" }]
      : []),
    ...named.flatMap(([label, path]) => {
      if (label.includes(",")) {
        return [
          {
            path,
            message:
              "has a comma, which a GitHub listing takes for a separator: write labels: { allOf: [a, b] } for items with both, { anyOf: [a, b] } for either, or rename the label"
          }
        ]
      }
      return label.trim() === label ? [] : [{ path, message: "begins or ends with a space: leave it off" }]
    })
  ]
}

const repoProblems = ({ repos }: Settings): ReadonlyArray<Problem> => {
  if (repos.length === 0) {
    return [{ path: ["repos"], message: "names no repository: write at least one, such as acme/app" }]
  }
  const folded = repos.map((repo) => repo.toLowerCase())
  return repos.flatMap((repo, index) =>
    folded.indexOf(repo.toLowerCase()) === index
      ? []
      : [{ path: ["repos", index], message: `names ${repo} a second time: remove one` }]
  )
}

const check = (settings: Schema.Json): ReadonlyArray<Problem> => {
  const decoded = decodeSettings(settings)
  if (decoded._tag === "None") return []
  const { monitor } = decoded.value
  return [
    ...repoProblems(decoded.value),
    ...labelProblems(decoded.value),
    ...addressProblems(decoded.value),
    ...(monitor.issues || monitor.pullRequests
      ? []
      : [{ path: ["monitor"], message: "switches everything off: switch issues or pullRequests on" }])
  ]
}

/** A command without a slash is looked for in PATH, and is no path. */
const rooted = (settings: Schema.Json, resolve: (path: string) => string): Schema.Json =>
  Option.match(decodeSettings(settings), {
    onNone: () => settings,
    onSome: (decoded) => {
      const { auth } = decoded
      if ("file" in auth) return { ...decoded, auth: { file: resolve(auth.file) } }
      if ("env" in auth || !auth.binary.includes("/")) return settings
      return { ...decoded, auth: { ...auth, binary: resolve(auth.binary) } }
    }
  })

/** What the configuration has to know of this provider. */
export const kind = { name: "github", fields, check, rooted }
