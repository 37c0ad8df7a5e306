/**
 * LockFile: the few system calls on the pidfile that the lock is made of. They are synchronous, so that no interruption
 * falls between them; each is a matter of microseconds, and none waits for a lock.
 */
import type { BigIntStats } from "node:fs"
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync
} from "node:fs"
import * as Predicate from "effect/Predicate"
import type * as Result from "effect/Result"
import type { Flock } from "./Flock.ts"
import { format, parse, pidfileLimit, type Holder } from "./Pidfile.ts"

/** An open pidfile, held or not. Keep the number: a lock on a collected handle would be lost. */
export interface OpenFile {
  readonly descriptor: number
  readonly stat: BigIntStats
}

/** Why a pidfile was not accepted; said to people. */
export class Unacceptable extends Error {}

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""

/** What a failed call on the pidfile means for people. */
export const explain = (cause: unknown): string => {
  if (cause instanceof Unacceptable) return cause.message
  const code = codeOf(cause)
  switch (code) {
    case "ELOOP":
      return "it is a symbolic link"
    case "EISDIR":
    case "ENXIO":
      return "it is no plain file"
    case "EACCES":
    case "EPERM":
      return "permission denied"
    case "EROFS":
      return "the file system is read-only"
    case "ENOSPC":
    case "EDQUOT":
      return "no space left"
    case "ENOTDIR":
      return "a part of its path is no folder"
    default:
      return code === "" ? String(cause) : code
  }
}

const opened = (path: string, flags: number): OpenFile => {
  // Neither following a link nor waiting for a pipe's other end; Node adds O_CLOEXEC, so no child inherits it (G1.4).
  const descriptor = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
  try {
    const stat = fstatSync(descriptor, { bigint: true })
    if (!stat.isFile()) throw new Unacceptable("it is no plain file")
    if (stat.nlink > 1n) throw new Unacceptable("it is a hard link: another name leads to the same file")
    return { descriptor, stat }
  } catch (cause) {
    closeSync(descriptor)
    throw cause
  }
}

/** Opens the pidfile to lock it, making it when missing. */
export const openToLock = (path: string): OpenFile => opened(path, constants.O_RDWR | constants.O_CREAT)

/** Opens the pidfile to look at it; undefined when there is none. */
export const openToLook = (path: string): OpenFile | undefined => {
  try {
    return opened(path, constants.O_RDONLY)
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

/** Whether the path still leads to the open file: a lock on a file that lost its name excludes nobody (G1.3). */
export const isInPlace = (path: string, file: OpenFile): boolean => {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return now !== undefined && now.ino === file.stat.ino && now.dev === file.stat.dev
}

/** Whether the lock on the file keeps out a second open of it; where it does not, it keeps out nobody. */
const excludes = (path: string, flock: Flock): boolean => {
  const second = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return flock.take(second, "exclusive")._tag === "Busy"
  } finally {
    closeSync(second)
  }
}

/** Empties the locked file, then writes who holds it, durably. */
const sign = (file: OpenFile, holder: Holder): void => {
  ftruncateSync(file.descriptor, 0)
  const bytes = Buffer.from(format(holder))
  for (let written = 0; written < bytes.length;) {
    written += writeSync(file.descriptor, bytes, written, bytes.length - written, written)
  }
  fsyncSync(file.descriptor)
}

/** What one try to take the lock came to. Busy: somebody else has it, or was quicker. */
export type Try =
  | { readonly _tag: "Taken"; readonly file: OpenFile }
  | { readonly _tag: "Busy" }
  | { readonly _tag: "Unlockable"; readonly why: string }

/** One try, from opening the file to signing it, without a gap. Throws what `explain` explains. */
export const tryTake = (path: string, flock: Flock, holder: Holder): Try => {
  const file = openToLock(path)
  let kept = false
  try {
    const taken = flock.take(file.descriptor, "exclusive")
    if (taken._tag === "Failed") return { _tag: "Unlockable", why: taken.code }
    if (taken._tag === "Busy" || !isInPlace(path, file)) return { _tag: "Busy" }
    if (!excludes(path, flock)) return { _tag: "Unlockable", why: "it keeps nobody out" }
    sign(file, holder)
    kept = true
    return { _tag: "Taken", file }
  } finally {
    if (!kept) closeSync(file.descriptor)
  }
}

/** Gives a taken lock back: first the file's name, while it still is locked, then the lock (traps B71). */
export const giveBack = (path: string, file: OpenFile): void => {
  try {
    unname(path, file)
  } finally {
    closeSync(file.descriptor)
  }
}

/** Reads who the file names as its holder, or why that is not to be trusted. */
export const signature = (file: OpenFile): Result.Result<Holder, string> => {
  const bytes = Buffer.alloc(pidfileLimit + 1)
  return parse(bytes.toString("utf8", 0, readSync(file.descriptor, bytes, 0, bytes.length, 0)))
}

/** Removes the locked file's name, if it still is its own. */
export const unname = (path: string, file: OpenFile): void => {
  if (isInPlace(path, file)) unlinkSync(path)
}

export const close = (file: OpenFile): void => closeSync(file.descriptor)
