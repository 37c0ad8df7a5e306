/** A file system that fails where a test says so: real files underneath, faults on the way to them. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"

/** The calls that may fail. `short` writes half of the bytes and reports the whole. */
export type Step = "open" | "write" | "short" | "stat" | "sync" | "rename" | "syncFolder" | "link" | "read"

export interface Faults {
  /** The step that fails, and the system's code for it; undefined: all goes well. */
  now: { readonly step: Step; readonly code: string } | undefined
}

const failure = (method: string, path: string, code: string) =>
  PlatformError.systemError({
    _tag: code === "EACCES" ? "PermissionDenied" : "Unknown",
    module: "FileSystem",
    method,
    pathOrDescriptor: path,
    cause: Object.assign(new Error(code), { code })
  })

const wrap = (inner: FileSystem.FileSystem, faults: Faults): FileSystem.FileSystem => {
  const at = <A, R>(
    step: Step,
    path: string,
    effect: Effect.Effect<A, PlatformError.PlatformError, R>
  ): Effect.Effect<A, PlatformError.PlatformError, R> =>
    Effect.suspend(() => {
      if (faults.now?.step !== step) return effect
      return Effect.fail(failure(step, path, faults.now.code))
    })

  const wrapFile = (path: string, file: FileSystem.File): FileSystem.File => ({
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    stat: at("stat", path, file.stat),
    seek: (offset, from) => file.seek(offset, from),
    sync: Effect.flatMap(file.stat, ({ type }) =>
      at(type === "Directory" ? "syncFolder" : "sync", path, file.sync)
    ),
    read: (buffer, options) => file.read(buffer, options),
    readAlloc: (size, options) => file.readAlloc(size, options),
    truncate: (length) => file.truncate(length),
    write: (buffer) =>
      faults.now?.step === "short"
        ? file.write(buffer.subarray(0, buffer.length >> 1))
        : at("write", path, file.write(buffer)),
    writeAll: (buffer) =>
      faults.now?.step === "short"
        ? file.writeAll(buffer.subarray(0, buffer.length >> 1))
        : at("write", path, file.writeAll(buffer))
  })

  return {
    ...inner,
    open: (path, options) =>
      at(
        "open",
        path,
        Effect.map(inner.open(path, options), (file) => wrapFile(path, file))
      ),
    readFileString: (path, encoding) => at("read", path, inner.readFileString(path, encoding)),
    readDirectory: (path, options) => at("read", path, inner.readDirectory(path, options)),
    rename: (from, to) => at("rename", to, inner.rename(from, to)),
    link: (from, to) => at("link", to, inner.link(from, to))
  }
}

/** The real file system with these faults. */
export const layer = (faults: Faults): Layer.Layer<FileSystem.FileSystem> =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (inner) => wrap(inner, faults))
  ).pipe(Layer.provide(NodeFileSystem.layer))
