/**
 * LineFile: a text file to which whole lines are appended, by several processes if need be, and which is rotated
 * before it grows too large: `events.jsonl`, then `events.1.jsonl` and so on, the highest number the oldest.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import { DiskError, diskError } from "../disk/DiskError.ts"
import { killPoint } from "../disk/KillPoint.ts"

export interface Limits {
  /** Of one file, in bytes. */
  readonly maxSize: number
  /** How many are kept, the current one included; at least 1. */
  readonly files: number
}

export interface LineFile {
  /** Appends a line, given without its end, in one write. */
  readonly append: (line: string, limits: Limits) => Effect.Effect<void, DiskError>
  /** All lines on disk, oldest first; none when there is no file or it cannot be read. */
  readonly read: Effect.Effect<ReadonlyArray<string>>
}

const newline = 0x0a

/** Names the files after `name` in `folder`. Touches nothing. */
export const make = Effect.fnUntraced(function* (files: FileSystem.FileSystem, folder: string, name: string) {
  const turn = yield* Semaphore.make(1)
  const current = join(folder, `${name}.jsonl`)
  const rotated = (number: number) => join(folder, `${name}.${number}.jsonl`)
  const pattern = new RegExp(`^${name}\\.([1-9]\\d*)\\.jsonl$`, "u")

  /** Numbers of the rotated files, newest first. */
  const numbers = files.readDirectory(folder).pipe(
    Effect.map((names) =>
      names
        .map((file) => Number(pattern.exec(file)?.[1] ?? 0))
        .filter((number) => number > 0)
        .sort((one, other) => one - other)
    )
  )

  const rotate = Effect.fnUntraced(function* (keep: number) {
    for (const number of (yield* numbers).reverse()) {
      yield* number + 1 >= keep
        ? files.remove(rotated(number), { force: true })
        : files.rename(rotated(number), rotated(number + 1))
    }
    yield* keep <= 1 ? files.remove(current, { force: true }) : files.rename(current, rotated(1))
  })

  /** Appends, if the line still fits; the first byte of a line that follows a torn one is a newline. */
  const appendTo = Effect.fnUntraced(function* (line: string, maxSize: number) {
    const file = yield* files.open(current, { flag: "a+", mode: 0o600, noFollow: true })
    const size = BigInt((yield* file.stat).size)
    const last = new Uint8Array([newline])
    if (size > 0n) yield* file.read(last, { position: size - 1n })
    const bytes = Buffer.from(`${last[0] === newline ? "" : "\n"}${line}\n`)
    if (size > 0n && Number(size) + bytes.length > maxSize) return "full"
    yield* killPoint("line.appending")
    const written = yield* file.write(bytes)
    yield* killPoint("line.appended")
    if (written < bytes.length) {
      return yield* new DiskError({
        reason: "Incomplete",
        path: current,
        message: `cannot append to ${current}: ${written} of ${bytes.length} bytes arrived`
      })
    }
    return "appended"
  }, Effect.scoped)

  const mend = (failure: PlatformError.PlatformError | DiskError) =>
    failure._tag === "DiskError" ? failure : diskError("append to", current)(failure)

  const append = Effect.fnUntraced(
    function* (line: string, { maxSize, files: keep }: Limits) {
      if ((yield* appendTo(line, maxSize)) === "appended") return
      yield* rotate(keep)
      yield* appendTo(line, Infinity)
    },
    Effect.mapError(mend),
    turn.withPermit
  )

  const read = numbers.pipe(
    // No folder, no lines.
    Effect.orElseSucceed((): ReadonlyArray<number> => []),
    Effect.flatMap((found) =>
      Effect.forEach([...[...found].reverse().map(rotated), current], (path) =>
        files.readFileString(path).pipe(
          // Rotated away in this moment, or never there.
          Effect.orElseSucceed(() => "")
        )
      )
    ),
    Effect.map((texts) => texts.flatMap((text) => text.split("\n").filter((line) => line !== "")))
  )

  return { append, read } satisfies LineFile
})
