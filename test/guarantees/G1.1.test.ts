/** G1.1: a second start against a held root refuses, names the holder and the remedy, and leaves the root as it was. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { RunLock } from "../../src/disk/RunLock.ts"
import { EventLog } from "../../src/state/EventLog.ts"
import * as processes from "../disk/processes.ts"

/** Every file's bytes, inode, mode and time of change. */
const photograph = (root: string): { readonly [name: string]: string } =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => {
      const stat = statSync(join(root, name), { bigint: true })
      const content = stat.isFile() ? readFileSync(join(root, name), "base64") : ""
      return [name, `${stat.ino} ${stat.mode} ${stat.mtimeNs} ${stat.ctimeNs} ${content}`]
    })
  )

describe("G1.1", () => {
  it.live("a second start leaves the root byte-identical but for one event line", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = yield* files.makeTempDirectoryScoped()
      mkdirSync(join(root, "items"))
      writeFileSync(join(root, "items", "x.json"), "{}")
      writeFileSync(join(root, "events.jsonl"), '{"ts":"2026-11-30T12:00:00.000Z","event":"poller.sta')
      const holder = yield* processes.holder("hold", root)
      const before = photograph(root)
      const refused = yield* Effect.gen(function* () {
        const lock = yield* RunLock
        const failure = yield* Effect.flip(Effect.scoped(lock.acquire("once")))
        const log = yield* EventLog
        yield* log.append({ event: "poller.blocked", level: "warn", pid: failure.holder?.pid })
        return failure
      }).pipe(
        Effect.provide(
          Layer.mergeAll(RunLock.layer({ root }), EventLog.layerUnlocked({ root })).pipe(
            Layer.provide(NodeFileSystem.layer)
          )
        )
      )
      assert.strictEqual(refused.reason, "Held")
      assert.deepInclude(refused.holder, { pid: holder.pid, role: "daemon" })
      for (const word of [String(holder.pid), join(root, "heed.pid"), "heed stop"]) {
        assert.include(refused.message, word)
      }
      const { "events.jsonl": log = "", ...rest } = photograph(root)
      const { "events.jsonl": oldLog = "", ...oldRest } = before
      assert.deepStrictEqual(rest, oldRest)
      const text = (photo: string) => Buffer.from(photo.split(" ")[4] ?? "", "base64").toString()
      assert.isTrue(text(log).startsWith(text(oldLog)))
      const added = text(log).slice(text(oldLog).length).trim()
      assert.deepInclude(JSON.parse(added), { event: "poller.blocked", pid: holder.pid })
      assert.strictEqual(added.split("\n").length, 1)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live("who waits for a command gets the lock when the command is done", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = yield* files.makeTempDirectoryScoped()
      const command = yield* processes.holder("hold", root, "command")
      // Longer than anybody waits for a daemon.
      yield* Effect.forkScoped(Effect.andThen(Effect.sleep("1500 millis"), command.end("SIGTERM")))
      yield* RunLock.use((lock) => Effect.scoped(lock.acquire("daemon"))).pipe(
        Effect.provide(RunLock.layer({ root }))
      )
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
