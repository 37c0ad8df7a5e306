/** G1.2: a kernel lock on heed.pid, visible to flock(1), gone with its process however it dies, never a weaker one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { RunLock } from "../../src/disk/RunLock.ts"
import * as processes from "../disk/processes.ts"
import { outcome, withRoot } from "../disk/roots.ts"

describe("G1.2", () => {
  withRoot("the pidfile holds pid, start time, boot id and role, and flock(1) sees the lock", (root, lock) =>
    Effect.gen(function* () {
      const pidfile = join(root, "heed.pid")
      mkdirSync(root)
      writeFileSync(pidfile, "12345\nsome older, longer content\n".repeat(20))
      yield* Effect.gen(function* () {
        yield* lock.acquire("daemon")
        const stat = readFileSync(`/proc/${process.pid}/stat`, "utf8")
        const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
        const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
        assert.strictEqual(readFileSync(pidfile, "utf8"), `${process.pid}\n${startTime}\n${bootId}\ndaemon\n`)
        assert.strictEqual(processes.exitCode("flock", ["-n", pidfile, "true"]), 1)
        assert.strictEqual(processes.exitCode("flock", ["-n", "-s", pidfile, "true"]), 1)
      }).pipe(Effect.scoped)
      assert.isFalse(existsSync(pidfile))
    })
  )

  withRoot("a lock that flock(1) took is respected", (root, lock) =>
    Effect.gen(function* () {
      const pidfile = join(root, "heed.pid")
      mkdirSync(root)
      writeFileSync(pidfile, "")
      const other = yield* processes.started("flock", [
        "-n",
        "--no-fork",
        pidfile,
        "sh",
        "-c",
        "echo held; exec sleep 60"
      ])
      assert.strictEqual(yield* outcome(lock), "Held")
      const probe = yield* lock.probe
      assert.deepInclude(probe, { _tag: "Held", holder: undefined })
      yield* other.end("SIGKILL")
    })
  )

  for (const signal of ["SIGKILL", "SIGTERM", "SIGSEGV"] as const) {
    withRoot(`after ${signal} the next start needs nothing cleaned by hand`, (root, lock) =>
      Effect.gen(function* () {
        const holder = yield* processes.holder("hold", root)
        assert.deepInclude(yield* lock.probe, { _tag: "Held" })
        yield* holder.end(signal)
        assert.deepStrictEqual(yield* lock.probe, { _tag: "Free", leftover: signal !== "SIGTERM" })
        assert.strictEqual(yield* outcome(lock), "acquired")
        assert.deepStrictEqual(yield* lock.probe, { _tag: "Free", leftover: false })
      })
    )
  }

  withRoot("a stopped holder still holds: nobody guesses from its silence", (root, lock) =>
    Effect.gen(function* () {
      const holder = yield* processes.holder("hold", root)
      yield* holder.signal("SIGSTOP")
      assert.strictEqual(yield* outcome(lock), "Held")
      assert.deepNestedInclude(yield* lock.probe, { _tag: "Held", "holder.pid": holder.pid })
      yield* holder.end("SIGKILL")
      assert.strictEqual(yield* outcome(lock), "acquired")
    })
  )

  withRoot("a terminated start between lock and signature leaves nothing behind that matters", (root, lock) =>
    Effect.gen(function* () {
      mkdirSync(root)
      const starting = yield* processes.holder("gap", root)
      assert.strictEqual(starting.said, "held")
      assert.deepInclude(yield* lock.probe, { _tag: "Held", holder: undefined })
      assert.strictEqual(yield* outcome(lock), "Held")
      yield* starting.end("SIGTERM")
      assert.strictEqual(yield* outcome(lock), "acquired")
    })
  )

  withRoot("two roots, two holders", (root, lock) =>
    Effect.gen(function* () {
      yield* processes.holder("hold", join(root, "other"))
      assert.strictEqual(yield* outcome(lock), "acquired")
    })
  )

  it.live("where such a lock cannot be had, heed refuses and makes nothing", () =>
    Effect.gen(function* () {
      const failure = yield* RunLock.use((lock) => Effect.flip(Effect.scoped(lock.acquire("daemon")))).pipe(
        Effect.provide(RunLock.layer({ root: "/proc/heed/root" }))
      )
      assert.strictEqual(failure.reason, "Unavailable")
      assert.include(failure.message, "/proc/heed/root")
      assert.include(failure.message, "allowNetworkFs")
    })
  )

  withRoot("without the native binding heed refuses, names the remedy, and still can look", (root) =>
    Effect.gen(function* () {
      const held = `${root}-held`
      const holder = yield* processes.holder("hold", held)
      const hooks = `import { registerHooks } from "node:module"
        registerHooks({ resolve: (name, context, next) => {
          if (name === "koffi") throw new Error("not installed")
          return next(name, context)
        } })`
      const script = `import * as Effect from "effect/Effect"
        import { RunLock } from ${JSON.stringify(join(import.meta.dirname, "../../src/disk/RunLock.ts"))}
        const use = (root, body) => Effect.runPromise(RunLock.use(body).pipe(Effect.provide(RunLock.layer({ root }))))
        const [root, held] = ${JSON.stringify([root, held])}
        const { reason, message } = await use(root, (lock) => Effect.flip(Effect.scoped(lock.acquire("daemon"))))
        const probes = await Promise.all([root, held].map((root) => use(root, (lock) => lock.probe)))
        console.log(JSON.stringify({ reason, message, probes }))`
      const flags = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`, "--input-type=module"]
      const said = execFileSync(process.execPath, [...flags, "--eval", script], {
        encoding: "utf8",
        cwd: join(import.meta.dirname, "../..")
      })
      const { reason, message, probes } = JSON.parse(said)
      assert.strictEqual(reason, "Unavailable")
      assert.include(message, "npm install")
      assert.deepStrictEqual(probes[0], { _tag: "Free", leftover: false })
      assert.deepNestedInclude(probes[1], { _tag: "Held", "holder.pid": holder.pid })
      assert.isFalse(existsSync(root))
    })
  )
})
