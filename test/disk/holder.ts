/**
 * A process that holds a root's lock, for tests: `node holder.ts MODE ROOT [ARGUMENT]`. It prints one line when it is
 * where the test wants it, and goes on until its stdin ends or a signal comes.
 *
 * hold: holds it. parent: holds it, with a child that has its stdio, and after running the command that ARGUMENT says
 * in JSON. gap: has the lock and has not signed it; the file holds the text ARGUMENT. loop: takes it and gives it back
 * again and again, and writes each step to the file ARGUMENT. look: probes again and again. probe: probes once, and
 * prints what it saw.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { appendFileSync, ftruncateSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as Flock from "../../src/disk/Flock.ts"
import * as LockFile from "../../src/disk/LockFile.ts"
import { RunLock } from "../../src/disk/RunLock.ts"

const [mode = "", root = "", argument = ""] = process.argv.slice(2)

const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const stdinEnds = Effect.callback<void>((resume) => {
  process.stdin.resume()
  process.stdin.once("close", () => resume(Effect.void))
})

const hold = Effect.gen(function* () {
  const lock = yield* RunLock
  yield* lock.acquire(argument === "command" ? "command" : "daemon")
  yield* say("held")
  yield* stdinEnds
}).pipe(Effect.scoped)

const parent = Effect.gen(function* () {
  const lock = yield* RunLock
  yield* lock.acquire("daemon")
  const child = spawn("sleep", ["600"], { stdio: "inherit", detached: true })
  const [file = "true", ...args]: ReadonlyArray<string> = JSON.parse(argument)
  spawnSync(file, args, { stdio: "inherit" })
  yield* say(`held ${child.pid}`)
  yield* stdinEnds
}).pipe(Effect.scoped)

const gap = Effect.gen(function* () {
  const flock = yield* Flock.load
  const file = LockFile.openToLock(join(root, "heed.pid"))
  if (flock.take(file.descriptor, "exclusive")._tag !== "Taken") return yield* say("refused")
  ftruncateSync(file.descriptor, 0)
  writeSync(file.descriptor, argument, 0)
  yield* say("held")
  yield* stdinEnds
})

const step = (word: string) => Effect.sync(() => appendFileSync(argument, `${process.pid} ${word}\n`))

const inside = Effect.gen(function* () {
  yield* step("enter")
  for (let still = Math.floor(Math.random() * 4); still > 0; still--) {
    yield* Effect.yieldNow
    yield* step("still")
  }
  yield* step("leave")
})

const loop = Effect.gen(function* () {
  const lock = yield* RunLock
  const flock = yield* Flock.load
  const pidfile = join(root, "heed.pid")
  const holder = { pid: process.pid, startTime: "1", bootId: "b", role: "once" } as const
  yield* say("looping")
  /** Without a pause between two tries, so that they fall into every gap that another's release might leave. */
  const eagerly = Effect.acquireUseRelease(
    Effect.sync(() => LockFile.tryTake(pidfile, flock, holder)),
    (tried) =>
      tried._tag === "Taken"
        ? inside
        : tried._tag === "Busy"
          ? Effect.yieldNow
          : step(`failed: ${tried.why}`),
    (tried) =>
      Effect.sync(() => (tried._tag === "Taken" ? LockFile.giveBack(pidfile, tried.file) : undefined))
  )
  const patiently = lock.acquire("once").pipe(
    Effect.andThen(inside),
    Effect.scoped,
    // Somebody had it for the whole second: refused, as it should be.
    Effect.catchIf(
      ({ reason }) => reason === "Held",
      () => step("refused")
    )
  )
  yield* Effect.suspend(() => (Math.random() < 0.01 ? patiently : eagerly)).pipe(
    Effect.tapCause((cause) => step(`failed: ${Cause.pretty(cause).split("\n")[0]}`)),
    Effect.forever
  )
})

const look = Effect.gen(function* () {
  const lock = yield* RunLock
  yield* say("looking")
  yield* lock.probe.pipe(Effect.andThen(Effect.yieldNow), Effect.forever)
})

const probe = Effect.gen(function* () {
  const lock = yield* RunLock
  yield* say(JSON.stringify(yield* lock.probe))
  yield* stdinEnds
})

const modes: { readonly [mode: string]: Effect.Effect<unknown, unknown, RunLock> } = {
  hold,
  parent,
  gap,
  loop,
  look,
  probe
}

NodeRuntime.runMain(
  (modes[mode] ?? Effect.die(`no mode ${mode}`)).pipe(Effect.provide(RunLock.layer({ root })))
)
