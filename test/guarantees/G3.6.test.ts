/** G3.6: a full, read-only or failing disk changes no record, and work goes on by itself when it is mended. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as FaultyFileSystem from "../disk/FaultyFileSystem.ts"
import { fileOf, inFolder, within } from "../state/ledgers.ts"
import { identityOf, record } from "../state/records.ts"

const faultsOfADisk: ReadonlyArray<FaultyFileSystem.Faults["now"] & object> = [
  { step: "open", code: "ENOSPC" },
  { step: "open", code: "EROFS" },
  { step: "open", code: "EACCES" },
  { step: "write", code: "ENOSPC" },
  { step: "write", code: "EDQUOT" },
  { step: "short", code: "" },
  { step: "sync", code: "EIO" },
  { step: "sync", code: "ENOSPC" },
  { step: "rename", code: "EIO" }
]

describe("G3.6", () => {
  for (const fault of faultsOfADisk) {
    inFolder(
      `${fault.step} ${fault.code}: the record stays, the caller is told, and it resumes by itself`,
      (root) => {
        const faults: FaultyFileSystem.Faults = { now: undefined }
        return within(
          root,
          (ledger) =>
            Effect.gen(function* () {
              yield* ledger.modify(identityOf(1), () => [0, record(1)])
              const before = readFileSync(fileOf(root, 1))
              const entryBefore = yield* ledger.entry(identityOf(1))
              faults.now = fault
              for (const attempt of [
                ledger.modify(identityOf(1), (known) => [0, known && { ...known, look: "something" }]),
                ledger.modify(identityOf(2), () => [0, record(2)])
              ]) {
                const failure = yield* Effect.flip(attempt)
                assert.strictEqual(failure.reason, "Unwritable")
                assert.include(failure.message, join(root, "items"))
                assert.include(failure.message, "goes on by itself")
              }
              assert.deepStrictEqual(readFileSync(fileOf(root, 1)), before)
              assert.deepStrictEqual(readdirSync(join(root, "items")).length, 1)
              assert.deepStrictEqual(yield* ledger.get(identityOf(1)), record(1))
              assert.deepStrictEqual(yield* ledger.entry(identityOf(1)), entryBefore)
              assert.isUndefined(yield* ledger.entry(identityOf(2)))
              faults.now = undefined
              yield* ledger.modify(identityOf(1), (known) => [0, known && { ...known, title: "Resumed" }])
              assert.strictEqual((yield* ledger.get(identityOf(1)))?.title, "Resumed")
            }),
          FaultyFileSystem.layer(faults)
        )
      }
    )
  }

  inFolder(
    "when only the folder's sync fails, nothing is built on the record until it is durable",
    (root) => {
      const faults: FaultyFileSystem.Faults = { now: undefined }
      return within(
        root,
        (ledger) =>
          Effect.gen(function* () {
            yield* ledger.modify(identityOf(1), () => [0, record(1)])
            faults.now = { step: "syncFolder", code: "EIO" }
            const failure = yield* Effect.flip(
              ledger.modify(identityOf(1), () => [0, record(1, { title: "New" })])
            )
            assert.strictEqual(failure.reason, "Unwritable")
            const stored = JSON.parse(readFileSync(fileOf(root, 1), "utf8"))
            assert.strictEqual((yield* Effect.flip(ledger.get(identityOf(1)))).reason, "Unwritable")
            faults.now = undefined
            assert.strictEqual((yield* ledger.get(identityOf(1)))?.title, stored.title)
          }),
        FaultyFileSystem.layer(faults)
      )
    }
  )

  inFolder("what a killed heed left in place is made durable before the next one builds on it", (root) => {
    const faults: FaultyFileSystem.Faults = { now: undefined }
    return Effect.gen(function* () {
      yield* within(root, (ledger) => ledger.modify(identityOf(1), () => [0, record(1)]))
      yield* within(
        root,
        (ledger) =>
          Effect.gen(function* () {
            faults.now = { step: "syncFolder", code: "EIO" }
            assert.strictEqual((yield* Effect.flip(ledger.get(identityOf(1)))).reason, "Unwritable")
            faults.now = undefined
            assert.deepStrictEqual(yield* ledger.get(identityOf(1)), record(1))
          }),
        FaultyFileSystem.layer(faults)
      )
    })
  })

  inFolder("a read that fails for a moment freezes for that moment only", (root) => {
    const faults: FaultyFileSystem.Faults = { now: undefined }
    return Effect.gen(function* () {
      yield* within(root, (ledger) => ledger.modify(identityOf(1), () => [0, record(1)]))
      yield* within(
        root,
        (ledger) =>
          Effect.gen(function* () {
            faults.now = { step: "read", code: "EMFILE" }
            assert.strictEqual((yield* Effect.flip(ledger.get(identityOf(1)))).reason, "Frozen")
            faults.now = undefined
            assert.deepStrictEqual(yield* ledger.get(identityOf(1)), record(1))
          }),
        FaultyFileSystem.layer(faults)
      )
    })
  })
})
