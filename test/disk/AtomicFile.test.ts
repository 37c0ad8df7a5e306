import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as AtomicFile from "../../src/disk/AtomicFile.ts"
import * as FaultyFileSystem from "./FaultyFileSystem.ts"

const inFolder = <A, E>(
  name: string,
  body: (folder: string, faults: FaultyFileSystem.Faults) => Effect.Effect<A, E, FileSystem.FileSystem>
) =>
  it.live(name, () => {
    const faults: FaultyFileSystem.Faults = { now: undefined }
    return Effect.scoped(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        return yield* body(yield* files.makeTempDirectoryScoped(), faults)
      })
    ).pipe(Effect.provide(FaultyFileSystem.layer(faults)))
  })

describe("AtomicFile", () => {
  inFolder("writes text and bytes, for the owner alone, whatever the umask and the old mode", (folder) =>
    Effect.gen(function* () {
      const path = join(folder, "a.json")
      const text = "é".repeat(50_000)
      yield* AtomicFile.write(path, text)
      assert.strictEqual(readFileSync(path, "utf8"), text)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      chmodSync(path, 0o644)
      yield* AtomicFile.write(path, new Uint8Array([0, 1, 255]))
      assert.deepStrictEqual([...readFileSync(path)], [0, 1, 255])
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      yield* AtomicFile.write(path, "")
      assert.strictEqual(readFileSync(path, "utf8"), "")
      assert.deepStrictEqual(readdirSync(folder), ["a.json"])
    })
  )

  inFolder("every fault before the rename leaves the old file as it was, and no litter", (folder, faults) =>
    Effect.gen(function* () {
      const path = join(folder, "a.json")
      yield* AtomicFile.write(path, "old")
      const before = statSync(path, { bigint: true })
      const cases = [
        ["open", "ENOSPC", "NoSpace"],
        ["open", "EROFS", "ReadOnly"],
        ["open", "EACCES", "Denied"],
        ["write", "ENOSPC", "NoSpace"],
        ["write", "EDQUOT", "NoSpace"],
        ["write", "EIO", "Failing"],
        ["short", "", "Incomplete"],
        ["stat", "EIO", "Failing"],
        ["sync", "EIO", "Failing"],
        ["sync", "ENOSPC", "NoSpace"],
        ["rename", "EIO", "Failing"],
        ["rename", "EMFILE", "Other"]
      ] as const
      for (const [step, code, reason] of cases) {
        faults.now = { step, code }
        const failure = yield* Effect.flip(AtomicFile.write(path, "the new content"))
        assert.deepStrictEqual([step, failure.reason, failure.path], [step, reason, path])
        assert.include(failure.message, folder)
        assert.strictEqual(readFileSync(path, "utf8"), "old")
        const after = statSync(path, { bigint: true })
        assert.deepStrictEqual([after.ino, after.mtimeNs], [before.ino, before.mtimeNs])
        assert.deepStrictEqual(readdirSync(folder), ["a.json"], `${step} ${code}`)
      }
      faults.now = undefined
      yield* AtomicFile.write(path, "new")
      assert.strictEqual(readFileSync(path, "utf8"), "new")
    })
  )

  inFolder("a folder that cannot be synced is a failure, and both contents are whole", (folder, faults) =>
    Effect.gen(function* () {
      const path = join(folder, "a.json")
      yield* AtomicFile.write(path, "old")
      faults.now = { step: "syncFolder", code: "EIO" }
      assert.strictEqual((yield* Effect.flip(AtomicFile.write(path, "new"))).reason, "Failing")
      assert.strictEqual(readFileSync(path, "utf8"), "new")
      assert.deepStrictEqual(readdirSync(folder), ["a.json"])
    })
  )

  inFolder("a link in the file's place is replaced, not followed", (folder) =>
    Effect.gen(function* () {
      const [path, other] = [join(folder, "a.json"), join(folder, "other")]
      writeFileSync(other, "untouched")
      symlinkSync(other, path)
      yield* AtomicFile.write(path, "new")
      assert.strictEqual(readFileSync(other, "utf8"), "untouched")
      assert.isTrue(statSync(path).isFile())
    })
  )

  inFolder("a missing folder is said", (folder) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(AtomicFile.write(join(folder, "none", "a.json"), "x"))
      assert.strictEqual(failure.reason, "Missing")
    })
  )

  inFolder("readers beside a writer see whole contents only", (folder) =>
    Effect.gen(function* () {
      const path = join(folder, "a.json")
      const content = (number: number) => String(number % 10).repeat(20_000)
      yield* AtomicFile.write(path, content(0))
      const seen = new Set<string>()
      yield* Effect.raceFirst(
        Effect.forEach(
          Array.from({ length: 40 }, (_, at) => at),
          (number) => AtomicFile.write(path, content(number)),
          { discard: true }
        ),
        Effect.sync(() => {
          const text = readFileSync(path, "utf8")
          seen.add(`${new Set(text).size} ${text.length}`)
        }).pipe(Effect.andThen(Effect.yieldNow), Effect.forever)
      )
      assert.deepStrictEqual([...seen], ["1 20000"])
    })
  )
})
