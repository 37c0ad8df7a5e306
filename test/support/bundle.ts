/**
 * Builds heed's command once per test run, as its users run it: bundled, because tests that start many processes would
 * otherwise mostly wait for imports.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    /** The bundled command. */
    readonly heed: string
  }
}

const home = join(import.meta.dirname, "../..")
const requires =
  "import{createRequire as heedRequire}from'node:module';const require=heedRequire(import.meta.url);"

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "heed-bundle-"))
  symlinkSync(join(home, "node_modules"), join(folder, "node_modules"))
  execFileSync(
    join(home, "node_modules/.bin/esbuild"),
    [
      "heed=src/main.ts",
      "--bundle",
      "--splitting",
      "--platform=node",
      "--format=esm",
      "--target=node22",
      "--external:koffi",
      `--banner:js=${requires}`,
      "--out-extension:.js=.mjs",
      "--log-level=warning",
      `--outdir=${folder}`
    ],
    { cwd: home, stdio: ["ignore", "ignore", "inherit"] }
  )
  project.provide("heed", join(folder, "heed.mjs"))
  return () => rmSync(folder, { recursive: true })
}
