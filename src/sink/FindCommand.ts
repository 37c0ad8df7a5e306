/**
 * Finds a command as `exec` would, before anything is started, so that its absence can be said in words.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** The look-up, over the given file system. */
export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  const isCommand = (file: string) =>
    fs.stat(file).pipe(
      Effect.map((info) => info.type === "File" && (info.mode & 0o111) !== 0),
      // What cannot be looked at cannot be run either.
      Effect.orElseSucceed(() => false)
    )

  /** The absolute path of a command; undefined when there is none. With a slash it is relative to `cwd`. */
  return Effect.fnUntraced(function* (name: string, cwd: string, searched: string) {
    if (name === "" || name.includes("\0")) return undefined
    const candidates = name.includes("/")
      ? [path.resolve(cwd, name)]
      : searched.split(":").map((folder) => path.resolve(cwd, folder, name))
    for (const candidate of candidates) if (yield* isCommand(candidate)) return candidate
    return undefined
  })
})
