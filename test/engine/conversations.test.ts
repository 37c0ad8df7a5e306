/** Conversations: continued as long as they exist, begun anew once they do not; prompts and commands as configured. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { repo, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

describe("a conversation", () => {
  it.live("that is lost is begun anew with the whole thread, once, and costs no attempt", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 2 } })
      const [sh = "sh", file = ""] = w.agent.command
      const conversations = join(w.folder, "conversations")
      w.agent.behave(
        `case "$1" in
          open) echo "$2" > '${conversations}' ;;
          resume) [ "$2" = "$(cat '${conversations}')" ] || exit 3 ;;
        esac`
      )
      yield* w.configure({
        polling: { attempts: 2 },
        agent: {
          command: [sh, file, "open", "{{ conversation.id }}"],
          resume: [sh, file, "resume", "{{ conversation.id }}"]
        }
      })
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.say(one, "say-1")
      yield* w.until("the first is handed over", () => w.record(one)?.seen["issue_comment/9000@default"])
      writeFileSync(conversations, "another\n")
      yield* w.say(one, "say-2")
      yield* w.until("the new word is handed over", () => w.record(one)?.seen["issue_comment/9001@default"])
      assert.deepStrictEqual(
        w.agent.runs().map(({ attempt, words }) => [attempt, ...words]),
        [
          [1, "say-title"],
          [1, "say-1"],
          [1, "say-2"],
          [1, "say-title", "say-1", "say-2"]
        ]
      )
      yield* w.say(one, "say-3")
      yield* w.until("its conversation goes on", () => w.record(one)?.seen["issue_comment/9002@default"])
      assert.deepStrictEqual(w.agent.runs().at(-1)?.words, ["say-3"])
      yield* heed.stop
    }).pipe(Effect.scoped)
  )
})

describe("control.requireStart", () => {
  it.live("starts nothing on its own; the command starts it, and its thread goes with it", () =>
    Effect.gen(function* () {
      const w = yield* world({ control: { requireStart: true } })
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.until("the start is judged", () => w.record(one)?.seen["start@default"])
      yield* w.say(one, "say-1")
      yield* w.until("the word waits", () => w.record(one)?.waiting.length === 1)
      yield* w.say(one, "/heed start say-with-it")
      yield* w.untilState(one, "live")
      yield* w.untilQuiet
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-1", "say-with-it"])
      yield* heed.stop
    }).pipe(Effect.scoped)
  )
})

describe("a prompt file", () => {
  it.live("that is edited is used from the next cycle on; a broken one is refused and the former stays", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const prompt = join(w.folder, "comment.md")
      const body = "{% for word in words %}{{ word.text }}{% endfor %}"
      writeFileSync(prompt, `say-first ${body}`)
      yield* w.configure({ agent: { prompts: { comment: prompt } } })
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.say(one, "say-1")
      yield* w.untilGiven("say-1")
      writeFileSync(prompt, `say-second ${body}`)
      yield* w.untilEvent("config.reloaded")
      yield* w.say(one, "say-2")
      yield* w.untilGiven("say-2")
      writeFileSync(prompt, `say-third {{ nothing.known }}`)
      yield* w.untilEvent("config.rejected")
      yield* w.say(one, "say-3")
      yield* w.untilGiven("say-3")
      yield* heed.stop
      assert.deepStrictEqual(
        w.agent.runs().map(({ words }) => words),
        [["say-title"], ["say-first", "say-1"], ["say-second", "say-2"], ["say-second", "say-3"]]
      )
    }).pipe(Effect.scoped)
  )
})
