/** The heeds of one chapter: real processes on one root, armed or not, and killed by their own pid. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { KillPoint } from "../../src/disk/KillPoint.ts"
import { until } from "../support/until.ts"

/** Kills heed at a point of its code, the nth time that it comes there. */
export interface Knife {
  readonly point: KillPoint
  readonly occurrence: number
}

export type End =
  /** It killed itself at its kill point. */
  | { readonly _tag: "Struck"; readonly point: KillPoint }
  /** The driver killed it. */
  | { readonly _tag: "Killed" }
  /** By itself, or told to stop; without a code where that came before it listened. */
  | { readonly _tag: "Left"; readonly code: number | null; readonly isTold: boolean; readonly said: string }

export interface Heed {
  readonly pid: number
  /** Undefined while it lives. */
  readonly end: () => End | undefined
  /** SIGKILL. */
  readonly kill: () => void
  /** SIGTERM, once: a second one would end it at once. */
  readonly stop: () => void
}

export interface Place {
  /** The built command. */
  readonly heed: string
  /** Where compiled code is kept from one start to the next. */
  readonly cache: string
  readonly folder: string
  readonly root: string
  /** Tools that stand before the system's own. */
  readonly bin: string
  readonly config: string
  readonly token: string
}

/** Starts heeds; those that live when the scope closes are killed. */
export const make = (place: Place) => {
  let count = 0
  return Effect.fn("knife.start")(function* (knife?: Knife) {
    count += 1
    const errors = join(place.folder, `heed-${count}.err`)
    const err = openSync(errors, "w")
    const child = spawn(process.execPath, [place.heed, "start", "--config", place.config], {
      cwd: place.folder,
      stdio: ["ignore", "ignore", err],
      env: {
        PATH: `${place.bin}:${process.env["PATH"]}`,
        HOME: place.folder,
        XDG_CACHE_HOME: place.cache,
        HEED_KNIFE_TOKEN: place.token,
        ...(knife === undefined ? {} : { HEED_KNIFE: `${knife.point}:${knife.occurrence}` })
      }
    })
    closeSync(err)
    let end: End | undefined
    let killed = false
    let isTold = false
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL") {
        end = killed || knife === undefined ? { _tag: "Killed" } : { _tag: "Struck", point: knife.point }
      } else end = { _tag: "Left", code, isTold, said: readFileSync(errors, "utf8") }
      rmSync(errors, { force: true })
    })
    const kill = () => {
      killed = true
      child.kill("SIGKILL")
    }
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.sync(kill),
        until("a heed has gone", () => end !== undefined)
      )
    )
    return {
      pid: child.pid ?? 0,
      end: () => end,
      kill,
      stop: () => {
        if (!isTold) child.kill("SIGTERM")
        isTold = true
      }
    } satisfies Heed
  })
}

/** The processes that hold an exclusive lock, as the kernel sees it. */
const lockers = (): ReadonlySet<number> =>
  new Set(
    readFileSync("/proc/locks", "utf8")
      .split("\n")
      .map((line) => line.split(/\s+/u))
      .filter(([, kind, , mode]) => kind === "FLOCK" && mode === "WRITE")
      .map((fields) => Number(fields[4]))
  )

const opens = (pid: number, pidfile: string): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(pidfile)
      } catch {
        // Closed since the folder was read.
        return false
      }
    })
  } catch {
    // The process has gone.
    return false
  }
}

/** How many of these heeds hold the lock of a root: also of a pidfile that somebody has removed or replaced. */
export const holders = (heeds: ReadonlyArray<Heed>, root: string): number => {
  const living = heeds.filter((heed) => heed.end() === undefined)
  const locking = lockers()
  return living.filter(({ pid }) => locking.has(pid) && opens(pid, join(root, "heed.pid"))).length
}
