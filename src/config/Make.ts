/**
 * Make: a plan out of values, with the defaults of the configuration file, for programs that have no such file.
 */
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { join, resolve } from "node:path"
import type { AgentPlan } from "../domain/Agent.ts"
import { user } from "./Checks.ts"
import type { Plan, Prompts } from "./Plan.ts"
import { CommonAgent, Outline } from "./Schema.ts"

/** An agent: its sink, and whatever is not as usual. Durations are milliseconds; `cwd` starts at the process's folder. */
export interface GivenAgent extends Partial<AgentPlan> {
  readonly sink: string
  /** Liquid templates; the built-in ones where none is given. */
  readonly prompts?: Partial<Prompts>
  readonly settings?: Schema.Json
}

/** What a program says of its plan; all else is the default of the configuration file. Durations are milliseconds. */
export interface Given {
  /** The file that agents are told of (`HEED_CONFIG`). Default: `heed.yaml` in the state root. */
  readonly file?: string
  /** By name; `default` gets every item. */
  readonly agents: { readonly [name: string]: GivenAgent }
  /** Whose words reach an agent, as in `access.users`. Empty: nobody's. */
  readonly users?: ReadonlyArray<string>
  /** Only for `Providers` that are made from entries. */
  readonly sources?: Plan["sources"]
  readonly state?: Partial<Plan["state"]>
  readonly polling?: Partial<Plan["polling"]>
  readonly control?: Partial<Plan["control"]>
  readonly limits?: Partial<Plan["limits"]>
  readonly log?: Partial<Plan["log"]>
}

const usual = Schema.decodeUnknownSync(Outline)({ sources: [], agents: {} })
const usualAgent = Schema.decodeUnknownSync(CommonAgent)({ sink: "" })

const agentOf = (given: GivenAgent, builtIn: Prompts): Plan["agents"][string] => {
  const { prompts, settings, ...own } = given
  const { prompts: _prompts, command = [], ...common } = usualAgent
  const agent = { ...common, command, ...own }
  return {
    plan: { ...agent, cwd: resolve(agent.cwd) },
    prompts: { ...builtIn, ...prompts },
    ...(settings === undefined ? {} : { settings })
  }
}

/**
 * The plan that a program gives. It is taken at its word: sources and sinks are not looked up, and `attempts` below 1 or
 * an empty `retryAfter` is the caller's mistake.
 */
export const make = (given: Given, builtIn: Prompts): Plan => {
  const state = { ...usual.state, ...given.state }
  const plan: Omit<Plan, "hash"> = {
    file: resolve(given.file ?? join(state.root, "heed.yaml")),
    state: { ...state, root: resolve(state.root) },
    polling: { ...usual.polling, ...given.polling },
    sources: given.sources ?? [],
    access: { users: (given.users ?? []).map(user) },
    control: { ...usual.control, ...given.control },
    agents: Object.fromEntries(
      Object.entries(given.agents).map(([name, agent]) => [name, agentOf(agent, builtIn)])
    ),
    limits: { ...usual.limits, ...given.limits },
    log: { ...usual.log, ...given.log },
    warnings: []
  }
  return { ...plan, hash: createHash("sha256").update(JSON.stringify(plan)).digest("hex") }
}
