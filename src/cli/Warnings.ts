/**
 * Warnings: what is valid in a configuration and yet deserves a loud word before the start, on stderr.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Plan } from "../config/Plan.ts"
import { House } from "./House.ts"
import { complaint } from "./Text.ts"
import { columnsOf } from "./Width.ts"

/** Says the plan's own warnings, and which agents could not be started on this machine. */
export const warn = Effect.fn("cli.warn")(function* (which: Plan) {
  const house = yield* House
  const columns = columnsOf(process.stderr)
  for (const warning of [...which.warnings, ...(yield* house.unready(which))])
    yield* Console.error(complaint("warning", warning, columns))
})
