#!/usr/bin/env node
/**
 * The bin. Its first page is printed from here, and all else is loaded only when it is asked for, so that a glance
 * costs no more than starting Node.
 */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { firstPage } from "./cli/FirstPage.ts"
import { version } from "./domain/Version.ts"

const [first, ...rest] = process.argv.slice(2)
if (rest.length === 0 && (first === undefined || first === "--help" || first === "-h"))
  process.stdout.write(firstPage)
else if (rest.length === 0 && (first === "--version" || first === "-v")) process.stdout.write(`${version}\n`)
else {
  // In the user's own folder: whoever can write compiled code there could run it.
  enableCompileCache(join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "heed"))
  const [{ main }, { wiring }] = await Promise.all([import("./cli/Main.ts"), import("./cli/Wiring.ts")])
  main(wiring)
}
