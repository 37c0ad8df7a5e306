/**
 * Reach: which root a command is about. The configuration says it; while that cannot be used, a heed that was started
 * before it broke must still be stopped, paused and looked at, so its root is looked for where it can only be.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { homedir } from "node:os"
import { dirname, resolve } from "node:path"
import { places } from "../config/Places.ts"
import type { Plan } from "../config/Plan.ts"
import { RunLock } from "../disk/RunLock.ts"
import type { Failure } from "./Failure.ts"
import { House, type Rooted } from "./House.ts"
import { configFile, loaded } from "./Root.ts"
import { complaint } from "./Text.ts"
import { columnsOf } from "./Width.ts"

/** Planned: as the configuration says. Astray: it cannot be used, and somebody holds this root all the same. */
export type Reached =
  | { readonly _tag: "Planned"; readonly state: Rooted; readonly plan: Plan }
  | { readonly _tag: "Astray"; readonly state: Rooted; readonly failure: Failure }

/** `state.root` of a file that may be broken anywhere, also in its first line: the first that looks like one. */
export const rootIn = (text: string): string | undefined => {
  const [, quoted, plain] =
    /^state:(?:\s*\{|[^\n]*\n(?:[ \t]+[^\n]*\n|[ \t]*\n)*?)[^\n]*?\broot:[ \t]*(?:["']([^"'\n]+)["']|([^\s"'#,{}]+))/mu.exec(
      text
    ) ?? []
  return quoted ?? plain
}

const filesOf = Effect.fnUntraced(function* (asked: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const { HEED_CONFIG: named, XDG_CONFIG_HOME: xdg } = process.env
  const where = places({ from: process.cwd(), file: asked, named, xdg, home: homedir() })
  if (where._tag === "Asked") return [where.place]
  for (const place of where.places)
    if (yield* fs.exists(place).pipe(Effect.catchTag("PlatformError", () => Effect.succeed(true))))
      return [place]
  return where.places
})

/** Where a root may be: as the file seems to say, and where it is when no file says anything. */
const rootsOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  // A file that cannot be read says nothing.
  const text = yield* fs.readFileString(file).pipe(Effect.catchTag("PlatformError", () => Effect.succeed("")))
  return [rootIn(text), ".heed"].flatMap((root) => (root === undefined ? [] : [resolve(dirname(file), root)]))
})

const astray = Effect.fn("cli.astray")(function* (failure: Failure) {
  const house = yield* House
  const files = yield* filesOf(yield* configFile)
  const roots = yield* Effect.forEach(files, rootsOf)
  for (const root of new Set(roots.flat())) {
    const state: Rooted = { root, allowNetworkFs: false }
    const probe = yield* Effect.flatMap(RunLock, (lock) => lock.probe).pipe(
      Effect.provide(house.lock(state)),
      // A root that cannot be looked at is none to reach.
      Effect.catchTag("RunLockError", () => Effect.succeed(undefined))
    )
    if (probe?._tag !== "Held") continue
    yield* Console.error(
      complaint(
        "warning",
        `${failure.message}\nthe heed that holds ${root} is asked all the same`,
        columnsOf(process.stderr)
      )
    )
    const reached: Reached = { _tag: "Astray", state, failure }
    return reached
  }
  return yield* failure
})

/** The root, from the configuration or from whoever holds it; with neither, what is wrong with the configuration. */
export const reach = loaded.pipe(
  Effect.map(({ plan }): Reached => ({ _tag: "Planned", state: plan.state, plan })),
  Effect.catchTag("Failure", (failure) => astray(failure))
)
