import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Identity, Ref, slug } from "../../src/domain/Ref.ts"
import { Ledger } from "../../src/state/Ledger.ts"
import * as FaultyFileSystem from "../disk/FaultyFileSystem.ts"
import { fileOf, inFolder, within } from "./ledgers.ts"
import { identityOf, record, session } from "./records.ts"

describe("Ledger", () => {
  inFolder("what was written is there after a restart, indented and for the owner alone", (root) =>
    Effect.gen(function* () {
      const stored = record(1, { sessions: { default: session("a") }, look: "something" })
      yield* within(root, (ledger) => ledger.modify(identityOf(1), () => ["done", stored]))
      const path = fileOf(root, 1)
      assert.strictEqual(readFileSync(path, "utf8").split("\n")[1], '  "version": 1,')
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* ledger.get(identityOf(1)), stored)
          const entry = yield* ledger.entry(identityOf(1))
          assert.deepInclude(entry, { busy: true, look: true, source: "github", ref: stored.ref })
          assert.strictEqual(yield* ledger.get(identityOf(2)), undefined)
        })
      )
    })
  )

  inFolder("a record that did not change is not written", (root) =>
    within(root, (ledger) =>
      Effect.gen(function* () {
        yield* ledger.modify(identityOf(1), () => [0, record(1)])
        const before = statSync(fileOf(root, 1), { bigint: true })
        yield* ledger.modify(identityOf(1), (known) => [0, known])
        yield* ledger.modify(identityOf(1), (known) => [0, known && { ...known, labels: [...known.labels] }])
        yield* ledger.modify(identityOf(1), () => [0, record(1)])
        const after = statSync(fileOf(root, 1), { bigint: true })
        assert.deepStrictEqual([after.ino, after.mtimeNs], [before.ino, before.mtimeNs])
        yield* ledger.modify(identityOf(1), (known) => [0, known && { ...known, title: "Other" }])
        assert.notStrictEqual(statSync(fileOf(root, 1), { bigint: true }).ino, before.ino)
      })
    )
  )

  inFolder("the slug is fixed at birth, former refs still find the item", (root) =>
    within(root, (ledger) =>
      Effect.gen(function* () {
        const [old, now] = [record(1).ref, Ref.make("github:github.com/new/name#1")]
        yield* ledger.modify(identityOf(1), () => [0, record(1)])
        yield* ledger.modify(identityOf(1), () => [0, record(1, { ref: now, aliases: [old] })])
        assert.strictEqual(readdirSync(join(root, "items")).length, 1)
        assert.isTrue(existsSync(fileOf(root, 1)))
        for (const ref of [old, now]) assert.strictEqual((yield* ledger.find(ref))?.identity, identityOf(1))
        const newcomer = record(2, { ref: old })
        yield* ledger.modify(newcomer.identity, () => [0, newcomer])
        assert.strictEqual((yield* ledger.find(old))?.identity, newcomer.identity)
      })
    )
  )

  inFolder("removing a record removes its file", (root) =>
    within(root, (ledger) =>
      Effect.gen(function* () {
        yield* ledger.modify(identityOf(1), () => [0, record(1)])
        yield* ledger.modify(identityOf(1), () => [0, undefined])
        assert.deepStrictEqual(readdirSync(join(root, "items")), [])
        assert.strictEqual(yield* ledger.entry(identityOf(1)), undefined)
        assert.strictEqual(yield* ledger.get(identityOf(1)), undefined)
      })
    )
  )

  inFolder("what this heed does not know survives, long numbers to the last digit", (root) =>
    Effect.gen(function* () {
      const stored = record(1, {
        sessions: { default: session("a"), other: session("b") },
        waiting: [
          {
            key: "issue_comment/9007199254740993",
            agent: "default",
            at: "2026-11-30T12:00:00.000Z",
            attempts: 0
          }
        ],
        seen: { "issue_comment/9007199254740995": "baseline" }
      })
      yield* within(root, (ledger) => ledger.modify(identityOf(1), () => [0, stored]))
      const path = fileOf(root, 1)
      const json = JSON.parse(readFileSync(path, "utf8"))
      json.future = { deep: [1] }
      json.futureId = "LONG"
      json.sessions.default.mood = "calm"
      json.sessions.default.plan.colour = "red"
      json.sessions.other.mood = "gone with its session"
      json.waiting[0].weight = 7
      writeFileSync(path, JSON.stringify(json).replace('"LONG"', "9007199254740993"))
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* ledger.get(identityOf(1)), stored)
          yield* ledger.modify(identityOf(1), (known) => [
            0,
            known && {
              ...known,
              title: "New",
              sessions: { default: session("a"), other: session("c") },
              waiting: known.waiting.map(({ key, agent, at }) => ({ key, agent, at, attempts: 1 }))
            }
          ])
        })
      )
      const text = readFileSync(path, "utf8")
      assert.include(text, '"futureId": 9007199254740993')
      const after = JSON.parse(text)
      assert.deepStrictEqual(after.future, { deep: [1] })
      assert.strictEqual(after.title, "New")
      assert.strictEqual(after.sessions.default.mood, "calm")
      assert.strictEqual(after.sessions.default.plan.colour, "red")
      assert.isUndefined(after.sessions.other.mood)
      assert.deepInclude(after.waiting[0], { key: "issue_comment/9007199254740993", attempts: 1, weight: 7 })
      assert.deepStrictEqual(after.seen, stored.seen)
    })
  )

  inFolder("changes of one item take turns, each sees the one before", (root) =>
    within(root, (ledger) =>
      Effect.gen(function* () {
        yield* ledger.modify(identityOf(1), () => [0, record(1)])
        yield* Effect.forEach(
          Array.from({ length: 50 }, (_, at) => at),
          (at) =>
            ledger.modify(identityOf(1), (known) => [
              0,
              known && { ...known, labels: [...known.labels, `label-${at}`] }
            ]),
          { concurrency: "unbounded", discard: true }
        )
        assert.strictEqual((yield* ledger.get(identityOf(1)))?.labels.length, 51)
        assert.strictEqual(JSON.parse(readFileSync(fileOf(root, 1), "utf8")).labels.length, 51)
      })
    )
  )

  inFolder("a change that was begun is finished, whoever interrupts", (root) =>
    within(root, (ledger) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          ledger.modify(identityOf(1), () => [0, record(1)]),
          { startImmediately: true }
        )
        fiber.interruptUnsafe()
        yield* Fiber.await(fiber)
        assert.isDefined(yield* ledger.get(identityOf(1)))
      })
    )
  )

  inFolder("only exact names are records; temporary files of the dead go, other litter stays", (root) =>
    Effect.gen(function* () {
      yield* within(root, (ledger) => ledger.modify(identityOf(1), () => [0, record(1)]))
      const name = `${slug(record(1).ref, identityOf(1))}.json`
      // Beside a record, and where there is none.
      const other = `${slug(record(2).ref, identityOf(2))}.json`
      const around = [name, other].flatMap((file) => [`${file}.123.tmp`, `${file}~`, `.${file}.swp`])
      const litter = [...around, "notes.json", "README"]
      const dead = `.${name}.99999.0123456789ab.tmp`
      for (const file of [...litter, dead]) writeFileSync(join(root, "items", file), "{")
      const before = readdirSync(join(root, "items")).sort()
      const looked = yield* Ledger.use((ledger) => ledger.entries).pipe(
        Effect.provide(Ledger.layerReadOnly({ root }).pipe(Layer.provide(NodeFileSystem.layer)))
      )
      assert.strictEqual(looked.length, 1)
      assert.deepStrictEqual(readdirSync(join(root, "items")).sort(), before)
      const entries = yield* within(root, (ledger) => ledger.entries)
      assert.strictEqual(entries.length, 1)
      assert.deepStrictEqual(readdirSync(join(root, "items")).sort(), [name, ...litter].sort())
    })
  )

  inFolder("who only looks makes nothing and changes nothing", (root) =>
    Effect.gen(function* () {
      const layer = Ledger.layerReadOnly({ root: join(root, "none") }).pipe(
        Layer.provide(NodeFileSystem.layer)
      )
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        assert.deepStrictEqual(yield* ledger.entries, [])
        assert.strictEqual(yield* ledger.get(identityOf(1)), undefined)
        const failure = yield* Effect.flip(ledger.modify(identityOf(1), () => [0, record(1)]))
        assert.strictEqual(failure.reason, "Unwritable")
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(readdirSync(root), [])
    })
  )

  inFolder("a thousand changes of one record read nothing again and look at no other file", (root) => {
    const faults: FaultyFileSystem.Faults = { now: undefined }
    return within(
      root,
      (ledger) =>
        Effect.gen(function* () {
          yield* ledger.modify(identityOf(1), () => [0, record(1)])
          faults.now = { step: "read", code: "EIO" }
          for (let word = 0; word < 1_000; word++) {
            yield* ledger.modify(identityOf(1), (known) => [
              0,
              known && { ...known, seen: { ...known.seen, [`issue_comment/${word}@default`]: "handed over" } }
            ])
          }
          const stored = JSON.parse(readFileSync(fileOf(root, 1), "utf8"))
          assert.strictEqual(Object.keys(stored.seen).length, 1_000)
          assert.deepStrictEqual(Object.keys(stored.seen)[999], "issue_comment/999@default")
        }),
      FaultyFileSystem.layer(faults)
    )
  })

  inFolder("a record that appeared under its own name is seen before it is written over", (root) =>
    Effect.gen(function* () {
      yield* within(root, (ledger) =>
        ledger.modify(identityOf(1), () => [0, record(1, { title: "Restored" })])
      )
      const text = readFileSync(fileOf(root, 1))
      yield* within(root, (ledger) => ledger.modify(identityOf(1), () => [0, undefined]))
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          writeFileSync(fileOf(root, 1), text)
          const seen = yield* ledger.modify(identityOf(1), (known) => [known?.title, known ?? record(1)])
          assert.strictEqual(seen, "Restored")
        })
      )
    })
  )

  it.effect("in memory it answers alike", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      assert.strictEqual(
        yield* ledger.modify(identityOf(1), (known) => [known === undefined, record(1)]),
        true
      )
      assert.deepStrictEqual(yield* ledger.get(identityOf(1)), record(1))
      assert.strictEqual((yield* ledger.find(record(1).ref))?.identity, identityOf(1))
      yield* ledger.modify(Identity.make(identityOf(1)), () => [0, undefined])
      assert.deepStrictEqual(yield* ledger.entries, [])
    }).pipe(Effect.provide(Ledger.layerMemory))
  )
})
