/**
 * `heed retry REF`: re-arms what was given up or settled on an item.
 */
import * as Command from "effect/cli/Command"
import { change } from "./Change.ts"
import { item } from "./Root.ts"

export const retry = Command.make("retry", { item }, (input) => change("retry", input.item)).pipe(
  Command.withDescription("Tries again what was given up or settled on an item, with all attempts anew."),
  Command.withShortDescription("re-arm what was given up or settled"),
  Command.withExamples([{ command: "heed retry acme/app#12" }])
)
