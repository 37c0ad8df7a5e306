/** G3.5 for the whole heed: one bad record is one item's bad day, and a root of a newer heed is that heed's. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repo, type World, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

/** The file of an item's record. */
const fileOf = (w: World, number: number): string => {
  const items = join(w.root, "items")
  const found = readdirSync(items).find(
    (name) => name.endsWith(".json") && readFileSync(join(items, name), "utf8").includes(`#${number}",`)
  )
  return join(items, found ?? "none")
}

const digest = (w: World) =>
  Object.fromEntries(
    readdirSync(w.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")])
  )

/** What may become of a record's file. */
const damages: ReadonlyArray<readonly [string, (text: string) => string]> = [
  ["empty", () => ""],
  ["all NUL", (text) => "\0".repeat(text.length)],
  ["half of its JSON", (text) => text.slice(0, text.length >> 1)],
  [
    "another item's",
    (text) => text.replace(/"identity": "[^"]+"/u, '"identity": "github:github.com/R_9/I_9"')
  ],
  ["newer", (text) => text.replace('"version": 1,', '"version": 2,')]
]

describe("G3.5", () => {
  it.live("one frozen among 50: the other 49 are served, and put back it goes on without a repeat", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { sessions: 50 } })
      const numbers = yield* Effect.forEach(Array.from({ length: 50 }), (_, n) => w.issue(`say-title-${n}`))
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      const [ill = 0, ...others] = numbers
      const file = fileOf(w, ill)
      const whole = readFileSync(file, "utf8")
      writeFileSync(file, "")
      for (const number of numbers) yield* w.say(number, `say-word-${number}`)
      const heed = yield* w.start("start")
      for (const number of others) yield* w.untilGiven(`say-word-${number}`)
      yield* w.untilEvent("poll.item_frozen")
      assert.deepStrictEqual(w.agent.words(item(ill)), ["say-title-0"])
      assert.strictEqual(readFileSync(file, "utf8"), "", "it is nobody's to mend but yours")
      writeFileSync(file, whole)
      yield* w.untilGiven(`say-word-${ill}`)
      yield* w.untilListed(2)
      yield* w.untilQuiet
      yield* heed.stop
      for (const [place, number] of numbers.entries())
        assert.deepStrictEqual(w.agent.words(item(number)), [`say-title-${place}`, `say-word-${number}`])
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
    }).pipe(Effect.scoped)
  )

  for (const [what, damage] of damages) {
    it.live(
      `a record that is ${what} while its agent works: nothing is ended or repeated, and it is adopted`,
      () =>
        Effect.gen(function* () {
          const w = yield* world()
          // A root of mostly newer records would be another heed's.
          for (const title of ["a bystander", "another one"]) yield* w.issue(title)
          assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
          const one = yield* w.issue("say-start")
          w.agent.behave(w.agent.waiting())
          const first = yield* w.start("start")
          yield* w.untilGiven("say-start")
          yield* first.kill
          const file = fileOf(w, one)
          const whole = readFileSync(file, "utf8")
          const bad = damage(whole)
          assert.notStrictEqual(bad, whole)
          writeFileSync(file, bad)
          const second = yield* w.start("start")
          yield* w.say(one, "say-meanwhile")
          yield* w.untilEvent("poll.item_frozen")
          yield* w.untilListed(5)
          // The agent ends while nobody can read whose it was.
          w.agent.release()
          yield* w.untilListed(5)
          assert.strictEqual(readFileSync(file, "utf8"), bad)
          assert.deepStrictEqual(w.agent.words(item(one)), ["say-start"])
          writeFileSync(file, whole)
          yield* w.untilGiven("say-meanwhile")
          yield* w.untilQuiet
          yield* second.stop
          assert.deepStrictEqual(w.agent.words(item(one)), ["say-start", "say-meanwhile"])
          assert.deepStrictEqual(
            w.agent.runs().map(({ attempt }) => attempt),
            [1, 1, 1, 1]
          )
        }).pipe(Effect.scoped)
    )
  }

  it.live("an item that is closed while its record is frozen ends once it is put back, and not before", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue("say-start")
      w.agent.behave(w.agent.waiting())
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-start")
      yield* heed.kill
      const file = fileOf(w, one)
      renameSync(file, `${file}.aside`)
      writeFileSync(file, "{")
      yield* w.forge.close({ repo, number: one, by: "alice" })
      const next = yield* w.start("start")
      yield* w.untilListed(5)
      const [run] = w.agent.runs()
      assert.doesNotThrow(() => process.kill(run?.pid ?? 0, 0), "its agent still works")
      renameSync(`${file}.aside`, file)
      yield* w.untilState(one, "ending")
      w.agent.release()
      yield* w.untilState(one, "ended")
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  it.live("mostly newer records: exit 78 with the remedy, and nothing is touched", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const numbers = yield* Effect.forEach(Array.from({ length: 3 }), (_, n) => w.issue(`item ${n}`))
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      const age = (number: number, version: number) => {
        const file = fileOf(w, number)
        writeFileSync(file, readFileSync(file, "utf8").replace('"version": 1,', `"version": ${version},`))
      }
      for (const number of numbers.slice(0, 2)) age(number, 2)
      const before = digest(w)
      for (const args of [["start"], ["start", "--once"], ["retry", item(1)]]) {
        const { code, err } = yield* w.run(...args)
        assert.strictEqual(code, 78, `${args.join(" ")}: ${err}`)
        assert.include(err, "newer heed")
        assert.include(err, "state.root")
        assert.deepStrictEqual(digest(w), before)
      }
    }).pipe(Effect.scoped)
  )
})
