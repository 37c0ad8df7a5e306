/** Frozen items: said once, counted every time, left alone and in nobody's way, until somebody mends or moves the file. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Frozen from "../../src/engine/Frozen.ts"
import { type Entry, EventLog, Identity, Ledger, Ref } from "../../src/index.ts"
import { memoryWorld } from "./memoryWorld.ts"

const frozenWorld = Effect.gen(function* () {
  const root = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  const w = yield* memoryWorld({ root })
  for (let n = 0; n < 3; n += 1) yield* w.hands.open({})
  yield* w.once()
  yield* w.once()
  const [name = ""] = readdirSync(join(root, "items")).filter((file) =>
    file.startsWith("memory-test-acme-app-1")
  )
  const file = join(root, "items", name)
  const whole = readFileSync(file, "utf8")
  return { w, root, file, whole }
})

const conditional = ["list acme/app conditionally"]

describe("a frozen item", () => {
  it.effect("makes every --once incomplete, changed listing or not, and is said once a process", () =>
    Effect.gen(function* () {
      const { file, w } = yield* frozenWorld
      writeFileSync(file, "{")
      assert.strictEqual((yield* w.once()).errors, 1)
      assert.strictEqual((yield* w.once()).errors, 1)
      const lines = yield* w.events("poll.cycle")
      yield* w.living(
        Effect.gen(function* () {
          const before = (yield* w.events("poll.item_frozen")).length
          for (let n = 0; n < 3; n += 1) yield* w.cycle
          assert.strictEqual((yield* w.events("poll.item_frozen")).length, before + 1)
        })
      )
      assert.strictEqual((yield* w.events("poll.cycle")).length, lines.length, "it is no news")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("is known by its file's name where nothing else can be read in it", () =>
    Effect.gen(function* () {
      const { file, root } = yield* frozenWorld
      writeFileSync(file, "")
      const ledger = yield* Effect.provide(Ledger, Ledger.layerReadOnly({ root }))
      const entries = yield* ledger.entries
      const found = Frozen.namedAs(entries, Ref.make("memory:memory.test/acme/app#1"))
      assert.include(file, found?.slug ?? "none")
      assert.strictEqual(found?.frozen, "its file is empty")
      assert.isUndefined(Frozen.namedAs(entries, Ref.make("memory:memory.test/acme/app#2")))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("keeps no listing from being conditional", () =>
    Effect.gen(function* () {
      const { file, w } = yield* frozenWorld
      writeFileSync(file, "{")
      yield* w.hands.comment({ number: 1 }, { body: "while it is frozen" })
      yield* w.once()
      yield* w.once()
      assert.deepStrictEqual([...w.asked], conditional)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("whose record is mended hears at once what was said meanwhile", () =>
    Effect.gen(function* () {
      const { file, w, whole } = yield* frozenWorld
      writeFileSync(file, "{")
      yield* w.hands.comment({ number: 1 }, { body: "while it was frozen" })
      yield* w.once()
      yield* w.once()
      writeFileSync(file, whole)
      yield* w.once()
      assert.include((yield* w.received).at(-1)?.prompt, "while it was frozen")
      yield* w.once()
      assert.deepStrictEqual([...w.asked], conditional)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  for (const damage of ["{", undefined]) {
    it.effect(`whose record is moved away begins anew${damage === undefined ? ", frozen or not" : ""}`, () =>
      Effect.gen(function* () {
        const { file, root, w } = yield* frozenWorld
        if (damage !== undefined) {
          writeFileSync(file, damage)
          yield* w.once()
        }
        renameSync(file, join(root, "aside.json"))
        yield* w.once()
        assert.isDefined(yield* w.record(1))
        assert.strictEqual((yield* w.received).filter(({ item }) => item.key.endsWith("#1")).length, 2)
        yield* w.once()
        assert.deepStrictEqual([...w.asked], conditional)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }

  it.effect("that freezes a second time is said a second time", () =>
    Effect.gen(function* () {
      let frozen: ReadonlyArray<Entry> = []
      const entry: Entry = {
        identity: Identity.make("memory:1"),
        ref: Ref.make("memory:acme/app#1"),
        slug: "acme-app-1",
        source: "",
        scope: "",
        listed: false,
        busy: false,
        look: false,
        waits: false,
        frozen: "it is empty"
      }
      const ledger = Layer.mock(Ledger, {
        entries: Effect.sync(() => frozen),
        entry: () => Effect.sync(() => frozen[0])
      })
      const lines = yield* Effect.gen(function* () {
        const { report, tell } = yield* Frozen.make
        for (const now of [[entry], [entry], [], [entry]]) {
          frozen = now
          if (now.length > 0)
            yield* tell(entry.identity, { ref: entry.ref, source: "memory", why: "it is empty" })
          assert.strictEqual(yield* report, now.length)
        }
        return yield* (yield* EventLog).read
      }).pipe(Effect.provide(Layer.merge(ledger, EventLog.layerMemory)))
      assert.strictEqual(lines.length, 2)
    })
  )
})
