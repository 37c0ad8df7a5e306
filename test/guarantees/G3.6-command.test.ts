/** G3.6 with real disks: one that is really full, and one that really is read-only. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { canMount } from "../support/smallDisk.ts"
import { repo, type World, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

/** Every record, byte for byte. */
const recordsOf = (w: World) => {
  const items = join(w.root, "items")
  const names = readdirSync(items).filter((name) => name.endsWith(".json") && !name.startsWith("."))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(items, name), "utf8")]))
}

const attempts = (w: World) => w.agent.runs().map(({ attempt }) => attempt)

describe.skipIf(!canMount)("G3.6", () => {
  it.live("a full disk: nothing is handed over, spent or damaged, and it goes on by itself", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 1 } }, { disk: { size: "1m" } })
      const { disk } = w
      if (disk === undefined) return assert.fail("no disk")
      const [live, atWork] = [yield* w.issue("say-live"), yield* w.issue("say-work")]
      const heed = yield* w.start("start")
      yield* w.untilState(live, "live")
      yield* w.untilState(atWork, "live")
      w.agent.behave(w.agent.waiting())
      yield* w.say(atWork, "say-work-1")
      yield* w.untilGiven("say-work-1")
      const runs = w.agent.runs().length

      yield* disk.fill()
      const before = recordsOf(w)
      // What is new, what is known, and a run that ends now.
      yield* w.say(live, "say-live-1")
      yield* w.say(live, "say-live-2")
      const late = yield* w.issue("say-late")
      w.agent.release()
      yield* w.untilListed(20)
      const looked = yield* w.run("status")
      assert.strictEqual(looked.code, 0, looked.err)
      yield* w.untilListed(20)
      assert.deepStrictEqual(recordsOf(w), before)
      assert.strictEqual(w.agent.runs().length, runs)
      const refused = yield* w.run("start", "--once")
      assert.strictEqual(refused.code, 1)

      yield* disk.free()
      yield* w.untilGiven("say-live-2")
      yield* w.untilGiven("say-late")
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(w.agent.words(item(live)), ["say-live", "say-live-1", "say-live-2"])
      assert.deepStrictEqual(w.agent.words(item(atWork)), ["say-work", "say-work-1"])
      assert.deepStrictEqual(w.agent.words(item(late)), ["say-late"])
      assert.deepStrictEqual(new Set(attempts(w)), new Set([1]))
      assert.deepStrictEqual(
        w.records().flatMap(({ gaveUp }) => gaveUp),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live("killed on a full disk: the next heed says what is wrong, and the one after goes on", () =>
    Effect.gen(function* () {
      const w = yield* world({}, { disk: { size: "1m" } })
      const { disk } = w
      if (disk === undefined) return assert.fail("no disk")
      const one = yield* w.issue("say-start")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* disk.fill()
      const before = recordsOf(w)
      yield* w.say(one, "say-1")
      yield* w.untilListed(5)
      yield* heed.kill
      const { code, err } = yield* w.run("start", "--once")
      assert.isAbove(code ?? 0, 0)
      assert.include(err, "no space left")
      assert.deepStrictEqual(recordsOf(w), before)
      yield* disk.free()
      assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-start", "say-1"])
    }).pipe(Effect.scoped)
  )

  it.live("a disk that becomes read-only while heed runs, and writable again", () =>
    Effect.gen(function* () {
      const folders = ["items", "runs"]
      const w = yield* world({ polling: { attempts: 1 } }, { disk: { size: "8m", folders } })
      const { disk } = w
      if (disk === undefined) return assert.fail("no disk")
      const one = yield* w.issue("say-start")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.untilQuiet
      yield* disk.remount("ro", folders)
      const before = recordsOf(w)
      for (const word of ["say-1", "say-2"]) yield* w.say(one, word)
      const late = yield* w.issue("say-late")
      yield* w.untilListed(20)
      assert.deepStrictEqual(recordsOf(w), before)
      assert.strictEqual(w.agent.runs().length, 1)
      yield* disk.remount("rw", folders)
      yield* w.untilGiven("say-2")
      yield* w.untilGiven("say-late")
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-start", "say-1", "say-2"])
      assert.deepStrictEqual(w.agent.words(item(late)), ["say-late"])
      assert.deepStrictEqual(new Set(attempts(w)), new Set([1]))
      assert.isTrue(
        w.events().some(({ event, why }) => event === "poll.item_failed" && String(why).includes("read-only"))
      )
    }).pipe(Effect.scoped)
  )

  it.live("a disk that takes records and no runs: words wait, durably and free", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 1 } }, { disk: { size: "1m", folders: ["runs"] } })
      const { disk } = w
      if (disk === undefined) return assert.fail("no disk")
      const one = yield* w.issue("say-start")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.untilQuiet
      yield* disk.fill("runs")
      yield* w.say(one, "say-1")
      yield* w.say(one, "say-2")
      const late = yield* w.issue("say-late")
      yield* w.until("the words wait", () => w.record(one)?.waiting.length === 2)
      yield* w.until("the start waits", () => w.record(late)?.waiting.length === 1)
      yield* w.untilListed(5)
      assert.strictEqual(w.agent.runs().length, 1)
      const spent = w.records().flatMap(({ waiting }) => waiting.map(({ attempts }) => attempts))
      assert.deepStrictEqual(spent, [0, 0, 0])
      yield* disk.free("runs")
      yield* w.untilGiven("say-2")
      yield* w.untilGiven("say-late")
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-start", "say-1", "say-2"])
      assert.deepStrictEqual(w.agent.words(item(late)), ["say-late"])
      assert.deepStrictEqual(new Set(attempts(w)), new Set([1]))
    }).pipe(Effect.scoped)
  )
})
