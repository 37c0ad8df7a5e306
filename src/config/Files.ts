/**
 * Files: where a configuration is found, and its text and prompts read as one content, all of one generation even while
 * a mounted folder is swapped under it (traps B87, B88).
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import { createHash } from "node:crypto"
import * as Places from "./Places.ts"
import type { Path as Place } from "./Problem.ts"
import { ConfigError } from "./Problem.ts"
import type { Parsed, Plain } from "./Yaml.ts"
import { isMapping, parse, plain, sizeLimit } from "./Yaml.ts"

const variable = (name: string) =>
  Config.option(Config.String(name)).pipe(
    Effect.map(Option.getOrUndefined),
    // A provider that cannot answer for a variable is one in which it is not set.
    Effect.catch(() => Effect.succeed(undefined))
  )

/**
 * The configuration file's absolute path: `asked` (`--config`), else `$HEED_CONFIG`, else `./heed.yaml`, else
 * `$XDG_CONFIG_HOME/heed/heed.yaml`. One that was asked for is taken even if it is missing, so that the error names it.
 */
export const find = Effect.fn("Config.find")(function* (asked: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const where = Places.places({
    from: (yield* Path.Path).resolve(),
    file: asked,
    named: yield* variable("HEED_CONFIG"),
    xdg: yield* variable("XDG_CONFIG_HOME"),
    home: yield* variable("HOME")
  })
  if (where._tag === "Asked") return where.place
  const { places } = where
  for (const place of places) {
    // A place that cannot be looked at is tried, so that reading it says why.
    if (yield* fs.exists(place).pipe(Effect.catch(() => Effect.succeed(true)))) return place
  }
  return yield* new ConfigError({
    reason: "NotFound",
    file: places[0] ?? "heed.yaml",
    problems: [
      {
        path: "",
        message: `there is no configuration at ${places.join(" or ")}; write one with \`heed init\`, or name it with --config or $HEED_CONFIG`
      }
    ]
  })
})

/** The most a prompt file may hold, in bytes. */
const promptLimit = 262_144

/** One file's text, or why it cannot be had, with the mend. */
export type Content =
  { readonly _tag: "Text"; readonly text: string } | { readonly _tag: "None"; readonly why: string }

const none = (why: string): Content => ({ _tag: "None", why })

const whyNot = (error: PlatformError.PlatformError): Content => {
  switch (error.reason._tag) {
    case "NotFound":
      return none("there is no such file; write it, or name another")
    case "PermissionDenied":
      return none("it may not be read; give heed's user the right to read it")
    default:
      return none(`it cannot be read (${error.reason._tag}); check it with \`cat\``)
  }
}

const read = Effect.fnUntraced(
  function* (file: string, limit: number) {
    const fs = yield* FileSystem.FileSystem
    const info = yield* fs.stat(file)
    if (info.type === "Directory") return none("it is a folder; name a file in it")
    if (info.type !== "File") return none("it is no plain file; name one")
    if (info.size > limit) return none(`it is larger than ${limit} bytes; shorten it`)
    const bytes = yield* fs.readFile(file)
    return yield* Effect.try({
      try: (): Content => ({ _tag: "Text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }),
      catch: () => none("it is no UTF-8 text; save it as UTF-8")
    }).pipe(Effect.catch(Effect.succeed))
  },
  Effect.catchTag("PlatformError", (error) => Effect.succeed(whyNot(error)))
)

/** A prompt that an agent names, with its place in the configuration. */
export interface PromptFile {
  readonly at: Place
  readonly content: Content
}

/** A configuration as its files stand at one moment, before anything is checked. */
export interface Snapshot {
  /** Absolute. */
  readonly file: string
  readonly content: Content
  readonly parsed: Parsed
  readonly prompts: ReadonlyArray<PromptFile>
  /** Of everything above: the same exactly when the content is. */
  readonly hash: string
}

const promptNames = (value: Plain): ReadonlyArray<{ readonly at: Place; readonly name: string }> => {
  const agents = isMapping(value) ? value["agents"] : undefined
  if (!isMapping(agents)) return []
  return Object.entries(agents).flatMap(([agent, settings]) => {
    const prompts = isMapping(settings) ? settings["prompts"] : undefined
    if (!isMapping(prompts)) return []
    return Object.entries(prompts).flatMap(([key, name]) =>
      typeof name === "string" && name !== "" && !name.includes("\0")
        ? [{ at: ["agents", agent, "prompts", key], name }]
        : []
    )
  })
}

const hashOf = (contents: ReadonlyArray<readonly [name: string, content: Content]>): string => {
  const hash = createHash("sha256")
  for (const [name, content] of contents) {
    hash.update(JSON.stringify([name, content._tag, content._tag === "Text" ? content.text : content.why]))
  }
  return hash.digest("hex")
}

const take = Effect.fnUntraced(function* (file: string, real: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const content = yield* read(real, sizeLimit)
  const parsed: Parsed = content._tag === "Text" ? parse(content.text) : { _tag: "Broken", problems: [] }
  const names = parsed._tag === "Tree" ? promptNames(plain(parsed.tree)) : []
  const prompts: Array<PromptFile> = []
  for (const { at, name } of names) {
    // Beside the real file first: behind a swapped link that is the folder of the same generation.
    const beside = path.resolve(path.dirname(real), name)
    // One that cannot be looked at is read there, so that reading it says why.
    const there = yield* fs.exists(beside).pipe(Effect.catch(() => Effect.succeed(true)))
    prompts.push({
      at,
      content: yield* read(there ? beside : path.resolve(path.dirname(file), name), promptLimit)
    })
  }
  const hash = hashOf([
    ["", content],
    ...prompts.map(({ at, content: prompt }) => [at.join("/"), prompt] as const)
  ])
  return { file, content, parsed, prompts, hash } satisfies Snapshot
})

/** Reads the file (absolute) and the prompts it names; never fails, since what cannot be read is content too. */
export const snapshot = Effect.fn("Config.snapshot")(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const resolve = fs.realPath(file).pipe(
    // A file that is missing has no real path; reading it says so.
    Effect.catch(() => Effect.succeed(file))
  )
  let real = yield* resolve
  // A link that was swapped meanwhile may have mixed two generations: read again, a few times at most.
  for (let tries = 0; ; tries += 1) {
    const taken: Snapshot = yield* take(file, real)
    const now = yield* resolve
    if (now === real || tries >= 5) return taken
    real = now
  }
})
