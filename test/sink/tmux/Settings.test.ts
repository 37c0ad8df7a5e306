/** What an agent's entry may say of its open sessions. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { load } from "../../../src/live/Plan.ts"

const loaded = Effect.fnUntraced(function* (entry: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* Effect.orDie(fs.makeTempDirectoryScoped())
  const file = `${folder}/heed.yaml`
  const text = `sources: [{ provider: github, repos: [acme/app] }]\naccess: { users: [alice] }\nagents: { default: { ${entry} } }\n`
  yield* Effect.orDie(fs.writeFileString(file, text))
  return yield* load(file)
})

const planOf = (entry: string) =>
  Effect.map(loaded(entry), ({ plan }) => {
    const { idleAfter, onExit, ready } = plan.agents["default"]?.plan ?? {}
    return { idleAfter, onExit, ready }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const problemsOf = (entry: string) =>
  Effect.flip(loaded(entry)).pipe(
    Effect.map(({ problems }) => problems.map(({ path, message }) => `${path}: ${message}`)),
    Effect.scoped,
    Effect.provide(NodeServices.layer)
  )

describe("an agent in tmux", () => {
  it.effect("has its defaults in its plan, and what its entry says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* planOf("sink: tmux, command: [sh]"), {
        idleAfter: 86_400_000,
        onExit: "restart",
        ready: { delay: 2_000, pattern: "", timeout: 60_000 }
      })
      assert.deepStrictEqual(
        yield* planOf("sink: tmux, command: [sh], onExit: end, idleAfter: 1h, ready: { pattern: '^> $' }"),
        { idleAfter: 3_600_000, onExit: "end", ready: { delay: 2_000, pattern: "^> $", timeout: 60_000 } }
      )
    })
  )

  it.effect("is told what is wrong with a pattern; an agent without open sessions has no such key", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problemsOf("sink: tmux, command: [sh], ready: { pattern: '(' }"), [
        "agents.default.ready.pattern: expected a regular expression, such as '^>$'; blanks at a line's end are not seen"
      ])
      for (const key of ["onExit: end", "idleAfter: 1h", "ready: { delay: 1s }"]) {
        const [problem = ""] = yield* problemsOf(`sink: process, command: [sh], ${key}`)
        assert.match(problem, /^agents\.default\.(?:onExit|idleAfter|ready): unknown key/u)
      }
    })
  )
})
