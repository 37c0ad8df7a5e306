import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Root, type RootOptions } from "../../src/state/Root.ts"
import * as FaultyFileSystem from "../disk/FaultyFileSystem.ts"
import { inFolder } from "./ledgers.ts"

const opened = (options: RootOptions) =>
  Root.use(Effect.succeed).pipe(
    Effect.provide(Root.layer(options).pipe(Layer.fresh, Layer.provide(NodeFileSystem.layer)))
  )
const looked = (options: RootOptions) =>
  Root.use(Effect.succeed).pipe(
    Effect.provide(Root.layerReadOnly(options).pipe(Layer.fresh, Layer.provide(NodeFileSystem.layer)))
  )

const rootJson = (path: string) => JSON.parse(readFileSync(join(path, "root.json"), "utf8"))

describe("Root", () => {
  inFolder("makes what is missing, for the owner alone, and keeps it", (folder) =>
    Effect.gen(function* () {
      const path = join(folder, "deep", ".heed")
      const root = yield* opened({ path })
      assert.match(root.id, /^[0-9a-f]{32}$/u)
      assert.match(root.markKey, /^[0-9a-f]{64}$/u)
      assert.deepStrictEqual(root.items, join(path, "items"))
      assert.deepStrictEqual(root.runs, join(path, "runs"))
      assert.deepStrictEqual(root.socket, join(path, "heed.sock"))
      assert.deepStrictEqual(root.tmuxSocket, join(path, `tmux-${root.id.slice(0, 8)}.sock`))
      assert.deepStrictEqual(readdirSync(path).sort(), [".gitignore", "items", "root.json", "runs"])
      for (const name of ["", "items", "runs"])
        assert.strictEqual(statSync(join(path, name)).mode & 0o777, 0o700)
      assert.strictEqual(statSync(join(path, "root.json")).mode & 0o777, 0o600)
      assert.strictEqual(readFileSync(join(path, ".gitignore"), "utf8"), "*\n")
      writeFileSync(join(path, ".gitignore"), "mine\n")
      writeFileSync(join(path, ".root.json.4711.0123456789ab.tmp"), "{")
      chmodSync(join(path, "items"), 0o755)
      const before = statSync(join(path, "root.json"), { bigint: true })
      assert.deepStrictEqual(yield* opened({ path }), root)
      assert.deepStrictEqual(yield* looked({ path }), root)
      assert.strictEqual(
        statSync(join(path, "root.json"), { bigint: true }).ino,
        before.ino,
        "not written again"
      )
      assert.strictEqual(readFileSync(join(path, ".gitignore"), "utf8"), "mine\n")
      assert.strictEqual(statSync(join(path, "items")).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(path).sort(), [".gitignore", "items", "root.json", "runs"])
    })
  )

  inFolder("who only looks makes nothing and is told that no heed ran", (folder) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(looked({ path: join(folder, "none") }))
      assert.strictEqual(failure.reason, "Missing")
      assert.include(failure.message, "heed start")
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  inFolder("a copy is noticed; told so, it becomes a new root without sessions", (folder) =>
    Effect.gen(function* () {
      const [path, copy] = [join(folder, "a"), join(folder, "b")]
      const original = yield* opened({ path })
      writeFileSync(join(path, "items", "x.json"), "{}")
      for (const name of ["listings.json", "agents.json"]) writeFileSync(join(path, name), "{}")
      cpSync(path, copy, { recursive: true })
      for (const attempt of [opened({ path: copy }), looked({ path: copy })]) {
        const failure = yield* Effect.flip(attempt)
        assert.strictEqual(failure.reason, "Elsewhere")
        for (const word of [copy, "--moved", "--copied"]) assert.include(failure.message, word)
      }
      assert.strictEqual((yield* looked({ path: copy, now: "moved" })).id, original.id)
      assert.strictEqual(
        (yield* Effect.flip(looked({ path: copy }))).reason,
        "Elsewhere",
        "a look changes nothing"
      )
      const renewed = yield* opened({ path: copy, now: "copied" })
      assert.notStrictEqual(renewed.id, original.id)
      assert.notStrictEqual(renewed.markKey, original.markKey)
      assert.deepStrictEqual(readdirSync(join(copy, "items")), [])
      assert.isFalse(existsSync(join(copy, "listings.json")), "its first runs are its own")
      assert.isFalse(existsSync(join(copy, "agents.json")), "and so are its agents' failures")
      const aside = readdirSync(copy).find((name) => name.startsWith("items.before-copy-")) ?? ""
      assert.deepStrictEqual(readdirSync(join(copy, aside)), ["x.json"])
      assert.deepStrictEqual(yield* opened({ path: copy }), renewed)
      assert.deepStrictEqual(yield* opened({ path, now: "copied" }), original, "the original is no copy")
      assert.isTrue(existsSync(join(path, "items", "x.json")))
    })
  )

  inFolder(
    "a moved root is kept when a person says so; under another name in place it just goes on",
    (folder) =>
      Effect.gen(function* () {
        const path = join(folder, "a")
        const original = yield* opened({ path })
        renameSync(path, join(folder, "b"))
        assert.strictEqual((yield* opened({ path: join(folder, "b") })).id, original.id)
        cpSync(join(folder, "b"), join(folder, "c"), { recursive: true })
        assert.strictEqual((yield* Effect.flip(opened({ path: join(folder, "c") }))).reason, "Elsewhere")
        const kept = yield* opened({ path: join(folder, "c"), now: "moved" })
        assert.deepStrictEqual([kept.id, kept.markKey], [original.id, original.markKey])
        assert.deepStrictEqual(yield* opened({ path: join(folder, "c") }), kept)
      })
  )

  inFolder("a renumbered device or a renamed host alone is no move, both at once are", (folder) =>
    Effect.gen(function* () {
      const { id } = yield* opened({ path: folder })
      const change = (fields: object) =>
        writeFileSync(join(folder, "root.json"), JSON.stringify({ ...rootJson(folder), ...fields }))
      for (const fields of [{ device: "1" }, { host: "other" }]) {
        change({ ...fields, future: "kept" })
        assert.strictEqual((yield* opened({ path: folder })).id, id)
        assert.notInclude(Object.values(rootJson(folder)), Object.values(fields)[0])
        assert.strictEqual(rootJson(folder).future, "kept")
      }
      change({ device: "1", host: "other" })
      assert.strictEqual((yield* Effect.flip(opened({ path: folder }))).reason, "Elsewhere")
    })
  )

  inFolder("a damaged root.json is not written over", (folder) =>
    Effect.gen(function* () {
      yield* opened({ path: folder })
      for (const damage of ["", "{", "null", JSON.stringify({ ...rootJson(folder), version: 2 })]) {
        writeFileSync(join(folder, "root.json"), damage)
        for (const now of [undefined, "moved"] as const) {
          const failure = yield* Effect.flip(opened({ path: folder, ...(now === undefined ? {} : { now }) }))
          assert.strictEqual(failure.reason, "Unreadable")
          assert.include(failure.message, join(folder, "root.json"))
          assert.strictEqual(readFileSync(join(folder, "root.json"), "utf8"), damage)
        }
        yield* opened({ path: folder, now: "copied" })
      }
    })
  )

  inFolder("a root that cannot be written says so", (folder) =>
    Effect.gen(function* () {
      const faults: FaultyFileSystem.Faults = { now: { step: "open", code: "EROFS" } }
      const failure = yield* Root.use(Effect.succeed).pipe(
        Effect.provide(Root.layer({ path: folder }).pipe(Layer.provide(FaultyFileSystem.layer(faults)))),
        Effect.flip
      )
      assert.strictEqual(failure.reason, "Unwritable")
      assert.include(failure.message, "read-only")
      writeFileSync(join(folder, "file"), "")
      assert.strictEqual((yield* Effect.flip(opened({ path: join(folder, "file") }))).reason, "Unwritable")
    })
  )

  inFolder("a mark key from outside goes before the stored one, and is not stored", (folder) =>
    Effect.gen(function* () {
      const { markKey } = yield* opened({ path: folder })
      assert.strictEqual((yield* opened({ path: folder, markKey: "given" })).markKey, "given")
      assert.strictEqual((yield* opened({ path: folder })).markKey, markKey)
    })
  )

  inFolder("a socket whose path would be too long lies in a folder of the user's own", (folder) =>
    Effect.gen(function* () {
      const path = join(folder, "x".repeat(100))
      const runtimeDir = join(folder, "run")
      mkdirSync(runtimeDir)
      const root = yield* opened({ path, runtimeDir })
      assert.strictEqual(root.socket, join(runtimeDir, `heed-${root.id}`, "heed.sock"))
      assert.strictEqual(dirname(root.tmuxSocket), dirname(root.socket))
      assert.strictEqual(statSync(join(runtimeDir, `heed-${root.id}`)).mode & 0o777, 0o700)
      assert.strictEqual((yield* looked({ path, runtimeDir })).socket, root.socket)

      chmodSync(join(runtimeDir, `heed-${root.id}`), 0o755)
      const open = yield* Effect.flip(opened({ path, runtimeDir }))
      assert.strictEqual(open.reason, "Unsafe")
      renameSync(join(runtimeDir, `heed-${root.id}`), join(runtimeDir, "mine"))
      symlinkSync(join(runtimeDir, "mine"), join(runtimeDir, `heed-${root.id}`))
      assert.strictEqual((yield* Effect.flip(opened({ path, runtimeDir }))).reason, "Unsafe")

      const gone = yield* opened({ path, runtimeDir: join(folder, "gone") })
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(dirname(gone.socket), { recursive: true })))
      assert.isBelow(Buffer.byteLength(gone.socket), 101)
      assert.include(gone.socket, root.id.slice(0, 16))
      assert.strictEqual((yield* looked({ path, runtimeDir: join(folder, "gone") })).socket, gone.socket)
    }).pipe(Effect.scoped)
  )
})
