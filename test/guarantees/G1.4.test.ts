/** G1.4: no child of the holder, a tmux server included, keeps the lock alive. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { RunLock } from "../../src/disk/RunLock.ts"
import * as processes from "../disk/processes.ts"

const openFiles = (pid: number) =>
  readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(join("/proc", String(pid), "fd", fd)))

const tmux = (socket: string, ...args: ReadonlyArray<string>) => [
  "tmux",
  "-S",
  socket,
  "-f",
  "/dev/null",
  ...args
]

describe("G1.4", () => {
  it.live("after SIGKILL of the holder, its living child and its tmux server hold nothing", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = yield* files.makeTempDirectoryScoped()
      const socket = join(root, "tmux.sock")
      const server = tmux(socket, "new-session", "-d", "sleep 600")
      const holder = yield* processes.holder("parent", root, JSON.stringify(server))
      const child = Number(holder.said.split(" ")[1])
      assert.isAbove(child, 1)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(child, "SIGKILL")))
      const [file = "", ...end] = tmux(socket, "kill-server")
      yield* Effect.addFinalizer(() => Effect.sync(() => execFileSync(file, end)))
      const [, ...ask] = tmux(socket, "display-message", "-p", "#{pid}")
      const serverPid = Number(execFileSync(file, ask, { encoding: "utf8" }))

      yield* holder.end("SIGKILL")
      for (const pid of [child, serverPid]) {
        const open = openFiles(pid)
        assert.isAbove(open.length, 2)
        assert.deepStrictEqual(
          open.filter((path) => path.includes("heed.pid")),
          []
        )
      }
      const lock = RunLock.use((lock) => Effect.scoped(lock.acquire("daemon")))
      yield* lock.pipe(Effect.provide(RunLock.layer({ root })))
      assert.strictEqual(Number(execFileSync(file, ask, { encoding: "utf8" })), serverPid)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
