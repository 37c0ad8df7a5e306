/**
 * The example and the reference are complete and true. After a change of the schema, `npx vitest run
 * test/config/reference.test.ts --update` writes docs/configuration.md anew.
 */
import { assert, describe, expect, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as prettier from "prettier"
import * as Yaml from "yaml"
import { eventJsonSchema, fileJsonSchema } from "../../src/config/JsonSchema.ts"
import { load } from "../../src/config/load.ts"
import { referenceText, rows } from "../../src/config/Reference.ts"
import { rooms } from "./kinds.ts"

const introduction = `# Configuration

<!-- Made from the schema: see test/config/reference.test.ts. -->

heed reads the file that \`--config\` names, else \`$HEED_CONFIG\`, else \`./heed.yaml\`, else
\`$XDG_CONFIG_HOME/heed/heed.yaml\`. It is YAML 1.2: \`no\` and \`on\` are text, a key stands once, and a tab is no
indentation. Relative paths start at the file's folder. [config.example.yaml](../config.example.yaml) has every key with
its default; \`heed config check\` says everything that is wrong with a file at once, with the line and what to write
instead, and exits with 78; \`heed config show\` prints what is in effect; \`heed config schema\` prints a JSON Schema for
editors.

A duration is a number and a unit: \`500ms\`, \`60s\`, \`15m\`, \`2h\`, \`30d\`, or words: \`60 seconds\`. A size is one too:
\`500kB\`, \`100MB\`, \`5GB\`, or \`64MiB\`. A secret is never a value in the file: \`auth\` names where it comes from.

A change takes effect with the next cycle, prompts included. A file that is invalid, empty or gone is reported once, and
the running configuration stays. \`state.root\` alone needs a restart: until then the running root stays in use, and heed
says so.`

const schema = fileJsonSchema(rooms.kinds)
const example = readFileSync("config.example.yaml", "utf8")

describe("the reference", () => {
  it("is what the schema says", async () => {
    const options = await prettier.resolveConfig("docs/configuration.md")
    const page = await prettier.format(referenceText(schema, introduction), {
      ...options,
      parser: "markdown"
    })
    await expect(page).toMatchFileSnapshot("../../docs/configuration.md")
  })

  it("describes every key", () => {
    const bare = rows(schema).filter(
      ({ path, description }) => description === "" && !/\.(?:anyOf|allOf)$/u.test(path)
    )
    assert.deepStrictEqual(bare, [])
  })
})

describe("config.example.yaml", () => {
  it.effect("is valid", () =>
    Effect.gen(function* () {
      const { plan } = yield* load(resolve("config.example.yaml"), rooms)
      assert.strictEqual(plan.sources.length, 1)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it("has every key, if only in a comment", () => {
    const missing = rows(schema)
      .map(({ path }) => path)
      .filter((path) => {
        const [section = "", ...rest] = path.split(".")
        const top = section.replace("[]", "")
        const block = new RegExp(`^${top}:[\\s\\S]*?(?=^\\w|$(?![\\s\\S]))`, "mu").exec(example)?.[0] ?? ""
        return !block.includes(`${rest.at(-1) ?? top}:`)
      })
    assert.deepStrictEqual(missing, [])
  })

  it("says the default of every key that has one", () => {
    const document = Yaml.parseDocument(example)
    const wrong = rows(schema).flatMap(({ path, fallback }) => {
      const steps = path
        .replaceAll("[]", ".0")
        .replaceAll("NAME", "default")
        .split(".")
        .map((step) => (/^\d+$/u.test(step) ? Number(step) : step))
      const node = document.getIn(steps, true)
      const scalar = Yaml.isScalar(node) || (Yaml.isSeq(node) && Array.isArray(fallback))
      if (fallback === undefined || !scalar) return []
      const written = node.toJS(document)
      return JSON.stringify(written) === JSON.stringify(fallback) ? [] : [{ path, written, fallback }]
    })
    assert.deepStrictEqual(wrong, [])
  })
})

describe("JSON Schema", () => {
  it("admits no unknown key at any depth", () => {
    const open: Array<string> = []
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return
      const closed = "additionalProperties" in node
      if ("properties" in node && !closed) open.push(path)
      for (const [key, value] of Object.entries(node)) walk(value, `${path}/${key}`)
    }
    walk(schema, "")
    walk(eventJsonSchema(), "event")
    assert.deepStrictEqual(open, [])
  })

  it("is draft 7, and names the event's kinds", () => {
    assert.strictEqual(schema["$schema"], "http://json-schema.org/draft-07/schema#")
    assert.include(JSON.stringify(eventJsonSchema()), `"comment_added"`)
  })
})
