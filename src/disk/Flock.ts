/**
 * Flock: the C library's `flock(2)`, which Node does not offer. The binding is loaded when it is first asked for, so
 * that commands that only look never load it.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Koffi from "koffi"
import { constants } from "node:os"

/** The binding could not be loaded on this machine. */
export class FlockMissing extends Schema.TaggedError<FlockMissing>()("FlockMissing", {
  message: Schema.String
}) {}

/** What a call that never waits may answer. `Failed` carries the system's name of the error. */
export type Flocked =
  { readonly _tag: "Taken" } | { readonly _tag: "Busy" } | { readonly _tag: "Failed"; readonly code: string }

export interface Flock {
  /** Asks for a lock on an open descriptor, never waiting for it. Closing the descriptor gives it back. */
  readonly take: (descriptor: number, mode: "exclusive" | "shared") => Flocked
}

const operations = { shared: 1, exclusive: 2 } as const
const withoutWaiting = 4

/** glibc, musl, macOS, FreeBSD; last, whatever the Node binary itself is linked to. */
const libraries = (platform: NodeJS.Platform): ReadonlyArray<string | null> =>
  platform === "darwin"
    ? ["/usr/lib/libSystem.B.dylib", "libSystem.dylib", null]
    : ["libc.so.6", "libc.so", "libc.so.7", null]

const codeName = (errno: number): string =>
  Object.entries(constants.errno).find(([, number]) => number === errno)?.[0] ?? `errno ${errno}`

const open = (koffi: typeof Koffi): Flock | undefined => {
  for (const library of libraries(process.platform)) {
    try {
      const flock: (descriptor: number, operation: number) => number = koffi
        .load(library)
        .func("int flock(int descriptor, int operation)")
      const take = (descriptor: number, mode: "exclusive" | "shared"): Flocked => {
        for (;;) {
          if (flock(descriptor, operations[mode] | withoutWaiting) === 0) return { _tag: "Taken" }
          const errno = koffi.errno()
          if (errno === constants.errno.EINTR) continue
          return errno === constants.errno.EWOULDBLOCK || errno === constants.errno.EAGAIN
            ? { _tag: "Busy" }
            : { _tag: "Failed", code: codeName(errno) }
        }
      }
      return { take }
    } catch {
      // This name means nothing here; the next one may.
    }
  }
  return undefined
}

/** Loads the binding. */
export const load: Effect.Effect<Flock, FlockMissing> = Effect.tryPromise({
  try: async () => open(await import("koffi")),
  catch: (cause) =>
    new FlockMissing({
      message: `the native binding "koffi" cannot be loaded (${cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause)})`
    })
}).pipe(
  Effect.filterOrFail(
    (flock) => flock !== undefined,
    () => new FlockMissing({ message: "no C library with flock(2) was found" })
  )
)
