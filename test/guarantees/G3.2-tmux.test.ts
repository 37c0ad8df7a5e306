/**
 * G3.2 with `tmux`: real panes, real kills. Sessions survive heed; each word is typed once, in order; what was lost with
 * its server goes on at once, and what was in doubt says that it may repeat.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Panes from "../support/panes.ts"
import { repo, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

const panesWorld = Effect.fnUntraced(function* (agent: Parameters<typeof world>[0] = {}) {
  const w = yield* world(agent)
  const panes = Panes.make(w.folder)
  yield* w.configure({ ...agent, agent: { ...panes.section, ...agent.agent } })
  const tmux = yield* Panes.server(w)
  return {
    w,
    panes,
    tmux,
    untilTyped: (number: number, word: string) =>
      w.until(`${word} is typed`, () => panes.words(item(number)).includes(word))
  }
})

describe("G3.2 tmux", () => {
  it.live("a session is opened once and given each word once, through stops and kills", () =>
    Effect.gen(function* () {
      const { panes, untilTyped, w } = yield* panesWorld()
      const one = yield* w.issue("say-start")
      const first = yield* w.start("start")
      yield* untilTyped(one, "say-start")
      yield* w.say(one, "say-a")
      yield* untilTyped(one, "say-a")
      yield* first.stop
      yield* w.say(one, "say-b")
      const second = yield* w.start("start")
      yield* untilTyped(one, "say-b")
      yield* second.kill
      yield* w.say(one, "say-c")
      const third = yield* w.start("start")
      yield* untilTyped(one, "say-c")
      yield* w.untilQuiet
      yield* third.stop
      assert.deepStrictEqual(panes.words(item(one)), ["say-start", "say-a", "say-b", "say-c"])
      assert.strictEqual(panes.started().length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("heed is killed again and again while it types: every word arrives once, in order", () =>
    Effect.gen(function* () {
      const { panes, untilTyped, w } = yield* panesWorld({ agent: { coalesce: false } })
      const numbers = [yield* w.issue("one"), yield* w.issue("two")]
      const words = ["a", "b", "c", "d"]
      assert.strictEqual((yield* w.run("start", "--once")).code, 0)
      for (const word of words) for (const number of numbers) yield* w.say(number, `say-${number}-${word}`)
      for (let kills = 1; kills <= 6; kills++) {
        const heed = yield* w.start("start")
        yield* w.until("a hand-over is claimed, or none is left", () =>
          w
            .records()
            .some(({ sessions, waiting }) => sessions["default"]?.claim !== undefined || waiting.length === 0)
        )
        // Somewhere between the claim, the paste, the submit and the record.
        yield* Effect.sleep(kills * 60)
        yield* heed.kill
      }
      const last = yield* w.start("start")
      for (const number of numbers) yield* untilTyped(number, `say-${number}-d`)
      yield* w.untilQuiet
      yield* last.stop
      for (const number of numbers) {
        assert.deepStrictEqual(
          panes.words(item(number)),
          words.map((word) => `say-${number}-${word}`)
        )
      }
      assert.strictEqual(panes.started().length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("sessions that are lost with their server are resumed at once, with their conversation", () =>
    Effect.gen(function* () {
      const { panes, tmux, untilTyped, w } = yield* panesWorld()
      const one = yield* w.issue("say-start")
      const first = yield* w.start("start")
      yield* untilTyped(one, "say-start")
      yield* w.untilState(one, "live")
      yield* first.kill
      tmux.ask("kill-server")
      const next = yield* w.start("start")
      yield* w.until("it is resumed", () => panes.started().some(({ how }) => how === "resume"))
      yield* w.until("it is told so", () => panes.pastes(item(one))[1]?.includes("were interrupted"))
      yield* w.untilQuiet
      yield* next.stop
      const [command, resume] = panes.started()
      assert.strictEqual(resume?.conversation, command?.conversation)
      assert.strictEqual(panes.started().length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("an agent that leaves is resumed when somebody writes, and not before", () =>
    Effect.gen(function* () {
      const { panes, tmux, untilTyped, w } = yield* panesWorld()
      const one = yield* w.issue("say-start")
      const heed = yield* w.start("start")
      yield* untilTyped(one, "say-start")
      yield* w.untilState(one, "live")
      const pid = Number(tmux.panes()[0]?.split(" ")[1])
      process.kill(pid, "SIGKILL")
      yield* w.untilEvent("session.died")
      yield* w.untilListed(2)
      assert.strictEqual(panes.started().length, 1)
      yield* w.say(one, "say-back")
      yield* untilTyped(one, "say-back")
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(
        panes.started().map(({ how }) => how),
        ["command", "resume"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("an item that ends ends its pane", () =>
    Effect.gen(function* () {
      const { tmux, untilTyped, w } = yield* panesWorld()
      const [one, two] = [yield* w.issue("say-one"), yield* w.issue("say-two")]
      const heed = yield* w.start("start")
      yield* untilTyped(one, "say-one")
      yield* untilTyped(two, "say-two")
      yield* w.untilQuiet
      assert.strictEqual(tmux.panes().length, 2)
      yield* w.forge.close({ repo, number: one, by: "alice" })
      yield* w.untilState(one, "ended")
      assert.strictEqual(tmux.panes().length, 1)
      yield* heed.stop
      assert.strictEqual(tmux.panes().length, 1)
    }).pipe(Effect.scoped)
  )
})
