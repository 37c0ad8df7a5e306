/**
 * SocketPath: where a socket of a root lies. The system cuts or refuses paths over some hundred bytes, so
 * that a root far down has its socket in a short folder of the user's own.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"

/** The longest path a socket may have, in bytes; some systems take 103. */
const longest = 100
const fits = (path: string): boolean => Buffer.byteLength(path) <= longest

export interface SocketOptions {
  readonly root: string
  /** The socket's own name. */
  readonly name: string
  /** The root's id. */
  readonly id: string
  /** Whether the folder is made, or only looked at. */
  readonly folder: "make" | "look"
  /** Instead of `$XDG_RUNTIME_DIR`. */
  readonly runtimeDir?: string | undefined
}

/** The folders outside the root that may hold its socket, best first. */
const candidates = ({
  id,
  runtimeDir = process.env["XDG_RUNTIME_DIR"]
}: SocketOptions): ReadonlyArray<string> => [
  ...(runtimeDir === undefined || runtimeDir === "" ? [] : [join(runtimeDir, `heed-${id}`)]),
  join(tmpdir(), `heed-${userInfo().uid}-${id.slice(0, 16)}`),
  join("/tmp", `heed-${userInfo().uid}-${id.slice(0, 16)}`)
]

/** Answers with the path, or fails with why its folder is not safe: others could stand in for the daemon there. */
export const socketPath = Effect.fn("SocketPath.socketPath")(function* (options: SocketOptions) {
  const { name } = options
  const plain = join(options.root, name)
  if (fits(plain)) return plain
  const files = yield* FileSystem.FileSystem
  for (const folder of candidates(options)) {
    const path = join(folder, name)
    if (!fits(path)) continue
    if (options.folder === "make") {
      const made = yield* files.makeDirectory(folder, { mode: 0o700 }).pipe(
        Effect.as(true),
        Effect.catch((failure) => Effect.succeed(failure.reason._tag === "AlreadyExists"))
      )
      // Such as a runtime folder that ended with the user's session: the next place will do.
      if (!made) continue
    }
    const info = yield* files.lstat(folder).pipe(Effect.orElseSucceed(() => undefined))
    if (info === undefined) continue
    const owner = info.uid._tag === "Some" ? info.uid.value : -1
    if (info.type !== "Directory" || owner !== userInfo().uid || (info.mode & 0o077) !== 0) {
      return yield* Effect.fail(
        `the folder of heed's socket, ${folder}, is not yours alone (owner ${owner}, mode ${(info.mode & 0o777).toString(8)}). Remove it, or use a shorter state.root`
      )
    }
    return path
  }
  if (options.folder === "look") return join(candidates(options)[0] ?? tmpdir(), name)
  return yield* Effect.fail(
    `no folder for heed's socket: ${plain} is longer than ${longest} bytes, and neither $XDG_RUNTIME_DIR nor the temporary folder can be used. Use a shorter state.root`
  )
})
