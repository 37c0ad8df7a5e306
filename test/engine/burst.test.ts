/** Very many words on one item: all of them, once, in order, for few writes and in prompts that fit. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { Ledger } from "../../src/index.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

/** Counts the times that a record is replaced. */
const counting = (count: { writes: number }) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => ({
      ...files,
      rename: (from: string, to: string) => {
        if (to.includes(join("/", "items", "/"))) count.writes += 1
        return files.rename(from, to)
      }
    }))
  ).pipe(Layer.provide(NodeFileSystem.layer))

const wordsIn = (prompts: ReadonlyArray<{ readonly prompt: string }>) =>
  prompts.flatMap(({ prompt }) => prompt.match(/say-\d+/gu) ?? [])

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `say-${n}`)

/** The whole thread is to be read from its beginning: every word of it is seen once more. */
const readAnew = (w: MemoryWorld) =>
  w.inState(
    Effect.flatMap(Ledger, (ledger) =>
      ledger.modify(w.identity(1), (record) => [
        undefined,
        record && { ...record, read: {}, look: "the test wants it read again" }
      ])
    )
  )

describe("a burst", () => {
  for (const [how, options, most] of [
    ["word by word", { wordByWord: true }, 1_010],
    ["together", {}, 5]
  ] as const) {
    it.effect(`of 1,000 comments in one cycle, ${how}: all once, in order, at most ${most} writes`, () =>
      Effect.gen(function* () {
        const root = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
        const count = { writes: 0 }
        const w = yield* memoryWorld({ root, files: counting(count), perItemPerHour: 2_000, ...options })
        yield* w.hands.open({})
        yield* w.once()
        for (const body of numbered(1_000)) yield* w.hands.comment({ number: 1 }, { body })
        count.writes = 0
        assert.strictEqual((yield* w.once()).errors, 0)
        assert.deepStrictEqual(wordsIn(yield* w.received), numbered(1_000))
        assert.isAtMost(count.writes, most)
        yield* readAnew(w)
        yield* w.once()
        assert.strictEqual(wordsIn(yield* w.received).length, 1_000)
      }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
    )
  }

  it.effect(
    "a thread of 5,000 comments at first sight: what fits goes with the start, the rest follows",
    () =>
      Effect.gen(function* () {
        const w = yield* memoryWorld({ capacity: 200_000, perItemPerHour: 10_000 })
        yield* w.hands.open({})
        for (const body of numbered(5_000)) yield* w.hands.comment({ number: 1 }, { body })
        yield* w.once()
        const received = yield* w.received
        assert.deepStrictEqual(wordsIn(received), numbered(5_000))
        assert.isAbove(received.length, 2)
        for (const { prompt } of received) assert.isAtMost(prompt.length, 200_000)
        const [start, ...rest] = received
        assert.match(start?.prompt ?? "", /\(\d+ more will follow after this\.\)/u)
        assert.isTrue(rest.every(({ kind }) => kind === "words"))
        const record = yield* w.record(1)
        assert.deepStrictEqual(record?.waiting, [])
        const outcomes = Object.values(record?.seen ?? {})
        const inStart = wordsIn(start === undefined ? [] : [start]).length
        assert.strictEqual(outcomes.filter((outcome) => outcome === "baseline").length, inStart)
        assert.strictEqual(outcomes.filter((outcome) => outcome === "handed over").length, 5_000 - inStart)
        yield* readAnew(w)
        yield* w.once()
        assert.strictEqual(wordsIn(yield* w.received).length, 5_000)
      }).pipe(Effect.scoped)
  )
})
