/** A root that is copied, moved or restored from a backup while an agent works (G3.2): whose sessions are whose. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repo, type World, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`
const attempts = (w: World) => w.agent.runs().map(({ attempt }) => attempt)

/** A world whose agent is at work, and whose heed was killed. */
const atWork = Effect.fnUntraced(function* () {
  const w = yield* world({ polling: { attempts: 3, retryAfter: ["10ms"] } })
  const one = yield* w.issue("say-start")
  w.agent.behave(w.agent.waiting())
  const heed = yield* w.start("start")
  yield* w.untilGiven("say-start")
  yield* heed.kill
  rmSync(join(w.root, "heed.sock"), { force: true })
  return { w, one }
})

/** Another configuration, whose root is the given one. */
const elsewhere = (w: World, root: string) => {
  const file = join(w.folder, "elsewhere.yaml")
  const text = readFileSync(w.file, "utf8")
  writeFileSync(file, text.replace(JSON.stringify(w.root), JSON.stringify(root)))
  return (...args: ReadonlyArray<string>) => w.run(...args, "--config", file)
}

const itemsOf = (root: string) => readdirSync(join(root, "items"))

describe("G3.2", () => {
  it.live(
    "a copy made while an agent works is refused; as a copy it begins anew, and the original adopts",
    () =>
      Effect.gen(function* () {
        const { one, w } = yield* atWork()
        const copy = join(w.folder, "copy")
        cpSync(w.root, copy, { recursive: true })
        const there = elsewhere(w, copy)
        const refused = yield* there("start", "--once")
        assert.strictEqual(refused.code, 1)
        assert.include(refused.err, "--copied")
        assert.deepStrictEqual(attempts(w), [1], "nothing was started")
        const [run] = w.agent.runs()
        const begun = yield* there("start", "--once", "--copied")
        assert.strictEqual(begun.code, 0, begun.err)
        // heed leaves once the run has begun, which may be a moment before its agent writes down what it was given.
        yield* w.until("the copy's agent has its start", () => w.agent.words(item(one)).length > 1)
        assert.deepStrictEqual(w.agent.words(item(one)), ["say-start", "say-start"])
        assert.doesNotThrow(() => process.kill(run?.pid ?? 0, 0), "the original's run is not its to end")
        const next = yield* w.start("start")
        yield* w.untilEvent("session.adopted")
        w.agent.release()
        yield* w.untilState(one, "live")
        yield* next.stop
        assert.deepStrictEqual(attempts(w), [1, 1])
        assert.strictEqual((yield* there("start", "--once", "--wait")).code, 0)
        assert.deepStrictEqual(attempts(w), [1, 1])
      }).pipe(Effect.scoped)
  )

  it.live("a root that is renamed while an agent works goes on, and takes in its result", () =>
    Effect.gen(function* () {
      const { one, w } = yield* atWork()
      const moved = join(w.folder, "moved")
      renameSync(w.root, moved)
      w.agent.release()
      yield* w.say(one, "say-1")
      const ended = yield* elsewhere(w, moved)("start", "--once", "--wait")
      assert.strictEqual(ended.code, 0, ended.err)
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-start", "say-1"])
      assert.deepStrictEqual(attempts(w), [1, 1])
    }).pipe(Effect.scoped)
  )

  it.live(
    "a root that is moved to another disk while an agent works waits for it, and then tries again",
    () =>
      Effect.gen(function* () {
        const { one, w } = yield* atWork()
        const moved = join(w.folder, "moved")
        cpSync(w.root, moved, { recursive: true })
        rmSync(w.root, { recursive: true })
        const there = elsewhere(w, moved)
        assert.strictEqual((yield* there("start", "--once")).code, 1)
        assert.strictEqual((yield* there("start", "--once", "--moved")).code, 0)
        assert.deepStrictEqual(attempts(w), [1], "it still works: nobody works beside it")
        w.agent.release()
        // The first takes in that it failed, the second makes the next attempt.
        yield* there("start", "--once", "--wait")
        assert.strictEqual((yield* there("start", "--once", "--wait")).code, 0)
        // Its exit code went to a folder that is gone: whether it succeeded nobody knows, and the next attempt is told so.
        assert.deepStrictEqual(attempts(w), [1, 2])
        assert.deepStrictEqual(new Set(w.agent.words(item(one))), new Set(["say-start"]))
      }).pipe(Effect.scoped)
  )

  it.live(
    "records of a backup older than what the agent got: that is given again, in order, and nothing is lost",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        const one = yield* w.issue("say-start")
        assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
        yield* w.say(one, "say-1")
        assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
        const backup = join(w.folder, "backup")
        cpSync(w.root, backup, { recursive: true })
        for (const word of ["say-2", "say-3"]) {
          yield* w.say(one, word)
          assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
        }
        // The root's own folder stays, so that it is the same root; what lies in it is older.
        for (const name of readdirSync(w.root)) rmSync(join(w.root, name), { recursive: true })
        for (const name of readdirSync(backup))
          cpSync(join(backup, name), join(w.root, name), { recursive: true })
        assert.strictEqual(itemsOf(w.root).length, 1)
        yield* w.say(one, "say-4")
        assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
        assert.deepStrictEqual(
          w.agent.words(item(one)),
          ["say-start", "say-1", "say-2", "say-3"].concat(["say-2", "say-3", "say-4"])
        )
        assert.strictEqual((yield* w.run("start", "--once", "--wait")).code, 0)
        assert.strictEqual(w.agent.words(item(one)).length, 7)
      }).pipe(Effect.scoped)
  )
})
