/** The rules of hot reload, with real files: saved, swapped, half-written, emptied, gone (traps B87 to B90). */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { ConfigReloader } from "../../src/config/ConfigReloader.ts"
import { load } from "../../src/config/load.ts"
import { rooms } from "./testKinds.ts"

const text = (options: { readonly interval?: string; readonly root?: string; readonly prompt?: string }) =>
  `state: { root: ${options.root ?? ".heed"} }
polling: { interval: ${options.interval ?? "60s"} }
sources: [{ provider: github, repos: [acme/app] }]
access: { users: [alice] }
agents:
  default: { sink: process, command: [claude]${options.prompt === undefined ? "" : `, prompts: { start: ${options.prompt} }`} }
`

/** Saves as editors do: a new file, renamed over the old one. */
const save = Effect.fnUntraced(function* (file: string, content: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(`${file}.new`, content)
  yield* fs.rename(`${file}.new`, file)
})

const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

const reloader = (file: string) =>
  Effect.map(Layer.build(ConfigReloader.layer({ file, ...rooms })), (context) => context).pipe(
    Effect.flatMap((context) => Effect.provideContext(ConfigReloader, context))
  )

const inWorld = Effect.provide(NodeServices.layer)

describe("a reload", () => {
  it.effect("sees every save by rename, and no new time without new content (B87)", () =>
    inWorld(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const file = `${yield* folder}/heed.yaml`
        yield* save(file, text({}))
        const { check, current } = yield* reloader(file)
        assert.deepStrictEqual(yield* check, { _tag: "Unchanged" })
        for (const interval of ["61s", "62s", "63s"]) {
          yield* save(file, text({ interval }))
          assert.strictEqual((yield* check)._tag, "Reloaded")
          assert.strictEqual(`${(yield* current).polling.interval / 1000}s`, interval)
          assert.strictEqual((yield* check)._tag, "Unchanged")
        }
        yield* fs.utimes(file, 1, 1)
        assert.strictEqual((yield* check)._tag, "Unchanged")
        yield* save(file, text({ interval: "63s" }))
        assert.strictEqual((yield* check)._tag, "Unchanged")
      })
    )
  )

  it.effect("sees a prompt's new content, and its loss", () =>
    inWorld(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const home = yield* folder
        yield* fs.writeFileString(`${home}/start.md`, "one")
        yield* save(`${home}/heed.yaml`, text({ prompt: "start.md" }))
        const { check, current } = yield* reloader(`${home}/heed.yaml`)
        yield* fs.writeFileString(`${home}/start.md`, "two")
        assert.strictEqual((yield* check)._tag, "Reloaded")
        assert.strictEqual((yield* current).agents["default"]?.prompts.start, "two")
        yield* fs.remove(`${home}/start.md`)
        assert.strictEqual((yield* check)._tag, "Rejected")
        yield* fs.writeFileString(`${home}/start.md`, "three")
        assert.strictEqual((yield* check)._tag, "Reloaded")
      })
    )
  )

  it.effect(
    "keeps the running plan for a file that is half-written, empty, invalid or gone, and says each once (B89)",
    () =>
      inWorld(
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const file = `${yield* folder}/heed.yaml`
          yield* save(file, text({}))
          const { check, current } = yield* reloader(file)
          const running = yield* current
          const bad = [
            fs.writeFileString(file, text({ interval: "61s" }).slice(0, 100)),
            fs.writeFileString(file, ""),
            fs.writeFileString(file, text({ interval: "soon" })),
            fs.writeFileString(file, "sources: []\n"),
            fs.remove(file)
          ]
          for (const spoil of bad) {
            yield* spoil
            const first = yield* check
            const again = yield* check
            if (first._tag !== "Rejected" || again._tag !== "Rejected") return assert.fail("not rejected")
            assert.isTrue(first.first)
            assert.isFalse(again.first)
            assert.deepStrictEqual(again.problems, first.problems)
            assert.isNotEmpty(first.problems)
            assert.strictEqual(yield* current, running)
          }
          yield* save(file, text({ interval: "62s" }))
          assert.strictEqual((yield* check)._tag, "Reloaded")
          assert.strictEqual((yield* current).polling.interval, 62_000)
        })
      )
  )

  it.effect("that comes back to what runs is none, and the same mistake later is news again", () =>
    inWorld(
      Effect.gen(function* () {
        const file = `${yield* folder}/heed.yaml`
        yield* save(file, text({}))
        const { check } = yield* reloader(file)
        const seen: Array<string> = []
        for (const content of ["a: 1", text({}), "a: 1"]) {
          yield* save(file, content)
          const reload = yield* check
          seen.push(reload._tag === "Rejected" ? `Rejected ${reload.first}` : reload._tag)
        }
        assert.deepStrictEqual(seen, ["Rejected true", "Unchanged", "Rejected true"])
      })
    )
  )

  it.effect("of state.root needs a restart: the running root stays, the rest takes effect", () =>
    inWorld(
      Effect.gen(function* () {
        const home = yield* folder
        const file = `${home}/heed.yaml`
        yield* save(file, text({}))
        const { check, current } = yield* reloader(file)
        yield* save(file, text({ root: "elsewhere", interval: "61s" }))
        const reload = yield* check
        assert.deepStrictEqual(reload._tag === "Reloaded" ? reload.needRestart : [], ["state.root"])
        const plan = yield* current
        assert.strictEqual(plan.state.root, `${home}/.heed`)
        assert.strictEqual(plan.polling.interval, 61_000)
        yield* save(file, text({ root: ".heed", interval: "61s" }))
        const back = yield* check
        assert.deepStrictEqual(back._tag === "Reloaded" ? back.needRestart : ["?"], [])
      })
    )
  )

  it.effect("may name no source any more, which is said loudly and ends nothing by itself (B90)", () =>
    inWorld(
      Effect.gen(function* () {
        const file = `${yield* folder}/heed.yaml`
        yield* save(file, text({}))
        const { check, current } = yield* reloader(file)
        yield* save(file, text({}).replace(/sources: .*/u, "sources: []"))
        assert.strictEqual((yield* check)._tag, "Reloaded")
        assert.deepStrictEqual((yield* current).warnings, ["sources is empty: heed watches nothing."])
      })
    )
  )

  it.effect("sees a mounted folder's link swapped, and never mixes two generations (B88)", () =>
    inWorld(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const mount = yield* folder
        const generation = Effect.fnUntraced(function* (name: string, interval: string) {
          yield* fs.makeDirectory(`${mount}/..${name}`)
          yield* fs.writeFileString(`${mount}/..${name}/start.md`, interval)
          yield* fs.writeFileString(`${mount}/..${name}/heed.yaml`, text({ interval, prompt: "start.md" }))
        })
        const swap = Effect.fnUntraced(function* (name: string) {
          yield* fs.symlink(`..${name}`, `${mount}/..data_tmp`)
          yield* fs.rename(`${mount}/..data_tmp`, `${mount}/..data`)
        })
        yield* generation("one", "61s")
        yield* generation("two", "62s")
        yield* swap("one")
        for (const name of ["heed.yaml", "start.md"]) yield* fs.symlink(`..data/${name}`, `${mount}/${name}`)
        const { check, current } = yield* reloader(`${mount}/heed.yaml`)
        assert.strictEqual((yield* current).state.root, `${mount}/.heed`)

        yield* swap("two")
        assert.strictEqual((yield* check)._tag, "Reloaded")
        assert.strictEqual((yield* current).agents["default"]?.prompts.start, "62s")

        // Swapped right after the configuration was read: its prompts come from a generation of their own or not at all.
        let swaps = 0
        const swapping = FileSystem.FileSystem.of({
          ...fs,
          readFile: (path) =>
            fs.readFile(path).pipe(
              Effect.tap(() => {
                swaps += 1
                return swaps === 1 ? swap("one") : Effect.void
              })
            )
        })
        const { plan } = yield* load(`${mount}/heed.yaml`, rooms).pipe(
          Effect.provideService(FileSystem.FileSystem, swapping)
        )
        assert.strictEqual(plan.agents["default"]?.prompts.start, `${plan.polling.interval / 1000}s`)
        assert.isAbove(swaps, 2)
      })
    )
  )

  it.effect("reads prompts beside the real file first, and state beside the link", () =>
    inWorld(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const [real, home] = [yield* folder, yield* folder]
        yield* fs.writeFileString(`${real}/heed.yaml`, text({ prompt: "start.md" }))
        yield* fs.writeFileString(`${home}/start.md`, "beside the link")
        yield* fs.symlink(`${real}/heed.yaml`, `${home}/heed.yaml`)
        const { check, current } = yield* reloader(`${home}/heed.yaml`)
        assert.strictEqual((yield* current).agents["default"]?.prompts.start, "beside the link")
        yield* fs.writeFileString(`${real}/start.md`, "beside the file")
        assert.strictEqual((yield* check)._tag, "Reloaded")
        assert.strictEqual((yield* current).agents["default"]?.prompts.start, "beside the file")
        assert.strictEqual((yield* current).state.root, `${home}/.heed`)
      })
    )
  )

  it.effect("has nothing to keep at a first start: that fails", () =>
    inWorld(
      Effect.gen(function* () {
        const file = `${yield* folder}/heed.yaml`
        yield* save(file, "")
        const exit = yield* Effect.exit(reloader(file))
        assert.isTrue(Exit.isFailure(exit))
      })
    )
  )
})

describe("a memory layer", () => {
  it.effect("holds its plan", () =>
    inWorld(
      Effect.gen(function* () {
        const file = `${yield* folder}/heed.yaml`
        yield* save(file, text({}))
        const { plan } = yield* load(file, rooms)
        const { check, current } = yield* Effect.provide(ConfigReloader, ConfigReloader.layerMemory(plan))
        assert.strictEqual(yield* current, plan)
        assert.deepStrictEqual(yield* check, { _tag: "Unchanged" })
      })
    )
  )
})
