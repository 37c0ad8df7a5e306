/** G4.2: unlabelled is no end; an end and a new beginning make the next generation, which repeats nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { repo, type World, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`
const generation = (w: World, number: number) => w.record(number)?.sessions["default"]?.generation
const label = (w: World, number: number) =>
  Effect.andThen(w.forge.label({ repo, number, label: "agent", by: "alice" }), w.age)
const unlabel = (w: World, number: number) =>
  Effect.andThen(w.forge.unlabel({ repo, number, label: "agent", by: "alice" }), w.age)

describe("G4.2", () => {
  it.live(
    "words reach the session of an unlabelled item, also two in one second; relabelled, it goes on",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        const one = yield* w.issue("say-title")
        const heed = yield* w.start("start")
        yield* w.untilState(one, "live")
        yield* unlabel(w, one)
        yield* w.say(one, "say-1")
        yield* w.untilGiven("say-1")
        // The forge's clock stands still: what comes next has the time of what was seen.
        yield* w.forge.setClock({ at: Date.now() + 3_600_000 })
        for (const word of ["say-2", "say-3", "say-4"]) {
          yield* w.forge.comment({ repo, number: one, by: "alice", body: word })
          yield* w.untilGiven(word)
        }
        yield* w.age
        yield* w.untilQuiet
        yield* label(w, one)
        yield* w.say(one, "say-5")
        yield* w.untilGiven("say-5")
        yield* w.untilQuiet
        yield* heed.stop
        assert.strictEqual(generation(w, one), 1)
        assert.deepStrictEqual(w.agent.words(item(one)), [
          "say-title",
          "say-1",
          "say-2",
          "say-3",
          "say-4",
          "say-5"
        ])
      }).pipe(Effect.scoped)
  )

  it.live("an unlabelled session costs one conditional request a cycle while nothing happens", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue()
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* unlabel(w, one)
      yield* w.untilListed(4)
      yield* w.forge.resetLog({})
      yield* w.untilListed(5)
      yield* heed.stop
      const log = yield* w.forge.log({})
      assert.deepStrictEqual(
        log.filter(({ status, state }) => status !== 304 && state === "answered").map(({ path }) => path),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "onUnlabel: stop: the session ends with its label; labelled again, the next generation repeats nothing",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        yield* w.configure({ sources: [w.source({ onUnlabel: "stop" })] })
        const one = yield* w.issue("a title")
        yield* w.say(one, "say-old")
        const heed = yield* w.start("start")
        yield* w.untilState(one, "live")
        yield* unlabel(w, one)
        yield* w.untilState(one, "ended")
        yield* w.untilEvent("session.ended", ({ why }) => why === "its label was taken off")
        yield* w.say(one, "say-between")
        yield* w.untilListed(3)
        assert.strictEqual(w.agent.runs().length, 1)
        yield* label(w, one)
        yield* w.untilState(one, "live")
        yield* w.say(one, "say-new")
        yield* w.untilGiven("say-new")
        yield* w.untilQuiet
        yield* heed.stop
        assert.strictEqual(generation(w, one), 2)
        assert.deepStrictEqual(w.agent.words(item(one)), ["say-old", "say-between", "say-new"])
      }).pipe(Effect.scoped)
  )

  for (const [how, end] of [
    ["closed and reopened between two looks of heed", false],
    ["closed and reopened while no heed ran", true]
  ] as const) {
    it.live(`${how}: the next generation, with what is new and nothing else`, () =>
      Effect.gen(function* () {
        const w = yield* world()
        const one = yield* w.issue("a title")
        yield* w.say(one, "say-old")
        const first = yield* w.start("start")
        yield* w.untilState(one, "live")
        yield* w.forge.close({ repo, number: one, by: "alice" })
        yield* w.untilState(one, "ended")
        if (end) yield* first.stop
        yield* w.forge.reopen({ repo, number: one, by: "alice" })
        yield* w.say(one, "say-new")
        const second = end ? yield* w.start("start") : first
        yield* w.untilGiven("say-new")
        yield* w.untilQuiet
        yield* second.stop
        assert.strictEqual(generation(w, one), 2)
        assert.deepStrictEqual(w.agent.words(item(one)), ["say-old", "say-new"])
      }).pipe(Effect.scoped)
    )
  }

  it.live("the next generation begins only once the former's run is gone", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue("say-title")
      w.agent.behave(w.agent.waiting())
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-title")
      yield* w.forge.close({ repo, number: one, by: "alice" })
      yield* w.untilState(one, "ending")
      yield* w.forge.reopen({ repo, number: one, by: "alice" })
      yield* w.age
      yield* w.untilListed(4)
      assert.strictEqual(w.agent.runs().length, 1)
      assert.strictEqual(w.record(one)?.sessions["default"]?.state, "ending")
      w.agent.release()
      yield* w.until("the next generation lives", () => generation(w, one) === 2)
      yield* w.untilState(one, "live")
      yield* heed.stop
      assert.strictEqual(w.agent.runs().length, 2)
    }).pipe(Effect.scoped)
  )

  it.live(
    "ended by command: it begins again by a label seen again after a listing without it, or by command",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        const one = yield* w.issue("say-title")
        const heed = yield* w.start("start")
        yield* w.untilState(one, "live")
        yield* w.say(one, "/heed stop")
        yield* w.untilState(one, "ended")
        yield* w.untilEvent("session.ended")
        yield* w.say(one, "say-pending")
        yield* w.untilListed(3)
        assert.strictEqual(w.agent.runs().length, 1)
        yield* unlabel(w, one)
        yield* w.until("its absence is recorded", () => w.record(one)?.listed === false)
        yield* label(w, one)
        yield* w.untilGiven("say-pending")
        yield* w.untilState(one, "live")
        assert.strictEqual(generation(w, one), 2)
        // Stop and start in one breath, and a start while the former run is still at work.
        yield* w.forge.comment({ repo, number: one, by: "alice", body: "/heed stop" })
        yield* w.forge.comment({ repo, number: one, by: "alice", body: "/heed start" })
        yield* w.age
        yield* w.until("the third generation", () => generation(w, one) === 3)
        yield* w.untilState(one, "live")
        w.agent.behave(w.agent.waiting())
        yield* w.say(one, "say-at-work")
        yield* w.untilGiven("say-at-work")
        yield* w.say(one, "/heed stop")
        yield* w.untilState(one, "ending")
        yield* w.say(one, "/heed start")
        yield* w.untilListed(3)
        w.agent.release()
        yield* w.until("the fourth generation", () => generation(w, one) === 4)
        yield* w.untilState(one, "live")
        yield* heed.stop
        assert.deepStrictEqual(w.agent.words(item(one)), [
          "say-title",
          "say-title",
          "say-pending",
          "say-title",
          "say-at-work",
          "say-title"
        ])
      }).pipe(Effect.scoped)
  )
})
