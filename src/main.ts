#!/usr/bin/env node
/**
 * The bin. Its first page is printed from here, and all else is loaded only when it is asked for, so that a glance
 * costs no more than starting Node.
 */
import * as nodeModule from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { firstPage } from "./cli/FirstPage.ts"
import { version } from "./domain/Version.ts"

const args = process.argv.slice(2)
const only = args.length < 2 ? (args[0] ?? "--help") : undefined

const quick = async (): Promise<string | undefined> => {
  if (only === "--help" || only === "-h") return firstPage
  if (only === "--version" || only === "-v") return `${version}\n`
  if (args[0] !== "status") return undefined
  const shown = await (await import("./cli/Glance.ts")).glance(args)
  return shown === undefined ? undefined : `${shown}\n`
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

const shown = await quick()
if (shown !== undefined) {
  // Whoever read the output may have gone.
  process.stdout.on("error", () => process.exit(0)).write(shown)
} else if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `heed: needs Node 22.19 or newer, and this is ${process.version}: ${process.execPath}\n`
  )
  process.exitCode = 1
} else {
  // In the user's own folder: whoever can write compiled code there could run it.
  nodeModule.enableCompileCache(join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "heed"))
  if (args.includes("start")) (await import("./cli/Frugal.ts")).frugal()
  const [{ main }, { wiring }] = await Promise.all([import("./cli/Main.ts"), import("./cli/Wiring.ts")])
  main(wiring)
}
