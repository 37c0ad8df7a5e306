/**
 * Root: the folder in which everything heed remembers lies. Opening it makes what is missing and notices a root that
 * was moved or copied, whose sessions then belong to another place.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { join } from "node:path"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { diskError, type DiskError } from "../disk/DiskError.ts"
import { Instant, instant } from "../domain/Item.ts"
import * as ExactJson from "./ExactJson.ts"
import { socketPath } from "./SocketPath.ts"

/** `root.json`: who this root is, and where it was when it was opened last. */
export const RootFile = Schema.Struct({
  version: Schema.Literal(1),
  /** Random, 128 bits, hexadecimal. */
  id: Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{32}$/u))),
  /** Of the root's folder, decimal. */
  device: Schema.String,
  inode: Schema.String,
  host: Schema.String,
  /** The key of the marks under heed's own comments: random, 256 bits, hexadecimal. */
  markKey: Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/u))),
  createdAt: Instant
})
export type RootFile = typeof RootFile.Type

export class RootError extends Schema.TaggedError<RootError>()("RootError", {
  /**
   * Missing: no heed ever ran here. Elsewhere: it was moved or copied, and only a person knows which. Unreadable:
   * `root.json` is corrupt or newer. Unwritable: the disk or its permissions. Unsafe: the socket's folder is not ours.
   */
  reason: Schema.Literals(["Missing", "Elsewhere", "Unreadable", "Unwritable", "Unsafe"]),
  message: Schema.String
}) {}

export interface RootOptions {
  /** Absolute. */
  readonly path: string
  /** What a person said of a root that is not where it was: `--moved` keeps it, `--copied` makes a new one of it. */
  readonly now?: "moved" | "copied"
  /** Instead of the stored key, where roots are short-lived: `$HEED_MARK_KEY`. */
  readonly markKey?: string
  /** Where sockets go whose path would be too long. Default: `$XDG_RUNTIME_DIR`, else the temporary folder. */
  readonly runtimeDir?: string
}

export class Root extends Context.Service<
  Root,
  {
    readonly path: string
    readonly id: string
    readonly markKey: string
    /** `<root>/items`, one record per work item. */
    readonly items: string
    /** `<root>/runs`, one folder per hand-over. */
    readonly runs: string
    /** The control socket. */
    readonly socket: string
    /** The socket of heed's own tmux server, named after the root's id. */
    readonly tmuxSocket: string
  }
>()("heed/state/Root") {
  /** Opens the root to work in it. Only under the lock: it makes and mends what is missing. */
  static readonly layer = (options: RootOptions): Layer.Layer<Root, RootError, FileSystem.FileSystem> =>
    Layer.effect(Root, open(options))

  /** For commands that only look: writes nothing, and fails with `Missing` where no heed ever ran. */
  static readonly layerReadOnly = (
    options: RootOptions
  ): Layer.Layer<Root, RootError, FileSystem.FileSystem> => Layer.effect(Root, look(options))
}

const rootFileName = "root.json"
const decode = Schema.decodeUnknownEffect(RootFile)

const unwritable = ({ message }: DiskError) =>
  new RootError({
    reason: "Unwritable",
    message: `${message}. Make the state root writable for this user, or name another one in state.root`
  })

/** `root.json`, or undefined when there is none. */
const readFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const file = join(path, rootFileName)
  const text = yield* files.readFileString(file).pipe(
    Effect.catchIf(
      (failure) => failure.reason._tag === "NotFound",
      () => Effect.succeed(undefined)
    ),
    Effect.mapError(diskError("read", file)),
    Effect.mapError(({ message }) => new RootError({ reason: "Unreadable", message }))
  )
  if (text === undefined) return undefined
  const raw = ExactJson.parse(text)
  return yield* decode(raw).pipe(
    // Whatever a newer heed of this version added stays in the file.
    Effect.map((file): RootFile => ({ ...(ExactJson.isObject(raw) ? raw : {}), ...file })),
    Effect.mapError(
      ({ message }) =>
        new RootError({
          reason: "Unreadable",
          message:
            `${file} is not what this heed writes (${message.replaceAll(/\s+/gu, " ")}): it is damaged, or of a newer ` +
            `heed. Put it back from a backup; or, to begin anew without its sessions, start with --copied`
        })
    )
  )
})

/** Where the root's folder is now. */
const placeOf = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const info = yield* files
    .stat(path)
    .pipe(Effect.mapError(diskError("look at", path)), Effect.mapError(unwritable))
  return {
    device: String(info.dev),
    inode: String(info.ino._tag === "Some" ? info.ino.value : 0),
    host: hostname()
  }
})

type Place = Effect.Success<ReturnType<typeof placeOf>>

/**
 * Whether it is the same folder. Its inode decides, with one of the others: a device gets another number at some
 * reboots, a container another host name at each start; but both at once is another machine.
 */
