/**
 * What heed costs, as ratios within one run: `npm run bench [GROUP…]`. It builds the command first. A benchmark is no
 * test: it always exits 0, and says which rows are over their budget.
 */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { burstRows } from "./burst.ts"
import { idle } from "./idle.ts"
import { many } from "./many.ts"
import { report, type Row } from "./row.ts"
import { startup } from "./startup.ts"
import { stop } from "./stop.ts"

const groups = { startup, idle, stop, burst: burstRows, many } as const

const asked = process.argv.slice(2)

execFileSync("npm", ["run", "--silent", "build:bin"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  stdio: "inherit"
})

const program = Effect.gen(function* () {
  const all: Array<Row> = []
  for (const [name, group] of Object.entries(groups)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const { rows } = yield* Effect.scoped(group)
    all.push(...rows)
    process.stdout.write(`${report(name, rows)}\n`)
  }
  const over = all.filter(({ holds }) => !holds)
  process.stdout.write(
    over.length === 0
      ? `all ${all.length} rows are within their budgets\n`
      : `${over.length} of ${all.length} rows are OVER their budgets:\n${over.map(({ what }) => `  ${what.trim()}\n`).join("")}`
  )
})

await Effect.runPromise(program)
