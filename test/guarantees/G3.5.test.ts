/** G3.5: a corrupt, empty, foreign or newer record freezes its item alone; its file stays as it is. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Ledger, newerShare } from "../../src/state/Ledger.ts"
import { fileOf, inFolder, within } from "../state/ledgers.ts"
import { at, identityOf, record, session } from "../state/records.ts"

const fill = (root: string, count: number) =>
  within(root, (ledger) =>
    Effect.forEach(
      Array.from({ length: count }, (_, at) => at),
      (number) => ledger.modify(identityOf(number), () => [0, record(number)]),
      { discard: true, concurrency: 8 }
    )
  )

const json = (change: object) => (text: string) => JSON.stringify({ ...JSON.parse(text), ...change }, null, 2)

/** What may have become of a file, and a word that the reason has to say. */
const damages: ReadonlyArray<readonly [string, (text: string) => string, string]> = [
  ["empty", () => "", "empty"],
  ["all NUL, of the right length", (text) => "\0".repeat(text.length), "NUL"],
  ["its tail NUL", (text) => text.slice(0, 200) + "\0".repeat(100), "NUL"],
  ["half of its JSON", (text) => text.slice(0, text.length >> 1), "JSON"],
  ["two of them, one after the other", (text) => text + text, "JSON"],
  ["a list", (text) => `[${text}]`, "object"],
  ["null", () => "null", "object"],
  ["a number for a list", json({ waiting: 5 }), "waiting"],
  ["a missing field", (text) => JSON.stringify({ ...JSON.parse(text), identity: undefined }), "identity"],
  ["no version", (text) => JSON.stringify({ ...JSON.parse(text), version: undefined }), "version"],
  ["version 0", json({ version: 0 }), "version"],
  ["an unknown outcome", json({ seen: { "issue_comment/1": "whatever" } }), "seen"],
  [
    "a claim whose id leads out of the root",
    json({
      sessions: {
        default: {
          ...session("a"),
          claim: { id: "../../x", try: 1, kind: "words", members: [], conversation: "c", at }
        }
      }
    }),
    "claim"
  ],
  ["another item's identity", json({ identity: "github:github.com/R_9/I_9" }), "another item"],
  ["a newer version", json({ version: 2, sessions: "other" }), "newer"]
]

