/** G3.2 with `stdout`, which cannot answer: what a crash cut short is printed once more, and marked "may repeat". */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { world } from "../support/world.ts"

describe("G3.2 with stdout", () => {
  it.live("a hand-over that was claimed and not known to be printed is printed once more, and says so", () =>
    Effect.gen(function* () {
      const w = yield* world({ agents: { default: { sink: "stdout" } } })
      yield* w.issue("say-title")
      const first = yield* w.run("start", "--once", "--wait")
      assert.strictEqual(first.out.trimEnd().split("\n").length, 1, first.err)
      // As a crash leaves it after the line went out: claimed in the ledger, and no exit in the folder.
      const [id = ""] = readdirSync(join(w.root, "runs"))
      const items = join(w.root, "items")
      const file = join(items, readdirSync(items).find((name) => name.endsWith(".json")) ?? "")
      const record = JSON.parse(readFileSync(file, "utf8"))
      const { conversation, ...session } = record.sessions.default
      const at = record.sessions.default.since
      session.state = "wanted"
      session.claim = { id, try: 1, kind: "start", members: ["start"], baseline: [], conversation, at }
      record.sessions.default = session
      record.waiting = [{ key: "start", agent: "default", at, attempts: 0 }]
      writeFileSync(file, JSON.stringify(record))
      rmSync(join(w.root, "runs", id, "1", "exit"))

      const second = yield* w.run("start", "--once", "--wait")
      assert.strictEqual(second.out, first.out, second.err)
      assert.include(w.prompt(id, 2), "may repeat")
      assert.notInclude(w.prompt(id, 1), "may repeat")
      const started = w.events().filter(({ event }) => event === "dispatch.started")
      assert.deepStrictEqual(
        started.map((line) => line["may_repeat"]),
        [undefined, true]
      )
      const third = yield* w.run("start", "--once", "--wait")
      assert.strictEqual(third.out, "")
    }).pipe(Effect.scoped)
  )
})
