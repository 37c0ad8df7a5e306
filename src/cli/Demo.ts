/**
 * `heed demo`: the whole main job in one minute on an embedded forge: no account, no network.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { refused } from "./Failure.ts"

export const demo = Command.make("demo", {}, () => Effect.fail(refused("the demo is not there yet"))).pipe(
  Command.withDescription("Shows the whole main job in a minute: no account, no network."),
  Command.withShortDescription("the main job in a minute, no account needed"),
  Command.withExamples([{ command: "heed demo" }])
)
