/** Whatever is wrong, wherever: a place and a mend, and never the value. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as Yaml from "yaml"
import type { Snapshot } from "../../src/config/Files.ts"
import { evaluate } from "../../src/config/load.ts"
import { parse } from "../../src/config/Yaml.ts"
import { rooms } from "./kinds.ts"

const example = readFileSync("config.example.yaml", "utf8")

const secret = "hunter2-s3cr3t"
/** What somebody may write at any place by mistake. */
const values = [
  secret,
  17,
  -1.5,
  true,
  null,
  [],
  {},
  [secret],
  [[1]],
  { [`a ${"\u001b"}`]: 1 },
  { zzz: secret },
  ""
]

/** Every place of the example, mappings and lists too. */
const places = (
  value: unknown,
  path: ReadonlyArray<string | number>
): ReadonlyArray<ReadonlyArray<string | number>> =>
  typeof value !== "object" || value === null
    ? [path]
    : [
        path,
        ...Object.entries(value).flatMap(([key, inner]) =>
          places(inner, [...path, Array.isArray(value) ? Number(key) : key])
        )
      ]

const mend = /expected|write|remove|quote|did you mean|mend|name another/u

const snapshotOf = (text: string): Snapshot => ({
  file: "/nowhere/heed.yaml",
  content: { _tag: "Text", text },
  parsed: parse(text),
  prompts: [],
  hash: ""
})

describe("every problem", () => {
  it.effect("has a path, a line and a mend, and repeats no value", () =>
    Effect.gen(function* () {
      const all = places(Yaml.parse(example), []).filter((path) => path.length > 0)
      let seen = 0
      for (const path of all) {
        for (const value of values) {
          const document = Yaml.parseDocument(example)
          document.setIn(path, value)
          const problems = yield* evaluate(snapshotOf(document.toString()), rooms).pipe(
            Effect.match({ onSuccess: () => [], onFailure: (error) => error.problems })
          )
          for (const { path: at, line, message } of problems) {
            seen += 1
            const told = `${path.join(".")} = ${JSON.stringify(value)}: ${at}: ${message}`
            assert.match(message, mend, told)
            assert.isNotEmpty(at, told)
            assert.isDefined(line, told)
            assert.notInclude(at + message, secret, told)
            assert.notMatch(at + message, /\p{Cc}/u, told)
          }
        }
      }
      assert.isAbove(seen, 300)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("of a key that is gone names it", () =>
    Effect.gen(function* () {
      for (const path of [
        ["sources"],
        ["agents"],
        ["agents", "default"],
        ["sources", 0, "provider"],
        ["agents", "default", "command"]
      ]) {
        const document = Yaml.parseDocument(example)
        document.deleteIn(path)
        const problems = yield* evaluate(snapshotOf(document.toString()), rooms).pipe(
          Effect.match({ onSuccess: () => [], onFailure: (error) => error.problems })
        )
        assert.strictEqual(problems.length, 1)
        assert.match(problems[0]?.message ?? "", /^missing; .*write/u)
        assert.strictEqual(
          problems[0]?.path.replaceAll(/[[\]]+/gu, "."),
          path.join(".").replace(".0.", ".0..")
        )
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
