/**
 * What this machine already tells without a network: gh's login and this folder's repository.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

const read = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path)).pipe(
    // A file that is not there, or not ours to read, tells nothing.
    Effect.option
  )

const variable = (name: string) =>
  Config.option(Config.String(name)).pipe(
    Effect.catchTag("ConfigError", () => Effect.succeed(Option.none<string>()))
  )

/** gh's own order: `$GH_CONFIG_DIR`, `$XDG_CONFIG_HOME/gh`, `~/.config/gh`. */
const ghFolder = Effect.gen(function* () {
  const own = yield* variable("GH_CONFIG_DIR")
  const xdg = Option.map(yield* variable("XDG_CONFIG_HOME"), (folder) => `${folder}/gh`)
  const home = Option.map(yield* variable("HOME"), (folder) => `${folder}/.config/gh`)
  return own.pipe(
    Option.orElse(() => xdg),
    Option.orElse(() => home)
  )
})

/** The user of a host in gh's hosts.yml: the same place in its older and its newer layout. */
export const userOf = (hosts: string, host: string): Option.Option<string> => {
  const [, block] =
    new RegExp(`^${host.replaceAll(".", "\\.")}:[ \\t]*\\r?\\n((?:[ \\t]+.*\\r?\\n?|\\r?\\n)*)`, "mu").exec(
      hosts
    ) ?? []
  const [, user] = /^[ \t]+user:[ \t]*["']?([\w-]+)/mu.exec(block ?? "") ?? []
  return Option.fromUndefinedOr(user)
}

/** `owner/name` of a remote's address on github.com, in any of git's ways to write it. */
export const repositoryOf = (url: string): Option.Option<string> => {
  const [, name] =
    /^(?:[a-z+]+:\/\/)?(?:[^@/\s]+@)?(?:www\.)?github\.com(?::\d+)?[:/]\/?([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/iu.exec(
      url.trim()
    ) ?? []
  return Option.fromUndefinedOr(name)
}

/** The address of `origin` in a git configuration. */
export const originOf = (config: string): Option.Option<string> => {
  const [, block] = /^\[remote "origin"\][ \t]*\r?\n((?:(?!\[).*\r?\n?)*)/mu.exec(config) ?? []
  const [, url] = /^[ \t]*url[ \t]*=[ \t]*(.+)$/mu.exec(block ?? "") ?? []
  return Option.fromUndefinedOr(url)
}

/** The GitHub login that gh was last told to use on github.com. */
export const login = Effect.gen(function* () {
  const folder = yield* ghFolder
  if (Option.isNone(folder)) return Option.none<string>()
  return Option.flatMap(yield* read(`${folder.value}/hosts.yml`), (hosts) => userOf(hosts, "github.com"))
})

/** The repository that this folder's `origin` is, when this folder is the top of a clone. */
export const repository = Effect.map(read(".git/config"), (config) =>
  config.pipe(Option.flatMap(originOf), Option.flatMap(repositoryOf))
)
