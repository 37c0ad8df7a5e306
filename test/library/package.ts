/** heed as a program that depends on it finds it: built and packed from these sources, beside its dependencies alone. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

const project = process.cwd()
const binaries = join(project, "node_modules", ".bin")

export interface Ran {
  readonly code: number
  readonly out: string
}

/** Runs a program of node_modules/.bin (or PATH) and answers with its exit code and all that it said. */
export const run = (cwd: string, command: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<Ran>((resume) => {
    const env = { ...process.env, PATH: [binaries, process.env["PATH"]].join(delimiter) }
    const child = execFile(command, args, { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1
      resume(Effect.succeed({ code, out: `${stdout}${stderr}` }))
    })
    return Effect.sync(() => child.kill())
  })

const must = (step: Effect.Effect<Ran>) =>
  Effect.flatMap(step, ({ code, out }) => (code === 0 ? Effect.succeed(out) : Effect.die(new Error(out))))

/** What heed's package says it needs, and what every Effect program on Node has. */
const dependencies = ["effect", "@effect/platform-node", "koffi", "liquidjs", "yaml", "@types/node"]

/** A folder in the shape of a program that installed heed; gone with the scope. */
export const consumer = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "heed-consumer-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const [sources, program] = [join(folder, "sources"), join(folder, "program")]
  mkdirSync(sources)
  for (const name of [
    "src",
    "docs",
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "config.example.yaml"
  ])
    cpSync(join(project, name), join(sources, name), { recursive: true })
  symlinkSync(join(project, "node_modules"), join(sources, "node_modules"))
  yield* must(run(sources, "npm", "run", "build"))
  const packed = yield* must(run(sources, "npm", "pack", "--ignore-scripts", "--loglevel=error"))
  const heed = join(program, "node_modules", "heed")
  mkdirSync(heed, { recursive: true })
  yield* must(
    run(sources, "tar", "-xzf", packed.trim().split("\n").at(-1) ?? "", "-C", heed, "--strip-components=1")
  )
  for (const name of dependencies) {
    if (name.startsWith("@"))
      mkdirSync(join(program, "node_modules", name.split("/")[0] ?? ""), { recursive: true })
    symlinkSync(join(project, "node_modules", name), join(program, "node_modules", name))
  }
  writeFileSync(
    join(program, "package.json"),
    JSON.stringify({ type: "module", dependencies: { heed: "*" } })
  )
  return { program, heed }
})

/**
 * The program's own settings: strict, and libraries are checked too, which is everything that a program which trusts them
 * would check and more. Effect's declarations need `dom` for that.
 */
export const tsconfig = JSON.stringify({
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.disposable", "dom"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ["node"],
    outDir: "built",
    skipLibCheck: false
  },
  include: ["*.ts"]
})
