/**
 * What it takes to start an agent's command, for every sink that starts one: everything that can be known to go wrong
 * before a process is made is found here, and said with its mend.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { diskError, type DiskReason } from "../disk/DiskError.ts"
import type { AgentPlan } from "../domain/Agent.ts"
import { agentNames, renderAgentTemplate } from "../domain/AgentCommand.ts"
import type { HandOver } from "../domain/HandOver.ts"
import { agentEnvironment, agentPath, type EnvironmentOptions } from "./AgentEnvironment.ts"
import * as FindCommand from "./FindCommand.ts"
import type * as RunFolder from "./RunFolder.ts"
import { SinkError } from "./Sink.ts"

/** A command that can be started as it stands. */
export interface Startable {
  /** Absolute. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Absolute, and there. */
  readonly cwd: string
  /** The whole environment. */
  readonly environment: { readonly [name: string]: string }
}

/** What is wrong with the disk itself, and goes by once that is mended. */
const awaited: ReadonlySet<DiskReason> = new Set<DiskReason>(["NoSpace", "ReadOnly", "Failing"])

export const make = Effect.fnUntraced(function* (folder: RunFolder.RunFolder, options: EnvironmentOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const findCommand = yield* FindCommand.make

  const find = Effect.fnUntraced(function* (name: string, cwd: string, searched: string) {
    const command = yield* findCommand(name, cwd, searched)
    if (command !== undefined) return command
    return yield* new SinkError({
      reason: "AgentNotStarted",
      message: `the agent's command ${JSON.stringify(name)} was not found. PATH searched: ${searched}. Install it, or set \`env: { PATH: … }\` or an absolute path in the agent's entry`
    })
  })

  return {
    /** Fails when no session of this plan could be started on this machine. */
    ready: Effect.fnUntraced(function* (plan: AgentPlan) {
      const [name = ""] = plan.command
      // A command beside a folder that is made for each item is looked for once that folder is known.
      if (name.includes("/") && plan.cwd.includes("{{")) return
      yield* find(name, plan.cwd, agentPath(plan, options))
    }),

    /** The command of a hand-over: `command` where it opens a conversation, `resume` otherwise. Makes its folder. */
    commandOf: Effect.fnUntraced(function* (handOver: HandOver) {
      const { plan } = handOver
      const names = agentNames(handOver)
      const cwd = path.resolve(renderAgentTemplate(plan.cwd, names))
      const environment = agentEnvironment(
        handOver,
        { prompt: folder.fileOf(handOver, "prompt"), events: folder.fileOf(handOver, "events.json") },
        options
      )
      const template = handOver.opens ? plan.command : (plan.resume ?? plan.command)
      const [name = "", ...args] = template.map((element) => renderAgentTemplate(element, names))
      yield* fs.makeDirectory(cwd, { recursive: true }).pipe(
        Effect.mapError(diskError("make", cwd)),
        Effect.mapError(
          ({ message, reason }) =>
            new SinkError({
              // A disk that takes nothing now is no failure of the agent's (G3.6).
              reason: awaited.has(reason) ? "DiskUnwritable" : "AgentNotStarted",
              message: `the working folder of agent ${handOver.session.agent}: ${message}`
            })
        )
      )
      const command = yield* find(name, cwd, agentPath(plan, options))
      return { command, args, cwd, environment } satisfies Startable
    })
  } as const
})
