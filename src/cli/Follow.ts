/**
 * Follow: the lines of a file that grows and is rotated, as they come.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Between two looks at a file that did not grow. */
const pause = "200 millis"
const chunk = 64 * 1024

/** One file, read as far as it is written. Kept open, it can be read to its end after it was renamed. */
const opened = Effect.fn("Follow.opened")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "r" })
  const { ino } = yield* file.stat
  const decoder = new TextDecoder()
  let rest = ""
  const more = Effect.gen(function* () {
    const lines: Array<string> = []
    for (;;) {
      const bytes = yield* file.readAlloc(chunk)
      if (Option.isNone(bytes)) return lines
      const parts = (rest + decoder.decode(bytes.value, { stream: true })).split("\n")
      rest = parts.pop() ?? ""
      lines.push(...parts)
    }
  })
  return { ino, more }
})

/**
 * The lines of the file at `path`, from its beginning on and for ever. A line is given once its end is written. When
 * another file takes the path, the former one is read to its end first. A path without a file is waited for.
 */
export const follow = (path: string): Stream.Stream<string, never, FileSystem.FileSystem> =>
  Stream.fromEffectRepeat(Effect.succeed(path)).pipe(
    Stream.flatMap((at) => Stream.unwrap(one(at))),
    Stream.catchTag("PlatformError", () => Stream.empty)
  )

const one = Effect.fn("Follow.one")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const current = yield* opened(path).pipe(
    Effect.catchTag("PlatformError", () => Effect.as(Effect.sleep(pause), undefined))
  )
  if (current === undefined) return Stream.empty
  const replaced = fs.stat(path).pipe(
    Effect.map(({ ino }) => Option.getOrUndefined(ino) !== Option.getOrUndefined(current.ino)),
    Effect.catchTag("PlatformError", () => Effect.succeed(true))
  )
  let last = false
  return Stream.unfold(
    undefined,
    Effect.fnUntraced(function* () {
      if (last) return undefined
      // Asked before reading: what the former file holds at that moment is all it ever will.
      last = yield* replaced
      const lines = yield* current.more
      if (lines.length === 0 && !last) yield* Effect.sleep(pause)
      return [lines, undefined] as const
    })
  ).pipe(Stream.flatMap(Stream.fromIterable))
})
