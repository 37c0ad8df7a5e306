import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { pruneRuns } from "../../../src/sink/process/Prune.ts"
import { shifted } from "../../support/wallClock.ts"
import { handOver } from "../handOver.ts"
import { processWorld } from "./world.ts"

const day = 86_400_000

describe("pruning runs", () => {
  it.live(
    "removes what is old, then the oldest of what is too much; never what is claimed, at work or young",
    () =>
      Effect.gen(function* () {
        const world = yield* processWorld
        const fs = yield* FileSystem.FileSystem
        const now = Date.now()

        /** A run of so many bytes that was last touched so many days ago. */
        const kept = Effect.fnUntraced(function* (days: number, bytes: number, script = "exit 0") {
          const one = world.script(script, { id: handOver().id, prompt: "x".repeat(bytes) })
          yield* world.sink.prepare(one)
          yield* world.sink.send(one)
          if (script === "exit 0") yield* world.sink.result(one)
          const folder = `${world.runs}/${one.id}/1`
          const at = new Date(now - days * day)
          for (const name of yield* fs.readDirectory(folder)) yield* fs.utimes(`${folder}/${name}`, at, at)
          yield* fs.utimes(folder, at, at)
          return one
        })
        const old = yield* kept(20, 10)
        const claimed = yield* kept(20, 10)
        const atWork = yield* kept(20, 10, "while ! [ -e go ]; do sleep 0.05; done")
        const large = yield* kept(5, 400_000)
        const recent = yield* kept(4, 400_000)
        const young = yield* kept(0, 400_000)

        const options = {
          runs: world.runs,
          keep: 14 * day,
          isProtected: ({ id }: { id: string }) => id === claimed.id
        }
        const first = yield* pruneRuns({ ...options, maxTotal: 10_000_000 })
        assert.deepStrictEqual(first, [{ id: old.id, try: 1 }])
        assert.isFalse(yield* fs.exists(`${world.runs}/${old.id}/1`))

        // Each holds its prompt twice: as a file and in the frozen hand-over.
        const second = yield* pruneRuns({ ...options, maxTotal: 1_700_000 })
        assert.deepStrictEqual(second, [{ id: large.id, try: 1 }])
        const third = yield* pruneRuns({ ...options, maxTotal: 0 })
        assert.deepStrictEqual(third, [{ id: recent.id, try: 1 }])
        for (const { id } of [claimed, atWork, young]) {
          assert.isTrue(yield* fs.exists(`${world.runs}/${id}/1`))
        }
        yield* fs.writeFileString(`${world.folder}/go`, "")
        yield* world.sink.result(atWork)
      }).pipe(Effect.provide(NodeServices.layer))
  )

  for (const [where, by] of [
    ["ahead", 400 * day],
    ["behind", -400 * day]
  ] as const) {
    it.live(`a clock that is a year ${where} removes nothing that is claimed or at work`, () =>
      Effect.gen(function* () {
        const world = yield* processWorld
        const fs = yield* FileSystem.FileSystem
        const claimed = world.script("exit 0", { id: handOver().id })
        yield* world.sink.prepare(claimed)
        const atWork = world.script("while ! [ -e go ]; do sleep 0.05; done")
        yield* world.sink.prepare(atWork)
        yield* world.sink.send(atWork)
        const clock = yield* Clock.Clock
        const removed = yield* pruneRuns({
          runs: world.runs,
          keep: 0,
          maxTotal: 0,
          isProtected: ({ id }) => id === claimed.id
        }).pipe(
          Effect.provideService(
            Clock.Clock,
            shifted(clock, () => by)
          )
        )
        assert.deepStrictEqual(removed, [])
        yield* fs.writeFileString(`${world.folder}/go`, "")
        assert.deepStrictEqual(yield* world.sink.result(atWork), { _tag: "Done" })
        yield* world.sink.send(claimed)
        assert.deepStrictEqual(yield* world.sink.result(claimed), { _tag: "Done" })
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }

  it.live("what is no run is somebody else's, however old", () =>
    Effect.gen(function* () {
      const { runs } = yield* processWorld
      const fs = yield* FileSystem.FileSystem
      yield* fs.makeDirectory(`${runs}/backup`, { recursive: true })
      yield* fs.makeDirectory(`${runs}/${"0".repeat(32)}/notes`, { recursive: true })
      yield* fs.writeFileString(`${runs}/notes.txt`, "mine")
      yield* fs.symlink("/nowhere", `${runs}/link`)
      const names = (yield* fs.readDirectory(runs)).sort()
      const at = new Date(Date.now() - 400 * day)
      for (const name of names.filter((name) => name !== "link")) yield* fs.utimes(`${runs}/${name}`, at, at)
      assert.deepStrictEqual(yield* pruneRuns({ runs, keep: 0, maxTotal: 0, isProtected: () => false }), [])
      assert.deepStrictEqual((yield* fs.readDirectory(runs)).sort(), names)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("a root without runs is fine", () =>
    Effect.gen(function* () {
      const { runs } = yield* processWorld
      const removed = yield* pruneRuns({ runs, keep: 0, maxTotal: 0, isProtected: () => false })
      assert.deepStrictEqual(removed, [])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
