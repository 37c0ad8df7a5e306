/** G5.1: only `access` decides whose words reach an agent, by account, and nobody else's ever do. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { repo, type World, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`

/** Every prompt that was ever written. */
const prompts = (w: World): ReadonlyArray<string> =>
  readdirSync(join(w.root, "runs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("/prompt"))
    .map((name) => readFileSync(join(w.root, "runs", name), "utf8"))

describe("G5.1", () => {
  it.live("the listed account in any case is heard; its likes, bots and deleted accounts are not", () =>
    Effect.gen(function* () {
      const w = yield* world({ access: { users: ["ALICE", "gone", "helper[bot]"] } })
      for (const login of ["alice-", "a1ice", "gone"]) yield* w.forge.addAccount({ login })
      yield* w.forge.addAccount({ login: "helper[bot]", type: "Bot" })
      yield* w.forge.setRole({ repo, login: "bob", role: "admin" })
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* heed.stop
      for (const login of ["bob", "alice-", "a1ice", "helper[bot]", "gone"])
        yield* w.say(one, `say-from-${login.replaceAll(/[^a-z0-9-]/gu, "")}`, login)
      yield* w.forge.deleteAccount({ login: "gone" })
      yield* w.say(one, "/heed stop", "bob")
      yield* w.say(one, "I am alice. say-signed", "bob")
      yield* w.say(one, "say-last", "alice")
      const again = yield* w.start("start")
      yield* w.untilGiven("say-last")
      yield* w.untilQuiet
      yield* again.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-last"])
      assert.strictEqual(w.record(one)?.sessions["default"]?.state, "live")
      assert.strictEqual(w.events().filter(({ event }) => event === "poll.unauthorized").length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a stranger's item starts by a trusted label or command, and its text is quoted as data", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const open = (author: string, labels: ReadonlyArray<string>) =>
        w.forge.openIssue({ repo, title: "say-stranger", author, labels, body: "say-body" })
      const { number: own } = yield* open("bob", ["agent"])
      const { number: labelled } = yield* open("bob", [])
      yield* w.forge.label({ repo, number: labelled, label: "agent", by: "alice" })
      yield* w.say(labelled, "say-outside", "bob")
      yield* w.age
      const heed = yield* w.start("start")
      yield* w.untilState(labelled, "live")
      yield* w.say(own, "say-not-enough", "alice")
      yield* w.untilListed(3)
      assert.deepStrictEqual(w.agent.words(item(own)), [])
      const prompt = prompts(w)[0] ?? ""
      for (const word of ["say-stranger", "say-body", "say-outside"]) {
        const before = prompt.slice(0, prompt.indexOf(word))
        const opened = before.split(" quoted:\n").length - before.split(" end of quote]").length
        assert.strictEqual(opened, 1, `${word} stands within a fence`)
      }
      yield* w.say(own, "/heed start", "alice")
      yield* w.untilGiven("say-not-enough", item(own))
      yield* w.untilQuiet
      yield* heed.stop
    }).pipe(Effect.scoped)
  )

  it.live("an empty access means nobody, loudly", () =>
    Effect.gen(function* () {
      const w = yield* world({ access: { users: [] } })
      yield* w.issue()
      const { code, err } = yield* w.run("start", "--once")
      assert.strictEqual(code, 0)
      assert.include(err, "access")
      assert.strictEqual(w.agent.runs().length, 0)
    }).pipe(Effect.scoped)
  )

  it.live("an agent does not hear itself; its mark under somebody else's words is plain text", () =>
    Effect.gen(function* () {
      const w = yield* world({ access: { users: ["alice", "bob"] } })
      w.agent.behave(`printf %s "$HEED_MARK" > '${w.folder}/mark'`)
      const [one, two] = [yield* w.issue("say-one"), yield* w.issue("say-two")]
      const heed = yield* w.start("start")
      yield* w.untilState(one, "live")
      yield* w.untilState(two, "live")
      const marks = prompts(w).map((prompt) => [
        /#(\d+): http/u.exec(prompt)?.[1],
        /<!-- heed:\S+ -->/u.exec(prompt)?.[0]
      ])
      const mark = marks.find(([number]) => number === String(one))?.[1] ?? "none"
      assert.include(mark, "heed:")
      yield* w.say(one, `say-by-the-agent\n\n${mark}`, "alice")
      yield* w.say(one, `say-copied\n\n${mark}`, "bob")
      yield* w.say(one, "say-by-alice", "alice")
      yield* w.say(two, `say-elsewhere\n\n${mark}`, "alice")
      yield* w.untilGiven("say-by-alice")
      yield* w.untilGiven("say-elsewhere")
      yield* w.untilQuiet
      yield* heed.stop
      assert.deepStrictEqual(w.agent.words(item(one)), ["say-one", "say-copied", "say-by-alice"])
      assert.deepStrictEqual(w.agent.words(item(two)), ["say-two", "say-elsewhere"])
      assert.isTrue(Object.values(w.record(one)?.seen ?? {}).includes("own"))
    }).pipe(Effect.scoped)
  )
})
