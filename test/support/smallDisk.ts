/**
 * A disk of a test's own: a memory file system of a size, mounted over a folder in a mount namespace that nobody else
 * sees, so that a test can fill it, and make it read-only, without harm to the machine.
 */
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { started } from "../disk/processes.ts"
import { until } from "./until.ts"

/** Whether this machine lets us mount something for ourselves: as root, outside of most containers. */
export const canMount: boolean =
  spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" }).status === 0

export interface SmallDisk {
  /** Where others see the folder. */
  readonly outside: string
  /** What a command begins with that is to see it in its place. */
  readonly enter: ReadonlyArray<string>
  /** Leaves not one byte, on the whole of it or on the disk of one of its folders. */
  readonly fill: (within?: string) => Effect.Effect<void>
  readonly free: (within?: string) => Effect.Effect<void>
  /** Remounts the named folders, as soon as nobody writes there. */
  readonly remount: (how: "ro" | "rw", folders: ReadonlyArray<string>) => Effect.Effect<void>
}

/** Mounts a disk over `folder`, and one of its own over each of the folders named within it. */
export const smallDisk = Effect.fn("test.smallDisk")(function* (
  folder: string,
  size: string,
  within: ReadonlyArray<string> = []
) {
  const mount = `mount -t tmpfs -o size=${size},mode=700 heed-test`
  const script = [
    `set -e; ${mount} "$1"`,
    ...within.map((name) => `mkdir -m 700 "$1/${name}"; ${mount} "$1/${name}"`),
    "echo ready; exec cat"
  ].join("\n")
  const { pid } = yield* started("unshare", ["--mount", "sh", "-c", script, "sh", folder])
  const outside = join(`/proc/${pid}/root`, folder)
  const enter = ["nsenter", `--target=${pid}`, "--mount", `--wd=${join(folder, "..")}`]
  const filler = (within = "") => join(outside, within, "filler")
  const [command = "", ...args] = enter
  const disk: SmallDisk = {
    outside,
    enter,
    fill: (name) =>
      Effect.sync(() => {
        for (let size = 1 << 20; size >= 1; size >>= 1) {
          try {
            for (;;) writeFileSync(filler(name), Buffer.alloc(size), { flag: "a" })
          } catch {
            // It is full for so many bytes: fewer may still fit.
          }
        }
      }),
    free: (name) => Effect.sync(() => rmSync(filler(name))),
    remount: (how, folders) =>
      Effect.forEach(
        folders,
        (name) =>
          until(`${name} is remounted ${how}`, () => {
            try {
              execFileSync(command, [...args, "mount", "-o", `remount,${how}`, join(folder, name)], {
                stdio: "ignore"
              })
              return true
            } catch {
              // Busy: a file is being written in this moment.
              return false
            }
          }),
        { discard: true }
      )
  }
  return disk
})
