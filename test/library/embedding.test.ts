/** heed as a library, seen from a program that installed it: docs/embedding.md compiles, runs and says what it says. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { consumer, run, tsconfig } from "./package.ts"

const page = readFileSync("docs/embedding.md", "utf8")
const block = (language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "u").exec(page)?.[1] ?? ""

/** What the published types import, from the entries down. */
const bareImports = (heed: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const waiting = [join(heed, "dist/types/index.d.ts"), join(heed, "dist/types/testing.d.ts")]
  const known = new Set(waiting)
  for (const file of waiting) {
    for (const [, to = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"([^"]+)"/gu)) {
      const target = normalize(join(dirname(file), to.replace(/\.(?:ts|js)$/u, ".d.ts")))
      if (!to.startsWith(".")) found.set(to, file)
      else if (!known.has(target)) {
        known.add(target)
        waiting.push(target)
      }
    }
  }
  return found
}

describe("heed in another program", () => {
  it.live("docs/embedding.md compiles strictly and prints what the page says; nothing else leaks", () =>
    Effect.gen(function* () {
      const { heed, program } = yield* consumer
      const { bin, dependencies, peerDependencies } = JSON.parse(
        readFileSync(join(heed, "package.json"), "utf8")
      )
      writeFileSync(join(program, "embedding.ts"), block("ts"))
      writeFileSync(join(program, "tsconfig.json"), tsconfig)
      assert.deepStrictEqual(yield* run(program, "tsc"), { code: 0, out: "" })
      assert.deepStrictEqual(yield* run(program, "node", "built/embedding.js"), {
        code: 0,
        out: block("text")
      })

      // A program's compiler needs nothing that npm does not bring along.
      const needed = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)])
      const leaked = [...bareImports(heed)].filter(
        ([name]) =>
          !needed.has(
            name
              .split("/")
              .slice(0, name.startsWith("@") ? 2 : 1)
              .join("/")
          )
      )
      assert.deepStrictEqual(leaked, [])

      // What only heed's own compiler reads stays at home.
      const foreign = globSync("dist/types/**/*.d.ts", { cwd: heed }).filter((file) =>
        readFileSync(join(heed, file), "utf8").includes("@octokit/")
      )
      assert.deepStrictEqual(foreign, [])

      // One copy of effect: the library's bundles import it, the command's carries its own.
      const bundles = globSync("dist/*.mjs", { cwd: heed }).filter((file) => file !== bin.heed)
      assert.include(bundles, "dist/index.mjs")
      for (const file of bundles)
        assert.notInclude(readFileSync(join(heed, file), "utf8"), "node_modules/effect/", file)
      assert.strictEqual((yield* run(program, "node", join(heed, bin.heed), "--version")).code, 0)
    }).pipe(Effect.scoped)
  )
})
