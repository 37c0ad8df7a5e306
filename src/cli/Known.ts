/**
 * What this machine already tells without a network: gh's login and this folder's repository.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { dirname, join, resolve } from "node:path"

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
    /^(?:[a-z+]+:\/\/)?(?:[^@/\s]+@)?(?:www\.|ssh\.)?github\.com(?::\d+)?[:/]\/?([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/iu.exec(
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

/** git's configuration of the clone that a folder is in: of the folder itself, or of the nearest one above it. */
const gitConfig = Effect.fnUntraced(function* (from: string) {
  for (let folder = from; ; folder = dirname(folder)) {
    const git = join(folder, ".git")
    const config = yield* read(join(git, "config"))
    if (Option.isSome(config)) return config
    // A worktree has a file there that says where its own part lies, and that part where the common one is.
    const [, part] = /^gitdir: (.+)$/mu.exec(Option.getOrElse(yield* read(git), () => "")) ?? []
    if (part !== undefined) {
      const own = resolve(folder, part)
      const common = Option.getOrElse(yield* read(join(own, "commondir")), () => ".")
      return yield* read(join(resolve(own, common.trim()), "config"))
    }
    if (folder === dirname(folder)) return Option.none<string>()
  }
})

/** The address of `origin` of the clone that a folder is in. */
export const origin = (folder: string) => Effect.map(gitConfig(folder), Option.flatMap(originOf))

/** The repository that the `origin` of this folder's clone is. */
export const repository = Effect.suspend(() =>
  Effect.map(origin(process.cwd()), Option.flatMap(repositoryOf))
)