describe("G3.5", () => {
  for (const [what, damage, word] of damages) {
    inFolder(`${what}: the item is frozen, its file kept, the rest goes on`, (root) =>
      Effect.gen(function* () {
        yield* fill(root, 5)
        const path = fileOf(root, 3)
        writeFileSync(path, damage(readFileSync(path, "utf8")))
        const kept = readFileSync(path)
        yield* within(root, (ledger) =>
          Effect.gen(function* () {
            for (const attempt of [
              Effect.asVoid(ledger.get(identityOf(3))),
              ledger.modify(identityOf(3), () => [undefined, record(3)]),
              ledger.modify(identityOf(3), () => [undefined, undefined])
            ]) {
              const failure = yield* Effect.flip(attempt)
              assert.strictEqual(failure.reason, "Frozen")
              assert.include(failure.message, word)
              assert.include(failure.message, path)
            }
            const entries = yield* ledger.entries
            assert.strictEqual(entries.length, 5)
            assert.strictEqual(entries.filter(({ frozen }) => frozen !== undefined).length, 1)
            const entry = yield* ledger.entry(identityOf(3))
            assert.deepInclude(entry, { identity: identityOf(3), busy: false, look: false })
            assert.include(entry?.frozen, word)
            for (const number of [0, 1, 2, 4]) {
              yield* ledger.modify(identityOf(number), (known) => [0, known && { ...known, title: "Next" }])
            }
          })
        )
        assert.deepStrictEqual(readFileSync(path), kept)
        assert.strictEqual(readdirSync(join(root, "items")).length, 5)
      })
    )
  }

  inFolder("an unreadable record is frozen, not new", (root) =>
    Effect.gen(function* () {
      yield* fill(root, 2)
      // As root no permission keeps anyone out: a folder in its place cannot be read by anybody.
      rmSync(fileOf(root, 1))
      mkdirSync(fileOf(root, 1))
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          const failure = yield* Effect.flip(ledger.modify(identityOf(1), () => [0, record(1)]))
          assert.strictEqual(failure.reason, "Frozen")
          assert.include(failure.message, "cannot be read")
          assert.isDefined(yield* ledger.get(identityOf(0)))
        })
      )
    })
  )

  inFolder("a record that may not be read is frozen alone, and goes on once it may", (root) =>
    Effect.gen(function* () {
      yield* fill(root, 2)
      const path = fileOf(root, 1)
      let isDenied = true
      // As another user meets it: root may read everything, so the system's answer is given in its stead.
      const denying = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (files) => ({
          ...files,
          readFileString: (from: string, encoding?: string) =>
            isDenied && from === path
              ? Effect.fail(
                  PlatformError.systemError({
                    _tag: "PermissionDenied",
                    module: "FileSystem",
                    method: "readFile",
                    pathOrDescriptor: from,
                    cause: Object.assign(new Error("EACCES"), { code: "EACCES" })
                  })
                )
              : files.readFileString(from, encoding)
        }))
      ).pipe(Layer.provide(NodeFileSystem.layer))
      yield* within(
        root,
        (ledger) =>
          Effect.gen(function* () {
            const failure = yield* Effect.flip(ledger.modify(identityOf(1), () => [0, record(1)]))
            assert.strictEqual(failure.reason, "Frozen")
            assert.include(failure.message, "EACCES")
            assert.isDefined(yield* ledger.get(identityOf(0)))
            isDenied = false
            assert.deepStrictEqual(yield* ledger.get(identityOf(1)), record(1))
          }),
        denying
      )
    })
  )

  inFolder(
    "a link to another item's record is frozen; one to its own is followed, and replaced, not written through",
    (root) =>
      Effect.gen(function* () {
        yield* fill(root, 3)
        const elsewhere = join(root, "elsewhere.json")
        renameSync(fileOf(root, 1), elsewhere)
        symlinkSync(elsewhere, fileOf(root, 1))
        rmSync(fileOf(root, 2))
        symlinkSync(elsewhere, fileOf(root, 2))
        const kept = readFileSync(elsewhere)
        yield* within(root, (ledger) =>
          Effect.gen(function* () {
            const failure = yield* Effect.flip(ledger.modify(identityOf(2), () => [0, record(2)]))
            assert.strictEqual(failure.reason, "Frozen")
            assert.include(failure.message, "another item")
            yield* ledger.modify(identityOf(1), (known) => [0, known && { ...known, title: "New" }])
          })
        )
        assert.deepStrictEqual(readFileSync(elsewhere), kept)
        assert.isFalse(lstatSync(fileOf(root, 1)).isSymbolicLink())
        assert.include(readFileSync(fileOf(root, 1), "utf8"), "New")
      })
  )

  inFolder("a link to nothing in a record's place is frozen, not new", (root) =>
    Effect.gen(function* () {
      yield* fill(root, 2)
      rmSync(fileOf(root, 1))
      symlinkSync("nowhere", fileOf(root, 1))
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          const failure = yield* Effect.flip(ledger.modify(identityOf(1), () => [0, record(1)]))
          assert.strictEqual(failure.reason, "Frozen")
          assert.strictEqual((yield* ledger.entries).length, 2)
        })
      )
    })
  )

  inFolder("a record under another's name freezes both items until it has its name back", (root) =>
    Effect.gen(function* () {
      yield* fill(root, 2)
      const [right, wrong] = [fileOf(root, 1), fileOf(root, 7)]
      renameSync(right, wrong)
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          for (const number of [1, 7]) {
            const failure = yield* Effect.flip(ledger.modify(identityOf(number), () => [0, record(number)]))
            assert.strictEqual(failure.reason, "Frozen")
            assert.include(failure.message, wrong)
          }
          renameSync(wrong, right)
          assert.strictEqual(yield* ledger.get(identityOf(7)), undefined)
          yield* ledger.modify(identityOf(1), (known) => [0, known && { ...known, title: "Back" }])
          assert.strictEqual((yield* ledger.get(identityOf(1)))?.title, "Back")
        })
      )
    })
  )

  inFolder("two records of one item freeze it until one is gone", (root) =>
    Effect.gen(function* () {
      yield* fill(root, 2)
      const copy = join(root, "items", `copy-${fileOf(root, 1).slice(-21)}`)
      copyFileSync(fileOf(root, 1), copy)
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          const failure = yield* Effect.flip(ledger.get(identityOf(1)))
          assert.strictEqual(failure.reason, "Frozen")
          assert.include(failure.message, copy)
          assert.include(failure.message, fileOf(root, 1))
          rmSync(copy)
          assert.deepStrictEqual(yield* ledger.get(identityOf(1)), record(1))
          assert.isUndefined((yield* ledger.entry(identityOf(1)))?.frozen)
        })
      )
    })
  )

  inFolder("what an operator mends or moves away is taken up without a restart", (root) =>
    Effect.gen(function* () {
      yield* fill(root, 3)
      const good = readFileSync(fileOf(root, 1))
      for (const number of [1, 2]) writeFileSync(fileOf(root, number), "")
      yield* within(root, (ledger) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(ledger.get(identityOf(1)))).reason, "Frozen")
          writeFileSync(fileOf(root, 1), good)
          renameSync(fileOf(root, 2), join(root, "aside.json"))
          const entries = yield* ledger.entries
          assert.deepStrictEqual(
            entries.map(({ frozen }) => frozen),
            [undefined, undefined]
          )
          assert.deepStrictEqual(yield* ledger.get(identityOf(1)), record(1))
          assert.isUndefined(yield* ledger.get(identityOf(2)))
        })
      )
    })
  )

  inFolder("who only looks sees the same frozen items", (root) =>
    Effect.gen(function* () {
      yield* fill(root, 2)
      writeFileSync(fileOf(root, 1), "{")
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        assert.strictEqual((yield* Effect.flip(ledger.get(identityOf(1)))).reason, "Frozen")
        assert.include((yield* ledger.entry(identityOf(1)))?.frozen, "JSON")
      }).pipe(Effect.provide(Ledger.layerReadOnly({ root }).pipe(Layer.provide(NodeFileSystem.layer))))
    })
  )

  inFolder("the share of newer records tells a start that it is the wrong heed", (root) =>
    Effect.gen(function* () {
      assert.strictEqual(newerShare([]), 0)
      yield* fill(root, 4)
      for (const number of [0, 1, 2]) {
        const path = fileOf(root, number)
        writeFileSync(path, json({ version: 2 })(readFileSync(path, "utf8")))
      }
      writeFileSync(fileOf(root, 3), "{")
      const entries = yield* within(root, (ledger) => ledger.entries)
      assert.strictEqual(newerShare(entries), 0.75)
      assert.deepStrictEqual(
        new Set(entries.filter(({ newer }) => newer).map(({ identity }) => identity)),
        new Set([0, 1, 2].map(identityOf))
      )
    })
  )

  it("has a case for each kind of damage that the guarantee names", () => {
    const words = damages.map(([, , word]) => word)
    for (const word of ["empty", "NUL", "JSON", "another item", "newer"]) assert.include(words, word)
  })
})
