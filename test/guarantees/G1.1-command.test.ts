/** G1.1 and G1.4 with the real command: a second start changes one line, and no agent keeps the root. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repo, type World, world } from "../support/world.ts"

/** Every file's inode, mode, times and bytes. */
const photograph = (w: World): { readonly [name: string]: string } =>
  Object.fromEntries(
    readdirSync(w.root, { recursive: true, encoding: "utf8" }).map((name) => {
      const stat = lstatSync(join(w.root, name), { bigint: true })
      const content = stat.isFile() ? readFileSync(join(w.root, name), "base64") : ""
      return [name, `${stat.ino} ${stat.mode} ${stat.mtimeNs} ${stat.ctimeNs} ${content}`]
    })
  )

describe("G1.1", () => {
  for (const args of [["start"], ["start", "--once"], ["start", "--skip-if-held"]]) {
    it.live(`heed ${args.join(" ")} against a held root leaves it byte-identical but for one line`, () =>
      Effect.gen(function* () {
        const w = yield* world()
        const one = yield* w.issue("say-title")
        const heed = yield* w.start("start")
        yield* w.untilState(one, "live")
        yield* w.untilListed(3)
        // Nothing else writes now.
        yield* heed.signal("SIGSTOP")
        yield* w.forge.resetLog({})
        const before = photograph(w)
        const lines = w.events().length
        const second = yield* w.run(...args)
        const skips = args.includes("--skip-if-held")
        assert.strictEqual(second.code, skips ? 0 : 1)
        assert.strictEqual(second.out, "")
        if (skips) assert.strictEqual(second.err, "")
        else
          for (const word of [String(heed.pid), join(w.root, "heed.pid"), "heed stop"])
            assert.include(second.err, word)
        const { "events.jsonl": _log, ...rest } = photograph(w)
        const { "events.jsonl": _before, ...oldRest } = before
        assert.deepStrictEqual(rest, oldRest)
        const added = w.events().slice(lines)
        assert.deepStrictEqual(
          added.map(({ event }) => event),
          ["poller.blocked"]
        )
        assert.strictEqual(added[0]?.["holder"], heed.pid)
        assert.deepStrictEqual(yield* w.forge.log({}), [], "it asked nobody anything")
        yield* heed.signal("SIGCONT")
        yield* heed.stop
      }).pipe(Effect.scoped)
    )
  }

  it.live("the configuration comes before the lock: a bad one is 78 and touches nothing", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const heed = yield* w.start("start")
      yield* w.untilListed(2)
      const good = readFileSync(w.file, "utf8")
      yield* heed.signal("SIGSTOP")
      const before = photograph(w)
      writeFileSync(w.file, "sources: []\nnonsense: 1\n")
      assert.strictEqual((yield* w.run("start")).code, 78)
      assert.deepStrictEqual(photograph(w), before)
      writeFileSync(w.file, good)
      yield* heed.signal("SIGCONT")
      yield* heed.stop
    }).pipe(Effect.scoped)
  )
})

describe("G1.4", () => {
  it.live("agents at work hold nothing of a killed heed: the next one starts at once", () =>
    Effect.gen(function* () {
      const w = yield* world()
      w.agent.behave(w.agent.waiting())
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-title")
      yield* heed.kill
      const [run] = w.agent.runs()
      assert.strictEqual(run?.item, `${repo}#${one}`)
      const next = yield* w.start("start")
      yield* w.untilEvent("session.adopted")
      w.agent.release()
      yield* w.untilState(one, "live")
      yield* next.stop
      assert.strictEqual(w.agent.runs().length, 1)
    }).pipe(Effect.scoped)
  )
})
