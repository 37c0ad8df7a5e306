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

const args = process.argv.slice(2)
const [first, ...rest] = args

/** What `heed status` prints, where a running daemon tells. */
const glimpsed = async () => {
  if (!args.includes("status")) return undefined
  const { glance } = await import("./cli/Glance.ts")
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = process.env
  const isForced = forced !== undefined && !["", "0", "false"].includes(forced.toLowerCase())
  const colour = terminal !== "dumb" && !none && (isForced || process.stdout.isTTY)
  return glance(args, {
    variables: process.env,
    page: { columns: process.stdout.columns || 80, colour, now: Date.now() }
  })
}

if (rest.length === 0 && (first === undefined || first === "--help" || first === "-h"))
  process.stdout.write(firstPage)
else if (rest.length === 0 && (first === "--version" || first === "-v")) process.stdout.write(`${version}\n`)
else {
  // In the user's own folder: whoever can write compiled code there could run it.
  enableCompileCache(join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "heed"))
  const status = await glimpsed()
  if (status === undefined) {
    if (args.includes("start")) (await import("./cli/Frugal.ts")).frugal()
    const [{ main }, { wiring }] = await Promise.all([import("./cli/Main.ts"), import("./cli/Wiring.ts")])
    main(wiring)
  } else {
    // Whoever read our output has gone: there is nobody to tell.
    process.stdout.on("error", () => process.exit(0))
    process.stdout.write(status)
  }
}
