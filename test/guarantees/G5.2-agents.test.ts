/**
 * G5.2 and G5.3 where an agent begins: a tracker's text is text, in the prompt, in the environment, on the disk; and
 * heed's own secrets are nowhere in it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { repoSlug } from "../../src/domain/AgentCommand.ts"
import { promptTemplates, renderPrompt } from "../../src/sink/Prompt.ts"
import { handOver } from "../sink/handOver.ts"
import { processWorld } from "../sink/process/world.ts"

const hostile = [
  '"; touch pwned; #',
  "`touch pwned`",
  "$(touch pwned)",
  "${{7*7}} {{body}} {{ mark }} {% assign x = 1 %}",
  "%n%s%x",
  "'; touch pwned; '",
  "--dangerous -x",
  "../../../etc/passwd"
]

describe("G5.2: a tracker's text reaches an agent as text", () => {
  for (const title of hostile) {
    it.live(`title ${title}`, () =>
      Effect.gen(function* () {
        const world = yield* processWorld
        const prompt = Result.getOrThrow(
          renderPrompt(
            promptTemplates.builtIn.start,
            {
              item: {
                ref: "github:github.com/acme/app#12",
                key: title,
                url: "https://github.com/acme/app/issues/12",
                tracker: "github",
                kind: "work_item",
                repo: "acme/app",
                state: "open",
                labels: [title],
                title,
                body: title,
                trusted: false
              },
              words: [],
              attempt: 1,
              earlier: 0,
              mark: "m"
            },
            "f3nce"
          )
        )
        assert.include(prompt, title)
        const plain = handOver()
        const one = world.script('cat > stdin; printf %s "$HEED_WORK_ITEM_KEY" > key', {
          prompt,
          item: { ...plain.item, key: `${title}\u0000\u001b[2J\n`, url: `https://x/${title}` }
        })
        yield* world.sink.prepare(one)
        yield* world.sink.send(one)
        assert.deepStrictEqual(yield* world.sink.result(one), { _tag: "Done" })
        assert.strictEqual(yield* world.read("stdin"), prompt)
        assert.strictEqual(yield* world.read("key"), `${title}[2J`)
        const made = readdirSync(world.folder, { recursive: true }).map(String)
        assert.notInclude(made.join("\n"), "pwned")
      })
    )
  }

  it("a repository's name is one safe path segment, and two names are two", () => {
    const names = [
      "../../x",
      "a/b",
      "a-b",
      "a/B",
      "////",
      ".",
      "é",
      "e\u0301",
      "x".repeat(300),
      "con",
      "a\0b",
      ""
    ]
    const slugs = names.map(repoSlug)
    for (const slug of slugs) assert.match(slug, /^[a-z0-9][a-z0-9-]{0,80}$/u)
    assert.strictEqual(new Set(slugs).size, names.length - 1)
    assert.strictEqual(repoSlug("a/b"), repoSlug("A/B"))
  })
})

describe("G5.3: what lies beside a run", () => {
  it.live("is for its owner alone, and the agent gets its umask back", () =>
    Effect.gen(function* () {
      const world = yield* processWorld
      const one = world.script("cat; echo error >&2; umask > umask")
      yield* world.sink.prepare(one)
      yield* world.sink.send(one)
      yield* world.sink.result(one)
      const folder = join(world.runs, one.id, "1")
      for (const at of [world.runs, join(folder, ".."), folder]) {
        assert.strictEqual(statSync(at).mode & 0o777, 0o700, at)
      }
      const files = readdirSync(folder).sort()
      assert.deepStrictEqual(files, [
        "claim",
        "events.json",
        "exit",
        "hand-over.json",
        "prompt",
        "stderr",
        "stdout"
      ])
      for (const file of files) assert.strictEqual(statSync(join(folder, file)).mode & 0o777, 0o600, file)
      assert.strictEqual(
        Number.parseInt(readFileSync(join(world.folder, "umask"), "utf8"), 8),
        process.umask()
      )
    })
  )
})
