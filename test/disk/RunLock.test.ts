import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { RunLock } from "../../src/disk/RunLock.ts"
import { identify } from "../../src/disk/ProcessIdentity.ts"
import { format } from "../../src/disk/Pidfile.ts"
import * as processes from "./processes.ts"
import { withRoot } from "./roots.ts"

describe("RunLock", () => {
  withRoot("looking at a root that does not exist makes nothing", (root, lock) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* lock.probe, { _tag: "Free", leftover: false })
      assert.isTrue(yield* lock.clean)
      assert.isFalse(existsSync(root))
    })
  )

  withRoot("the root is made for the owner alone, and so is the pidfile", (root, lock) =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const held = yield* lock.acquire("command")
        assert.strictEqual(held.pidfile, join(root, "heed.pid"))
        assert.strictEqual(statSync(root).mode & 0o777, 0o700)
        assert.strictEqual(statSync(held.pidfile).mode & 0o777, 0o600)
        assert.deepNestedInclude(yield* lock.probe, { _tag: "Held", "holder.role": "command" })
      }).pipe(Effect.scoped)
    })
  )

  withRoot("the same process is refused too, and interrupting the wait takes nothing", (_root, lock) =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* lock.acquire("daemon")
        assert.strictEqual((yield* Effect.flip(Effect.scoped(lock.acquire("once")))).reason, "Held")
        const waiting = yield* Effect.forkChild(Effect.scoped(lock.acquire("once")), {
          startImmediately: true
        })
        yield* Fiber.interrupt(waiting)
      }).pipe(Effect.scoped)
      yield* Effect.scoped(lock.acquire("daemon"))
    })
  )

  const nobody = { startTime: "1", bootId: "b", role: "daemon" } as const
  const contents: ReadonlyArray<readonly [string, string]> = [
    ["nothing", ""],
    ["0", "0\n1\nb\ndaemon\n"],
    ["-1", "-1\n1\nb\ndaemon\n"],
    ["1", "1\n1\nb\ndaemon\n"],
    ["12abc", "12abc\n1\nb\ndaemon\n"],
    ["a pid alone", "4711\n"],
    ["a pid beyond all pids", "99999999999\n1\nb\ndaemon\n"],
    ["a stranger's pid", format({ pid: process.pid, ...nobody })],
    ["NUL bytes", "\0".repeat(64)],
    ["a megabyte", "4711\n".repeat(200_000)]
  ]
  withRoot("a held pidfile that no heed wrote names nobody, and says why", (root, lock) =>
    Effect.gen(function* () {
      mkdirSync(root)
      const holder = yield* processes.holder("gap", root)
      for (const [what, content] of contents) {
        writeFileSync(join(root, "heed.pid"), content)
        const probe = yield* lock.probe
        assert.deepInclude(probe, { _tag: "Held", holder: undefined }, what)
        assert.isNotEmpty(probe._tag === "Held" ? probe.why : "", what)
      }
      writeFileSync(join(root, "heed.pid"), format({ pid: holder.pid, ...nobody }))
      assert.deepNestedInclude(yield* lock.probe, { _tag: "Held", "holder.pid": holder.pid })
    })
  )

  withRoot("a holder in another process namespace holds, and its pid there is nobody's here", (root, lock) =>
    Effect.gen(function* () {
      const [file = "", ...args] = processes.holderCommand("hold", root)
      const namespace = ["--pid", "--fork", "--kill-child", "--mount-proc"]
      const apart = yield* processes.started("unshare", [
        ...namespace,
        "sh",
        "-c",
        '"$@"; exit',
        "sh",
        file,
        ...args
      ])
      const probe = yield* lock.probe
      assert.deepInclude(probe, { _tag: "Held", holder: undefined })
      const failure = yield* Effect.flip(Effect.scoped(lock.acquire("daemon")))
      assert.strictEqual(failure.reason, "Held")
      assert.isUndefined(failure.holder)
      yield* apart.end("SIGKILL")
    })
  )

  withRoot("seen from another process namespace, a holder outside holds too", (root) =>
    Effect.gen(function* () {
      yield* processes.holder("hold", root)
      const [file = "", ...args] = processes.holderCommand("probe", root)
      const namespace = ["--pid", "--fork", "--kill-child", "--mount-proc"]
      const apart = yield* processes.started("unshare", [
        ...namespace,
        "sh",
        "-c",
        '"$@"; exit',
        "sh",
        file,
        ...args
      ])
      assert.deepInclude(JSON.parse(apart.said), { _tag: "Held" })
      assert.notProperty(JSON.parse(apart.said), "holder")
    })
  )

  it.live("in memory it excludes, says who, and is free again", () =>
    Effect.gen(function* () {
      const lock = yield* RunLock
      yield* Effect.gen(function* () {
        yield* lock.acquire("once")
        assert.strictEqual((yield* Effect.flip(Effect.scoped(lock.acquire("daemon")))).holder?.role, "once")
        assert.isFalse(yield* lock.clean)
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(yield* lock.probe, { _tag: "Free", leftover: false })
    }).pipe(Effect.provide(RunLock.layerMemory))
  )

  it.live("a holder is signed with an identity that can be found again", () =>
    Effect.gen(function* () {
      const self = yield* identify(process.pid)
      assert.strictEqual(self?.pid, process.pid)
    })
  )
})
