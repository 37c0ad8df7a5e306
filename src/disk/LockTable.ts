/**
 * LockTable: the kernel's own list of who holds which lock, `/proc/locks`: a look that touches no lock.
 */
import type { BigIntStats } from "node:fs"
import { readFileSync } from "node:fs"

/**
 * Holder: the kernel names this process. NotListed: no exclusive lock is listed, which does not yet prove that there is
 * none, since holders outside this process's pid namespace are left out. NoTable: this system has no such list.
 */
export type Listed =
  | { readonly _tag: "Holder"; readonly pid: number }
  | { readonly _tag: "NotListed" }
  | { readonly _tag: "NoTable" }

/** `12: FLOCK  ADVISORY  WRITE 4711 fe:00:131085 0 EOF`; a waiting one has `->` after its number. */
const line = /^\d+: FLOCK +\S+ +WRITE +(\d+) +([0-9a-f]+):([0-9a-f]+):(\d+) /gmu

/** How Linux packs major and minor numbers into `st_dev`. */
const major = (device: bigint): bigint => ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn)
const minor = (device: bigint): bigint => (device & 0xffn) | ((device >> 12n) & ~0xffn)

/** Looks for an exclusive `flock` on this file in the text of a lock table. */
export const search = (table: string, file: Pick<BigIntStats, "dev" | "ino">): Listed => {
  for (const [, pid, high, low, inode] of table.matchAll(line)) {
    if (
      BigInt(inode ?? -1) === file.ino &&
      BigInt(`0x${high}`) === major(file.dev) &&
      BigInt(`0x${low}`) === minor(file.dev)
    ) {
      return { _tag: "Holder", pid: Number(pid) }
    }
  }
  return { _tag: "NotListed" }
}

/** Looks for an exclusive `flock` on this file now. */
export const exclusiveHolder = (file: Pick<BigIntStats, "dev" | "ino">): Listed => {
  try {
    return search(readFileSync("/proc/locks", "utf8"), file)
  } catch {
    // Elsewhere than on Linux, or without /proc: the caller asks the lock itself.
    return { _tag: "NoTable" }
  }
}