const isSamePlace = (file: RootFile, place: Place): boolean =>
  file.inode === place.inode && (file.device === place.device || file.host === place.host)

const fresh = Effect.fnUntraced(function* (place: Place) {
  return {
    version: 1,
    id: randomBytes(16).toString("hex"),
    ...place,
    markKey: randomBytes(32).toString("hex"),
    createdAt: instant(yield* Clock.currentTimeMillis)
  } satisfies RootFile
})

const write = (path: string, file: RootFile) =>
  AtomicFile.write(join(path, rootFileName), ExactJson.render(file), "root").pipe(Effect.mapError(unwritable))

/**
 * What a copy must not take over goes aside: its sessions are the original's, and so are its first runs, since without its
 * items all of them would start at once.
 */
const setAside = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const at = (yield* Clock.currentTimeMillis).toString()
  for (const name of ["items", "runs", "listings.json", "agents.json", "validators.json", "heartbeat.json"]) {
    const from = join(path, name)
    yield* files.rename(from, `${from}.before-copy-${at}`).pipe(
      Effect.catchIf(
        (failure) => failure.reason._tag === "NotFound",
        () => Effect.void
      ),
      Effect.mapError(diskError("set aside", from)),
      Effect.mapError(unwritable)
    )
  }
})

const elsewhere = (path: string, file: RootFile) =>
  new RootError({
    reason: "Elsewhere",
    message:
      `the state root ${path} is not where it was on ${file.host}: it was moved or copied. If it was moved and the ` +
      `former place is no longer used, start with --moved; if it is a copy, start with --copied, which makes a new ` +
      `root of it without sessions`
  })

/** What `root.json` is to hold, given what it holds. */
const settle = Effect.fnUntraced(function* ({ path, now }: RootOptions, place: Place) {
  const known = yield* readFile(path).pipe(
    Effect.catchIf(
      (failure) => failure.reason === "Unreadable" && now === "copied",
      () => Effect.succeed("unreadable" as const)
    )
  )
  if (known === undefined) return { file: yield* fresh(place), changed: true }
  if (known === "unreadable" || (now === "copied" && !isSamePlace(known, place))) {
    yield* setAside(path)
    return { file: yield* fresh(place), changed: true }
  }
  if (!isSamePlace(known, place) && now !== "moved") return yield* elsewhere(path, known)
  const file = { ...known, ...place }
  return { file, changed: !ExactJson.isSame(file, known) }
})

const makeFolder = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  yield* files
    .makeDirectory(path, { recursive: true, mode: 0o700 })
    .pipe(Effect.mapError(diskError("make", path)), Effect.mapError(unwritable))
})

const open = Effect.fn("Root.open")(function* (options: RootOptions) {
  const { path } = options
  const files = yield* FileSystem.FileSystem
  yield* makeFolder(path)
  const { file, changed } = yield* settle(options, yield* placeOf(path))
  yield* AtomicFile.removeTemporaries(path).pipe(Effect.mapError(unwritable))
  const ignore = join(path, ".gitignore")
  if (!(yield* files.exists(ignore).pipe(Effect.orElseSucceed(() => false)))) {
    yield* AtomicFile.write(ignore, "*\n").pipe(Effect.mapError(unwritable))
  }
  for (const name of ["items", "runs"]) {
    yield* makeFolder(join(path, name))
    yield* files
      .chmod(join(path, name), 0o700)
      .pipe(Effect.mapError(diskError("protect", join(path, name))), Effect.mapError(unwritable))
  }
  if (changed) yield* write(path, file)
  return yield* service(options, file, "make")
})

const look = Effect.fn("Root.look")(function* (options: RootOptions) {
  const { path } = options
  const file = yield* readFile(path)
  if (file === undefined) {
    return yield* new RootError({
      reason: "Missing",
      message: `no heed ever ran in ${path}: start one with "heed start"`
    })
  }
  if (options.now !== "moved" && !isSamePlace(file, yield* placeOf(path))) return yield* elsewhere(path, file)
  return yield* service(options, file, "look")
})

const service = Effect.fnUntraced(function* (options: RootOptions, file: RootFile, folder: "make" | "look") {
  const { path, markKey = file.markKey } = options
  const socketOf = (name: string) =>
    socketPath({ root: path, name, id: file.id, folder, runtimeDir: options.runtimeDir }).pipe(
      Effect.mapError((message) => new RootError({ reason: "Unsafe", message }))
    )
  return Root.of({
    path,
    id: file.id,
    markKey,
    items: join(path, "items"),
    runs: join(path, "runs"),
    socket: yield* socketOf("heed.sock"),
    tmuxSocket: yield* socketOf(`tmux-${file.id.slice(0, 8)}.sock`)
  })
})
