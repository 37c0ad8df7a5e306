/** A bad file: every problem at once, each with its place and what to write instead. A good one: its plan. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Runtime from "effect/Runtime"
import { load } from "../../src/config/load.ts"
import type { Problem } from "../../src/config/Problem.ts"
import { problemsText } from "../../src/config/Problem.ts"
import { showText } from "../../src/config/Show.ts"
import { agent, badFiles, good, source } from "./badFiles.ts"
import { rooms as live } from "./kinds.ts"
import { rooms } from "./testKinds.ts"

const write = Effect.fnUntraced(function* (text: string, prompts: Readonly<Record<string, string>> = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  for (const [name, prompt] of Object.entries(prompts))
    yield* fs.writeFileString(path.join(folder, name), prompt)
  const file = path.join(folder, "heed.yaml")
  yield* fs.writeFileString(file, text)
  return file
})

const problemsOf = (text: string, prompts?: Readonly<Record<string, string>>) =>
  write(text, prompts).pipe(
    Effect.flatMap((file) =>
      load(file, rooms).pipe(
        Effect.match({ onSuccess: (): ReadonlyArray<Problem> => [], onFailure: ({ problems }) => problems })
      )
    )
  )

const lines = (problems: ReadonlyArray<Problem>) =>
  problems.map(({ path, line, message }) => `${line ?? "-"} ${path}: ${message}`)

const inWorld = Effect.provide(NodeServices.layer)

describe("a bad file", () => {
  for (const [name, text, expected] of badFiles) {
    it.effect(name, () =>
      inWorld(
        Effect.gen(function* () {
          assert.deepStrictEqual(lines(yield* problemsOf(text, { "bad.md": "{{ broken" })), expected)
        })
      )
    )
  }

  it.effect("says everything at once, in the order of the file, and exits with 78", () =>
    inWorld(
      Effect.gen(function* () {
        const file = yield* write(
          `version: 3\npolling: { attempts: 0, x: 1 }\nsources: [{ provider: github, reops: [] }]\naccess: { users: [1] }\nagents: { default: { sink: process, cwd: "{{ x }}", env: { A_TOKEN: s3cr3t, HEED_X: 1 } } }\n`
        )
        const error = yield* Effect.flip(load(file, rooms))
        assert.strictEqual(error[Runtime.errorExitCode], 78)
        assert.deepStrictEqual(
          error.problems.map(({ line, path }) => `${line} ${path}`),
          [
            "1 version",
            "2 polling.x",
            "2 polling.attempts",
            "3 sources[0].reops",
            "3 sources[0].repos",
            "4 access.users[0]",
            "5 agents.default.env.HEED_X",
            "5 agents.default.command",
            "5 agents.default.cwd",
            "5 agents.default.env.A_TOKEN"
          ]
        )
        assert.strictEqual(
          problemsText(file, error.problems).split("\n")[0],
          `${file}:1: version: expected 1`
        )
        assert.notInclude(error.message, "s3cr3t")
      })
    )
  )

  it.effect("that is missing, a folder, or no text is named", () =>
    inWorld(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFile(`${folder}/latin1.yaml`, new Uint8Array([0x61, 0x3a, 0x20, 0xe9]))
        yield* fs.writeFileString(`${folder}/huge.yaml`, `a: "${"x".repeat(200_000)}"`)
        const said = yield* Effect.forEach(["gone.yaml", ".", "latin1.yaml", "huge.yaml"], (name) =>
          Effect.flip(load(`${folder}/${name}`, rooms)).pipe(
            Effect.map(
              ({ reason, problems }) => `${reason}: ${problems.map(({ message }) => message).join()}`
            )
          )
        )
        assert.deepStrictEqual(said, [
          "Unreadable: there is no such file; write it, or name another",
          "Unreadable: it is a folder; name a file in it",
          "Unreadable: it is no UTF-8 text; save it as UTF-8",
          "Unreadable: it is larger than 131072 bytes; shorten it"
        ])
      })
    )
  )
})

describe("a good file", () => {
  it.effect("becomes a plan with defaults, milliseconds and absolute paths", () =>
    inWorld(
      Effect.gen(function* () {
        const path = yield* Path.Path
        const file = yield* write(
          agent(
            "  default:\n    sink: process\n    command: [claude]\n    cwd: work/{{ item.slug }}\n    prompts: { start: start.md }\n    timeout: 90 minutes"
          ),
          { "start.md": "hello" }
        )
        const folder = path.dirname(file)
        const { plan } = yield* load(file, rooms)
        assert.strictEqual(plan.file, file)
        assert.strictEqual(plan.state.root, path.join(folder, ".heed"))
        assert.deepStrictEqual(plan.polling.retryAfter, [60_000, 300_000, 900_000])
        assert.strictEqual(plan.state.runs.maxPerRun, 100_000_000)
        assert.deepStrictEqual(plan.access.users, [{ name: "alice" }])
        assert.deepStrictEqual(plan.warnings, [])
        const { plan: made, prompts } = plan.agents["default"] ?? assert.fail("no agent")
        assert.strictEqual(made.cwd, path.join(folder, "work/{{ item.slug }}"))
        assert.strictEqual(made.timeout, 5_400_000)
        assert.deepStrictEqual(prompts, {
          start: "hello",
          comment: "built-in comment",
          resume: "built-in resume"
        })
        assert.deepStrictEqual(plan.sources[0]?.settings, {
          host: "github.com",
          auth: { from: "gh", binary: "gh" },
          repos: ["acme/app"],
          monitor: { issues: true, pullRequests: true }
        })
      })
    )
  )

  it.effect("makes a provider's own paths absolute as well", () =>
    inWorld(
      Effect.gen(function* () {
        const path = yield* Path.Path
        const file = yield* write(
          source("  - { provider: github, repos: [acme/app], auth: { file: secrets/token } }")
        )
        const { plan } = yield* load(file, live)
        const settings = JSON.stringify(plan.sources[0]?.settings)
        assert.include(settings, `"file":"${path.join(path.dirname(file), "secrets/token")}"`)
      })
    )
  )

  it.effect("keeps words that YAML 1.1 would read as something else (B91)", () =>
    inWorld(
      Effect.gen(function* () {
        const file = yield* write(
          source("  - { provider: github, repos: [on/no], label: no }").replace(
            "[alice]",
            "[off, yes, 'github:1e3', '557058:ab-c']"
          )
        )
        const { plan } = yield* load(file, rooms)
        assert.deepStrictEqual(plan.access.users, [
          { name: "off" },
          { name: "yes" },
          { tracker: "github", name: "1e3" },
          { name: "557058:ab-c" }
        ])
        assert.include(JSON.stringify(plan.sources), `"label":"no"`)
      })
    )
  )

  it.effect("may say that what comes later is off", () =>
    inWorld(
      Effect.gen(function* () {
        const off = agent("  default: { sink: process, command: [claude], onEdit: ignore }").replace(
          "[acme/app] }",
          "[acme/app], linkPullRequests: false, confidential: skip }"
        )
        const text = `${off}routes: []\nwebhook: { enabled: false, listen: x }\nacknowledge: false\n`.replace(
          "[alice] }",
          "[alice], roles: [], bots: [] }"
        )
        assert.deepStrictEqual(yield* problemsOf(text), [])
      })
    )
  )

  it.effect("may name anchors and write a value once", () =>
    inWorld(
      Effect.gen(function* () {
        const text = agent("  default: &one { sink: process, command: [claude] }\n  other: *one")
        assert.deepStrictEqual(yield* problemsOf(text), [])
      })
    )
  )

  it.effect("warns loudly when nobody is trusted, and when a token is handed to an agent", () =>
    inWorld(
      Effect.gen(function* () {
        const file = yield* write(
          `sources: [{ provider: github, repos: [a/b], auth: { env: MY_PAT } }]\nagents: { default: { sink: process, command: [x], passEnv: [MY_PAT, GH_TOKEN, FINE] } }\n`
        )
        const { plan } = yield* load(file, rooms)
        assert.deepStrictEqual(plan.access.users, [])
        assert.strictEqual(plan.warnings.length, 3)
        assert.include(plan.warnings[0], "nobody's words reach an agent")
        assert.include(plan.warnings[1], "MY_PAT")
        assert.include(plan.warnings[2], "GH_TOKEN")
      })
    )
  )

  it.effect("is shown with every default, and what is shown means the same", () =>
    inWorld(
      Effect.gen(function* () {
        const first = yield* load(yield* write(good), rooms)
        const text = showText(first.effective)
        assert.include(text, "interval: 1m")
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(first.plan.file, text)
        const second = yield* load(first.plan.file, rooms)
        assert.strictEqual(showText(second.effective), text)
        assert.deepStrictEqual({ ...second.plan, hash: "" }, { ...first.plan, hash: "" })
      })
    )
  )

  it.effect("has a hash of its content and of its prompts' content alone", () =>
    inWorld(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const text = agent("  default: { sink: process, command: [claude], prompts: { start: a.md } }")
        const file = yield* write(text, { "a.md": "one" })
        const hash = load(file, rooms).pipe(Effect.map(({ plan }) => plan.hash))
        const first = yield* hash
        yield* fs.utimes(file, 1, 1)
        assert.strictEqual(yield* hash, first)
        yield* fs.writeFileString(`${file.slice(0, -9)}a.md`, "two")
        assert.notStrictEqual(yield* hash, first)
        yield* fs.writeFileString(`${file.slice(0, -9)}a.md`, "one")
        assert.strictEqual(yield* hash, first)
      })
    )
  )
})
