/** A disk that fails at any step of a durable write, at any moment of an item's life (G3.6). */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as TestClock from "effect/testing/TestClock"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Dispatcher, Poller } from "../../src/index.ts"
import * as FaultyFileSystem from "../disk/FaultyFileSystem.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const faultsOfADisk: ReadonlyArray<FaultyFileSystem.Faults["now"] & object> = [
  { step: "open", code: "EROFS" },
  { step: "write", code: "ENOSPC" },
  { step: "short", code: "" },
  { step: "sync", code: "EIO" },
  { step: "rename", code: "EIO" },
  { step: "syncFolder", code: "EIO" }
]

const say = (w: MemoryWorld, body: string) => w.hands.comment({ number: 1 }, { body })

const settleLast = (w: MemoryWorld) =>
  Effect.gen(function* () {
    const last = (yield* w.received).at(-1)
    if (last !== undefined) yield* w.settle(last, { _tag: "Done" })
  })

/** An item's life. Each moment is something that has to be written down; `long` is given to an agent that works on. */
const moments: ReadonlyArray<readonly [string, (w: MemoryWorld) => Effect.Effect<unknown>]> = [
  ["an item is seen for the first time", (w) => w.hands.open({ title: "the start" })],
  ["a word is handed over", (w) => say(w, "say-short")],
  ["a run begins", (w) => say(w, "say-long")],
  ["a run ends", settleLast],
  ["a word is given up", (w) => say(w, "say-hopeless")],
  ["a word comes after that", (w) => say(w, "say-last")],
  ["an item ends", (w) => w.hands.setState({ number: 1 }, "closed")]
]

const recordsIn = (root: string) =>
  readdirSync(join(root, "items")).map((name) => readFileSync(join(root, "items", name), "utf8"))

describe("a failing disk", () => {
  for (const fault of faultsOfADisk) {
    for (const [at, [moment]] of moments.entries()) {
      it.effect(`${fault.step} ${fault.code} while ${moment}: all goes on by itself, once`, () =>
        Effect.gen(function* () {
          const root = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
          const faults: FaultyFileSystem.Faults = { now: undefined }
          const w = yield* memoryWorld({
            root,
            attempts: 1,
            files: FaultyFileSystem.layer(faults),
            answer: ({ prompt }) =>
              prompt.includes("say-long")
                ? undefined
                : prompt.includes("say-hopeless")
                  ? { _tag: "Failed", why: "it is hopeless" }
                  : { _tag: "Done" }
          })
          yield* w.living(
            Effect.gen(function* () {
              const poller = yield* Poller
              const dispatcher = yield* Dispatcher
              const goOn = Effect.gen(function* () {
                yield* TestClock.adjust("1 minute")
                yield* poller.cycle
                yield* dispatcher.drained
              }).pipe(Effect.repeat({ times: 2 }))
              for (const [place, [, happens]] of moments.entries()) {
                const before = place === 0 ? [] : recordsIn(root)
                const received = (yield* w.received).length
                if (place === at) faults.now = fault
                yield* happens(w)
                yield* goOn
                if (place !== at) continue
                assert.strictEqual((yield* w.received).length, received, "nothing is handed over meanwhile")
                // Only what could not be synced to its folder may stand there already, whole.
                if (fault.step !== "syncFolder") assert.deepStrictEqual(recordsIn(root), before)
                faults.now = undefined
                yield* goOn
              }
            })
          )
          const given = (yield* w.received).map(({ attempt, prompt }) => [
            /say-[a-z]+/u.exec(prompt)?.[0] ?? "start",
            attempt
          ])
          assert.deepStrictEqual(given, [
            ["start", 1],
            ["say-short", 1],
            ["say-long", 1],
            ["say-hopeless", 1],
            ["say-last", 1]
          ])
          const record = yield* w.record(1)
          assert.strictEqual(record?.sessions["default"]?.state, "ended")
          assert.deepStrictEqual(record?.waiting, [])
          assert.strictEqual(record?.notices.length, 1)
          const posted = yield* w.hands.comments({ number: 1 })
          assert.strictEqual(posted.length, 5, "four words and one notice")
        }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
      )
    }
  }
})
