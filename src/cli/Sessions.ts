/**
 * `heed sessions`: lists the sessions, and shows, stops, pauses or resumes those of one item.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SessionAction } from "../control/Protocol.ts"
import { SessionLine } from "../engine/Inspector.ts"
import { attach } from "./Attach.ts"
import { change } from "./Change.ts"
import * as Render from "./Render.ts"
import { reach } from "./Reach.ts"
import { item, json, print } from "./Root.ts"
import { look } from "./Status.ts"

const show = (input: { readonly json: boolean }) =>
  Effect.flatMap(Effect.flatMap(reach, look), ({ sessions }) =>
    print(input.json, Schema.Array(SessionLine), sessions, Render.sessions)
  )

const list = Command.make("list", { json }, show).pipe(
  Command.withDescription("Lists the sessions: what `heed sessions` alone does."),
  Command.withShortDescription("list the sessions"),
  Command.withExamples([{ command: "heed sessions list" }])
)

const acting = (action: SessionAction, description: string, short: string) =>
  Command.make(action, { item }, (input) => change(action, input.item)).pipe(
    Command.withDescription(description),
    Command.withShortDescription(short),
    Command.withExamples([{ command: `heed sessions ${action} acme/app#12` }])
  )

export const sessions = Command.make("sessions", { json }, show).pipe(
  Command.withDescription("Lists the sessions: item, agent, state, what waits and why."),
  Command.withShortDescription("list, attach, stop, pause, resume sessions"),
  Command.withExamples([
    { command: "heed sessions" },
    { command: "heed sessions pause acme/app#12", description: "hold what waits for an item" }
  ]),
  Command.withSubcommands([
    list,
    acting(
      "stop",
      "Ends the sessions of an item for good; what waits for them is settled.",
      "end an item's sessions"
    ),
    acting(
      "pause",
      "Holds what waits for an item; a hand-over at work finishes.",
      "hold what waits for an item"
    ),
    acting("resume", "Lets go on what was paused.", "let a paused item go on"),
    attach
  ])
)
