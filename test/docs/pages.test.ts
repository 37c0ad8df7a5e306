/** What the docs say is there is there, and what is there the docs say. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { eventJsonSchema, EventName, NormalizedEvent, Plan } from "../../src/index.ts"
import { sinkKinds } from "../../src/sink/LiveSinks.ts"

const read = (file: string) => readFileSync(file, "utf8")
const pages = [...globSync("docs/**/*.md"), ...globSync("*.md")]
const architecture = read("docs/architecture.md")

/** A sink's example that loads is one that names this sink. */
const loads = (file: string) =>
  Plan.load(resolve(file)).pipe(Effect.exit, Effect.provide(NodeServices.layer), Effect.runPromise)

describe("the pages", () => {
  it("link only to what is there", () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/gu)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(join(dirname(page), target)))
        .map((target) => `${page}: ${target}`)
    )
    assert.deepStrictEqual(broken, [])
  })

  it("name every event of the log, and no other", () => {
    const page = read("docs/events.md")
    const named = [...page.matchAll(/^\| `([a-z]+\.[a-z_]+)` /gmu)].map(([, name]) => name)
    assert.sameMembers(
      named.filter(
        (name) => !name?.startsWith("entity.") && !/^(?:transition|state|source)\./u.test(name ?? "")
      ),
      [...EventName.literals]
    )
    for (const [, kind = ""] of JSON.stringify(eventJsonSchema()).matchAll(
      /"kind":\{"type":"string","enum":\[([^\]]+)\]/gu
    ))
      for (const name of kind.split(",")) assert.include(page, name.replaceAll('"', "`"))
    for (const key of Object.keys(NormalizedEvent.fields))
      assert.match(page, new RegExp(`^\\| \`${key}[.\`]`, "mu"))
  })

  it("explain every guarantee and trap that a comment cites, so that the code stands alone", () => {
    const cited = new Set(
      [...globSync("{src,test,bench}/**/*.ts")].flatMap(
        (file) => read(file).match(/\b(?:G[1-5]\.[1-9]|B\d{2,3}|P\.\d+)\b/gu) ?? []
      )
    )
    const spans = [...architecture.matchAll(/\bB(\d{2,3}) to B(\d{2,3})\b/gu)]
    const explained = (id: string) =>
      new RegExp(`\\b${id.replace(".", "\\.")}\\b`, "u").test(architecture) ||
      spans.some(([, from, to]) => Number(id.slice(1)) >= Number(from) && Number(id.slice(1)) <= Number(to))
    assert.deepStrictEqual([...cited].filter((id) => !explained(id)).sort(), [])
  })

  it("and the code name no document that is not here", () => {
    const self = "test/docs/pages.test.ts"
    const named = [
      ...globSync("{src,test,bench}/**/*.ts"),
      ...pages,
      "config.example.yaml",
      "package.json"
    ].filter((file) => file !== self && /\b(?:product|traps|facts)\.md\b|\bshared\//u.test(read(file)))
    assert.deepStrictEqual(named, [])
  })

  it("have one valid example per sink", async () => {
    for (const { name } of sinkKinds) {
      const exit = await loads(`docs/examples/${name}.yaml`)
      assert.isTrue(Exit.isSuccess(exit), name)
      if (Exit.isSuccess(exit)) assert.strictEqual(exit.value.plan.agents["default"]?.plan.sink, name)
    }
    assert.lengthOf(globSync("docs/examples/*"), sinkKinds.length)
  })

  it("have every floor of the house, and every decision in one shape", () => {
    for (const room of globSync("src/*/").map((folder) => folder.split("/")[1] ?? ""))
      assert.include(architecture, `\`${room}`, room)
    const decisions = globSync("docs/decisions/*").sort()
    decisions.forEach((file, index) => {
      assert.match(file, /\/\d{4}-[a-z0-9-]+\.md$/u)
      assert.strictEqual(Number(/(\d{4})-/u.exec(file)?.[1]), index + 1)
      for (const part of ["**Context.**", "**Decision.**", "**Cost.**", "**Reopened by**"])
        assert.include(read(file), part, file)
    })
  })

  it("show in the README what `heed init` writes", async () => {
    const { sixLines } = await import("../../src/cli/Init.ts")
    assert.include(read("README.md"), `\`\`\`yaml\n${sixLines("alice", "acme/app")}\`\`\``)
  })
})
