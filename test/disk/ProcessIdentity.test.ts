import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { identify, isAlive } from "../../src/disk/ProcessIdentity.ts"
import * as processes from "./processes.ts"

describe("ProcessIdentity", () => {
  it.live("knows a process, and knows it from whoever has its pid otherwise", () =>
    Effect.gen(function* () {
      const sleeper = yield* processes.started("sh", ["-c", "echo ready; exec sleep 60"])
      const known = yield* identify(sleeper.pid)
      assert.isDefined(known)
      if (known === undefined) return
      assert.isTrue(yield* isAlive(known))
      assert.isFalse(yield* isAlive({ ...known, startTime: `${known.startTime}0` }))
      assert.isFalse(yield* isAlive({ ...known, bootId: "another" }))
      assert.isFalse(yield* isAlive({ ...known, pid: process.pid }))
      yield* sleeper.end("SIGKILL")
      assert.isFalse(yield* isAlive(known))
    }).pipe(Effect.scoped)
  )

  it.live("a name with parentheses and spaces does not confuse it", () =>
    Effect.gen(function* () {
      const odd = yield* processes.started("sh", [
        "-c",
        "printf 'a) S 1 (b' > /proc/$$/comm; echo ready; read line"
      ])
      const known = yield* identify(odd.pid)
      assert.match(known?.startTime ?? "", /^\d+$/u)
      const self = yield* identify(process.pid)
      assert.isAtLeast(Number(known?.startTime), Number(self?.startTime))
    }).pipe(Effect.scoped)
  )

  it.live("a zombie is not alive, and no number is a process", () =>
    Effect.gen(function* () {
      const parent = yield* processes.started("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"])
      const zombie = Number(parent.said)
      yield* identify(zombie).pipe(Effect.repeat({ until: (known) => known === undefined }))
      for (const pid of [0, -1, 1.5, NaN, 2 ** 40]) assert.strictEqual(yield* identify(pid), undefined)
    }).pipe(Effect.scoped)
  )
})
