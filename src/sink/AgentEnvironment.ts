/**
 * What an agent finds in its environment: an allow-list, so that no token of heed's reaches it by accident (G5.3,
 * traps B102).
 */
import type { AgentPlan } from "../domain/Agent.ts"
import type { HandOver } from "../domain/HandOver.ts"
import { firstCodePoints, oneLine } from "../domain/PlainText.ts"

/** Environment variables, as a process has them. */
export type Variables = { readonly [name: string]: string | undefined }

/** What of an agent's environment does not depend on its hand-over. */
export interface EnvironmentOptions {
  /** heed's own environment. */
  readonly variables: Variables
  /** The configuration file, for `HEED_CONFIG`. */
  readonly config: string
  /** The folder of the running heed's command; it goes to the end of the agent's PATH. */
  readonly heedFolder: string
}

const passedAlways = ["PATH", "HOME", "LANG", "TERM"]

/** Where commands are looked for when nobody says. */
export const standardPath = "/usr/local/bin:/usr/bin:/bin"

/** The variable that each process of a run carries, by which it is recognised. */
export const membership = (handOver: string): string => `HEED_DELIVERY_ID=${handOver}`

/** The PATH of an agent, with the folder of heed's own command at its end. */
export const agentPath = (plan: AgentPlan, { heedFolder, variables }: EnvironmentOptions): string => {
  const path = plan.env["PATH"] ?? variables["PATH"] ?? standardPath
  return path.split(":").includes(heedFolder) ? path : `${path}:${heedFolder}`
}

/** Text from a tracker as a variable: one bounded line without control characters. */
const bounded = (text: string) => firstCodePoints(oneLine(text), 4096)

/** The whole environment of one run. What the agent's own `env` says never replaces what heed tells it. */
export const agentEnvironment = (
  handOver: HandOver,
  files: { readonly prompt: string; readonly events: string },
  options: EnvironmentOptions
): Record<string, string> => {
  const environment: Record<string, string> = {}
  for (const name of [...passedAlways, ...handOver.plan.passEnv]) {
    const value = options.variables[name]
    if (value !== undefined) environment[name] = value
  }
  Object.assign(environment, handOver.plan.env)
  return {
    ...environment,
    PATH: agentPath(handOver.plan, options),
    HEED_WORK_ITEM_URL: bounded(handOver.item.url),
    HEED_WORK_ITEM_SOURCE: handOver.item.tracker,
    HEED_WORK_ITEM_KEY: bounded(handOver.item.key),
    HEED_WORK_ITEM_REF: handOver.item.ref,
    HEED_SESSION_ID: handOver.session.id,
    HEED_DELIVERY_ID: handOver.id,
    HEED_ATTEMPT: String(handOver.attempt),
    HEED_MARK: handOver.mark,
    HEED_CONFIG: options.config,
    HEED_PROMPT_FILE: files.prompt,
    HEED_EVENT_FILE: files.events
  }
}
