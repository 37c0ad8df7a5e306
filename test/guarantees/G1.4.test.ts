/** G1.4: no child of the holder, a tmux server included, keeps the lock alive. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { RunLock } from "../../src/disk/RunLock.ts"
import * as processes from "../disk/processes.ts"

describe("G1.4", () => {
  it.live("after SIGKILL of the holder, its living child holds nothing", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = yield* files.makeTempDirectoryScoped()
      const holder = yield* processes.holder("parent", root)
      const child = Number(holder.said.split(" ")[1])
      assert.isAbove(child, 1)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(child, "SIGKILL")))
      yield* holder.end("SIGKILL")
      const open = readdirSync(`/proc/${child}/fd`).map((fd) =>
        readlinkSync(join("/proc", String(child), "fd", fd))
      )
      assert.isAbove(open.length, 2)
      assert.deepStrictEqual(
        open.filter((path) => path.includes("heed.pid")),
        []
      )
      const lock = RunLock.use((lock) => Effect.scoped(lock.acquire("daemon")))
      yield* lock.pipe(Effect.provide(RunLock.layer({ root })))
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
