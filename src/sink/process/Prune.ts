/**
 * Removes the folders of runs that nobody needs any more, so that a root does not grow for ever (`state.runs`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { HandOverTry } from "../../domain/HandOver.ts"
import * as RunFolder from "../RunFolder.ts"
import * as RunLiveness from "./RunLiveness.ts"

/** What is kept, and what is never touched. */
export interface PruneOptions {
  /** Absolute: `<root>/runs`. */
  readonly runs: string
  /** Milliseconds that a run is kept after its last change (`state.runs.keep`). */
  readonly keep: number
  /** Bytes of all runs together; the oldest go first (`state.runs.maxTotal`). */
  readonly maxTotal: number
  /** A try that the ledger has claimed: it stays, however old and large. */
  readonly isProtected: (which: HandOverTry) => boolean
}

/** What is younger, in milliseconds, may have been prepared for a claim that the ledger is about to make. */
const tooYoung = 3_600_000

/** Every hand-over that heed makes is named after a hash. */
const isHandOverId = (name: string) => /^[0-9a-f]{32}$/u.test(name)

interface Kept {
  readonly which: HandOverTry
  readonly bytes: number
  readonly at: number
}

/** Removes what is too old, then the oldest of what is too much; answers with the removed tries. */
export const pruneRuns = Effect.fn("Prune.runs")(function* (options: PruneOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* RunFolder.make(options.runs)
  const liveness = yield* RunLiveness.make
  const now = yield* Clock.currentTimeMillis

  // A folder that goes while it is looked at, or was never made, holds nothing.
  const names = (at: string) => fs.readDirectory(at).pipe(Effect.orElseSucceed(() => []))

  const measure = Effect.fnUntraced(function* (which: HandOverTry) {
    const at = folder.folderOf(which)
    let bytes = 0
    let newest = 0
    for (const file of ["", ...(yield* names(at))]) {
      const info = yield* fs.stat(path.join(at, file)).pipe(Effect.option)
      if (Option.isNone(info)) continue
      if (info.value.type === "File") bytes += Number(info.value.size)
      newest = Math.max(newest, Option.getOrUndefined(info.value.mtime)?.getTime() ?? now)
    }
    return { which, bytes, at: newest } satisfies Kept
  })

  const mayGo = Effect.fnUntraced(function* ({ which, at }: Kept) {
    if (options.isProtected(which) || now - at < tooYoung) return false
    const claim = yield* folder.claimState(which)
    if (claim._tag === "Unreadable") return false
    return claim._tag !== "Taken" || !(yield* liveness.isRunning(which, claim.by))
  })

  /** Empty for so long that nobody is about to put a try into it. */
  const removeEmpty = Effect.fnUntraced(function* (id: string) {
    const at = path.join(options.runs, id)
    const info = yield* fs.stat(at).pipe(Effect.option)
    const changed = Option.flatMap(info, ({ mtime }) => mtime)
    if (Option.isSome(changed) && now - changed.value.getTime() > tooYoung) {
      yield* fs.remove(at, { recursive: true })
    }
  })

  const kept: Array<Kept> = []
  for (const id of yield* names(options.runs)) {
    // What somebody else put there is theirs.
    if (!isHandOverId(id)) continue
    const tries = yield* names(path.join(options.runs, id))
    if (tries.length === 0) yield* removeEmpty(id)
    for (const name of tries) {
      if (/^\d+$/u.test(name)) kept.push(yield* measure({ id, try: Number(name) }))
    }
  }
  kept.sort((a, b) => a.at - b.at)

  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0)
  const removed: Array<HandOverTry> = []
  for (const run of kept) {
    if (now - run.at <= options.keep && total <= options.maxTotal) continue
    if (!(yield* mayGo(run))) continue
    yield* fs.remove(folder.folderOf(run.which), { recursive: true })
    total -= run.bytes
    removed.push(run.which)
  }
  return removed
})
