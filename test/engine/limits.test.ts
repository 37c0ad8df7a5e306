/** Limits: slots, the words of an hour, pauses; whoever waits is served in the end. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { repo, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

describe("limits", () => {
  it.live("one session at a time: five items are all served, and never two at once", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { sessions: 1 } })
      w.agent.behave(
        `mkdir '${w.folder}/inside' || touch '${w.folder}/two'; sleep 0.02; rmdir '${w.folder}/inside'`
      )
      const numbers = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => w.issue(`say-${n}`))
      const heed = yield* w.start("start")
      for (const number of numbers) yield* w.untilState(number, "live")
      for (const number of numbers) yield* w.say(number, `say-more-${number}`)
      for (const number of numbers) yield* w.untilGiven(`say-more-${number}`)
      yield* w.untilQuiet
      yield* heed.stop
      assert.isFalse(existsSync(join(w.folder, "two")))
      assert.strictEqual(w.agent.runs().length, 10)
    }).pipe(Effect.scoped)
  )

  it.live("words that come while the agent works wait for it, and go together, in order", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue("say-title")
      w.agent.behave(w.agent.waiting())
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-title")
      for (const word of ["say-1", "say-2", "say-3"]) yield* w.say(one, word)
      yield* w.until("they wait", () => w.record(one)?.waiting.length === 4)
      w.agent.release()
      yield* w.untilGiven("say-3")
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(
        w.agent.runs().map(({ words }) => words),
        [["say-title"], ["say-1", "say-2", "say-3"]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("too many words in an hour pause the item with one notice; resumed, it goes on", () =>
    Effect.gen(function* () {
      const w = yield* world({ limits: { perItemPerHour: 2 } })
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      for (const word of ["say-1", "say-2", "say-3"]) yield* w.say(one, word)
      yield* w.until("it is paused", () => w.record(one)?.paused?.by === "heed")
      yield* w.untilEvent("control.command", ({ by, command }) => by === "heed" && command === "pause")
      yield* w.until("it was said", () => w.record(one)?.notices[0]?.posted !== undefined)
      yield* w.untilListed(4)
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-1", "say-2"])
      const posted = yield* w.forge.comments({ repo, number: one })
      assert.strictEqual(posted.filter(({ body }) => body.includes("Paused")).length, 1)
      yield* w.say(one, "/heed resume")
      yield* w.untilGiven("say-3")
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-1", "say-2", "say-3"])
      assert.strictEqual(w.record(one)?.notices.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a paused item keeps what comes, over a restart too, and gives it when it is resumed", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      assert.strictEqual((yield* w.run("sessions", "pause", item(one))).code, 0)
      assert.strictEqual((yield* w.run("sessions", "pause", item(one))).code, 1)
      yield* w.say(one, "say-1")
      yield* w.until("it waits", () => w.record(one)?.waiting.length === 1)
      yield* heed.stop
      const next = yield* w.start("start")
      yield* w.say(one, "say-2")
      yield* w.until("both wait", () => w.record(one)?.waiting.length === 2)
      yield* w.untilListed(2)
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-title"])
      assert.strictEqual((yield* w.run("sessions", "resume", item(one))).code, 0)
      const said = w.events().filter(({ event }) => event.startsWith("control."))
      assert.deepStrictEqual(
        said.map(({ by, command, event }) => [event, command, by]),
        [
          ["control.command", "pause", "operator"],
          ["control.refused", "pause", "operator"],
          ["control.command", "resume", "operator"]
        ]
      )
      yield* w.untilGiven("say-2")
      yield* w.untilQuiet
      yield* next.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-1", "say-2"])
    }).pipe(Effect.scoped)
  )
})
