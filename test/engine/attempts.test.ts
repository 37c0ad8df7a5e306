/** Attempts: what a failure spends and what waiting does not; giving up, and coming back from it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { repo, type World, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`
const attempts = (w: World, number: number) =>
  w.agent
    .runs()
    .filter((run) => run.item === item(number))
    .map(({ attempt }) => attempt)

const notices = (w: World, number: number) =>
  Effect.map(w.forge.comments({ repo, number }), (comments) =>
    comments.filter(({ body }) => body.includes("<!-- heed:"))
  )

const untilNoticed = (w: World, number: number, count: number) =>
  w.until(
    `${count} notices are posted and recorded`,
    () => w.record(number)?.notices.filter(({ posted }) => posted !== undefined).length === count
  )

describe("attempts", () => {
  it.live(
    "a start that fails is given up loudly, once on the item, and re-armed by the next trusted comment",
    () =>
      Effect.gen(function* () {
        const w = yield* world({ polling: { attempts: 2 } })
        w.agent.behave("exit 3")
        const one = yield* w.issue("say-title")
        const heed = yield* w.start("start")
        yield* w.untilState(one, "blocked")
        yield* untilNoticed(w, one, 1)
        yield* w.say(one, "say-stranger", "bob")
        yield* w.untilListed(3)
        assert.deepStrictEqual(attempts(w, one), [1, 2])
        const [notice] = yield* notices(w, one)
        assert.notInclude(notice?.body, "say-title", "it quotes nothing")
        w.agent.behave("exit 0")
        yield* w.say(one, "say-again")
        yield* w.untilState(one, "live")
        yield* w.untilQuiet
        yield* heed.stop
        assert.deepStrictEqual(attempts(w, one), [1, 2, 1])
        assert.deepStrictEqual(w.agent.runs().at(-1)?.words, ["say-title", "say-stranger", "say-again"])
        assert.strictEqual((yield* notices(w, one)).length, 1)
        assert.deepStrictEqual(w.record(one)?.gaveUp, [])
      }).pipe(Effect.scoped)
  )

  it.live("a word out of attempts is given up alone, and heed retry brings it back last", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 2 } })
      const one = yield* w.issue("a title")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      w.agent.behave("exit 1")
      yield* w.say(one, "say-1")
      yield* untilNoticed(w, one, 1)
      w.agent.behave("exit 0")
      yield* w.say(one, "say-2")
      yield* w.untilGiven("say-2")
      yield* w.untilQuiet
      assert.strictEqual(w.record(one)?.sessions["default"]?.state, "live")
      const retry = yield* w.run("retry", item(one))
      assert.strictEqual(retry.code, 0, retry.err)
      yield* w.until("the word was given once more", () => w.agent.words(item(one)).length === 4)
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-1", "say-1", "say-2", "say-1"])
      assert.include(w.prompt(w.agent.runs().at(-1)?.handOver ?? "", w.tryOf(one)), "late")
      assert.strictEqual((yield* notices(w, one)).length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("exactly one notice, though heed is killed between posting it and recording that", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 1 } })
      w.agent.behave("exit 3")
      const one = yield* w.issue("say-title")
      // The comment is there, its answer gets lost on the way, and nobody learns more until heed is killed.
      const deaf = { match: { method: "GET" }, failure: { kind: "hang" } }
      yield* w.forge.fault({
        match: { method: "POST" },
        failure: { kind: "before", operation: "fault", input: deaf }
      })
      yield* w.forge.fault({ match: { method: "POST" }, failure: { kind: "cut" } })
      const heed = yield* w.start("start")
      yield* w.forge.waitFor((log) => log.some(({ method, state }) => method === "POST" && state !== "open"))
      yield* heed.kill
      assert.strictEqual((yield* notices(w, one)).length, 1)
      assert.isUndefined(w.record(one)?.notices[0]?.posted)
      yield* w.forge.liftFault({})
      yield* w.age
      const next = yield* w.start("start")
      yield* untilNoticed(w, one, 1)
      yield* w.untilListed(3)
      yield* next.stop
      assert.strictEqual((yield* notices(w, one)).length, 1)
      assert.strictEqual(
        w.record(one)?.sessions["default"]?.state,
        "blocked",
        "its own notice re-arms nothing"
      )
    }).pipe(Effect.scoped)
  )

  it.live("an agent that says not now spends nothing", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 1 } })
      w.agent.behave(`[ -e '${w.folder}/ready' ] || exit 75`)
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.until("it was asked often", () => w.agent.runs().length >= 4)
      writeFileSync(join(w.folder, "ready"), "")
      yield* w.untilState(one, "live")
      yield* heed.stop
      assert.isTrue(attempts(w, one).every((attempt) => attempt === 1))
    }).pipe(Effect.scoped)
  )

  it.live(
    "an agent whose command does not exist fails its items, says where it looked, and heed lives on",
    () =>
      Effect.gen(function* () {
        const w = yield* world({ polling: { attempts: 2 } })
        const heed = yield* w.start("start")
        yield* w.untilEvent("poller.started")
        yield* w.configure({ polling: { attempts: 2 }, agent: { command: ["no-such-agent-here"] } })
        yield* w.untilEvent("config.reloaded")
        const one = yield* w.issue()
        yield* w.untilState(one, "blocked")
        const [failed] = yield* w.untilEvent("poll.spawn_failed")
        assert.include(String(failed?.["why"]), "PATH searched")
        yield* untilNoticed(w, one, 1)
        yield* w.configure({ polling: { attempts: 2 } })
        const two = yield* w.issue("say-two")
        yield* w.untilState(two, "live")
        yield* heed.stop
      }).pipe(Effect.scoped)
  )
})
