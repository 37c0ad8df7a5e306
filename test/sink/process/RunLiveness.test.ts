/** Whose a process group is: numbers are used again, and not everybody may be looked into. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { identify } from "../../../src/disk/ProcessIdentity.ts"
import * as RunLiveness from "../../../src/sink/process/RunLiveness.ts"
import { until } from "../../support/until.ts"

const which = { id: "0".repeat(32), try: 1 }

/** A process that leads a group of its own. */
const leader = (script: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
    ),
    (child) =>
      Effect.sync(() => {
        if (child.pid === undefined || child.pid <= 1) return
        try {
          process.kill(-child.pid, "SIGKILL")
        } catch {
          // All of it has gone.
        }
      })
  )

/** As for a process of another user: nobody may see its environment. */
const secretive = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return yield* RunLiveness.make.pipe(
    Effect.provideService(FileSystem.FileSystem, {
      ...fs,
      readFileString: (path, encoding) =>
        path.endsWith("/environ")
          ? Effect.fail(
              PlatformError.systemError({
                _tag: "PermissionDenied",
                module: "FileSystem",
                method: "readFile",
                pathOrDescriptor: path
              })
            )
          : fs.readFileString(path, encoding)
    })
  )
})

describe("whether a run is at work", () => {
  it.live("a group whose number another process leads by now is not the run's", () =>
    Effect.gen(function* () {
      const { pid = 0 } = yield* leader("exec sleep 100")
      const now = yield* until("it lives", () => Effect.runSync(identify(pid)))
      const liveness = yield* secretive
      assert.isTrue(yield* liveness.isRunning(which, now))
      assert.isFalse(yield* liveness.isRunning(which, { ...now, startTime: "1" }))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("a member that nobody can look into counts, once the wrapper itself is gone", () =>
    Effect.gen(function* () {
      const child = yield* leader("sleep 100 & read -r line")
      const { pid = 0 } = child
      const wrapper = yield* until("it lives", () => Effect.runSync(identify(pid)))
      const left = once(child, "exit")
      child.stdin?.end()
      yield* Effect.promise(() => left)
      const liveness = yield* secretive
      assert.isTrue(yield* liveness.isRunning(which, wrapper))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
