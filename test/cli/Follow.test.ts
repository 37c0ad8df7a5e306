/** Following a real file that grows, is rotated and goes away. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { follow } from "../../src/cli/Follow.ts"
import { daemon, finished, run } from "./process.ts"
import { folder, world } from "./run.ts"

describe("Follow", () => {
  it.live("gives each line once, whole, through rotations and absence", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempDirectoryScoped()
      const file = `${path}/events.jsonl`
      const lines = yield* Queue.unbounded<string>()
      yield* follow(file).pipe(
        Stream.runForEach((line) => Queue.offer(lines, line)),
        Effect.forkScoped
      )
      const append = (text: string) => fs.writeFileString(file, text, { flag: "a" })
      const next = (number: number) => Effect.timeout(Queue.takeN(lines, number), "20 seconds")
      yield* append("one\ntwo\nthr")
      assert.deepStrictEqual(yield* next(2), ["one", "two"])
      yield* append("ee\n")
      assert.deepStrictEqual(yield* next(1), ["three"])
      // Rotated while lines of the former file are still unread.
      yield* append("four\nfünf\n")
      yield* fs.rename(file, `${path}/events.1.jsonl`)
      yield* append("six\n")
      assert.deepStrictEqual(yield* next(3), ["four", "fünf", "six"])
      yield* fs.remove(file)
      yield* append("seven\n")
      assert.deepStrictEqual(yield* next(1), ["seven"])
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("heed events --follow ends quietly when its reader goes", () =>
    Effect.gen(function* () {
      const path = yield* folder()
      yield* daemon(path)
      const reader = yield* run(
        "sh",
        [
          "-c",
          `"$0" "$1" '{}' events --follow --json 2>err | head -n 1; cat err >&2`,
          process.execPath,
          "PROGRAM"
        ].map((part) => (part === "PROGRAM" ? new URL("heed.ts", import.meta.url).pathname : part)),
        path
      )
      // The second line finds nobody to read it.
      yield* Effect.gen(function* () {
        for (;;) {
          yield* finished(path, ["sessions", "pause", "acme/app#99"])
          yield* Effect.sleep("300 millis")
        }
      }).pipe(Effect.forkScoped)
      const { code, err, out } = yield* reader.ended
      assert.deepStrictEqual([code, err], [0, ""])
      assert.match(out, /^\{"ts":"[^\n]*\n$/u)
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
