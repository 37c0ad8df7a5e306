/**
 * load: a configuration file as the plan that the engine runs on, or everything that is wrong with it at once.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { AgentPlan } from "../domain/Agent.ts"
import * as Checks from "./Checks.ts"
import type { Finding } from "./Explain.ts"
import { secretsIn } from "./Explain.ts"
import type { Snapshot } from "./Files.ts"
import { snapshot } from "./Files.ts"
import { sift } from "./NotYet.ts"
import type { Plan, Prompts } from "./Plan.ts"
import type { Path as Place, Problem } from "./Problem.ts"
import { capped, ConfigError, pathText } from "./Problem.ts"
import type { Agent, Rooms, Source } from "./Read.ts"
import { json, readAgents, readOutline, readSources, secretVariables } from "./Read.ts"
import type { CommonAgent } from "./Schema.ts"
import { formatVersion, Outline } from "./Schema.ts"
import type { Tree } from "./Yaml.ts"
import { lineOf, plain } from "./Yaml.ts"

/** A valid configuration: the plan, and the effective file with every default written out. */
export interface Loaded {
  readonly plan: Plan
  readonly effective: Schema.Json
}

/** By line; what has none comes last. */
const ordered = (tree: Tree, findings: ReadonlyArray<Finding>): ReadonlyArray<Problem> => {
  const problems = findings.map(({ path, message }): Problem => {
    const line = lineOf(tree, path)
    return { path: pathText(path), ...(line === undefined ? {} : { line }), message }
  })
  const known = new Set<string>()
  return problems
    .filter(({ path, message }) => {
      const key = `${path}\n${message}`
      return !known.has(key) && known.add(key) !== undefined
    })
    .sort((left, right) => (left.line ?? Infinity) - (right.line ?? Infinity) || 0)
}

const promptKeys = ["start", "comment", "resume"] as const

const samePlace = (left: Place, right: Place) =>
  left.length === right.length && left.every((step, index) => step === right[index])

/** What is wrong with the prompt files, whatever else is wrong with their agents. */
const promptFindings = (taken: Snapshot, { templates }: Rooms): ReadonlyArray<Finding> =>
  taken.prompts.flatMap(({ at, content }) => {
    if (content._tag === "None") return [{ path: at, message: content.why }]
    const key = promptKeys.find((prompt) => prompt === at.at(-1))
    const why = key === undefined ? undefined : templates.check(key, content.text)
    return why === undefined ? [] : [{ path: at, message: `this file is no template; mend it: ${why}` }]
  })

/** The prompts of an agent: its files' texts where it names some, the built-in ones elsewhere. */
const promptsOf = (agent: Agent, taken: Snapshot, { templates }: Rooms): Prompts => {
  const text = (key: keyof Prompts): string => {
    const at = ["agents", agent.name, "prompts", key]
    const content = taken.prompts.find((prompt) => samePlace(prompt.at, at))?.content
    return content?._tag === "Text" ? content.text : templates.builtIn[key]
  }
  return { start: text("start"), comment: text("comment"), resume: text("resume") }
}

/** What a plan holds beside the common keys, of agents whose sink's sessions stay open. */
const Staying = Schema.Struct(Struct.pick(AgentPlan.fields, ["ready", "idleAfter", "onExit"]))
const staying = Schema.decodeUnknownOption(Staying)

const agentPlan = (agent: CommonAgent, settings: Schema.Json | undefined, cwd: string): AgentPlan => ({
  ...Option.getOrUndefined(staying(settings)),
  sink: agent.sink,
  command: agent.command ?? [],
  ...(agent.resume === undefined ? {} : { resume: agent.resume }),
  cwd,
  env: agent.env,
  passEnv: agent.passEnv,
  coalesce: agent.coalesce,
  timeout: agent.timeout,
  endGrace: agent.endGrace
})

const encodeOutline = Schema.encodeUnknownSync(Outline)

const effective = (
  outline: Outline,
  sources: ReadonlyArray<Source>,
  agents: ReadonlyArray<Agent>
): Schema.Json =>
  json(
    encodeOutline({
      ...outline,
      version: formatVersion,
      sources: sources.map((source) => source.effective),
      agents: Object.fromEntries(agents.map((agent) => [agent.name, agent.effective]))
    })
  )

/** Checks what a snapshot says. Prompts and state are looked for relative to the file's folder. */
export const evaluate = Effect.fnUntraced(function* (taken: Snapshot, rooms: Rooms) {
  const path = yield* Path.Path
  const { file, content, parsed } = taken
  if (content._tag === "None") {
    return yield* new ConfigError({
      reason: "Unreadable",
      file,
      problems: [{ path: "", message: content.why }]
    })
  }
  const invalid = (problems: ReadonlyArray<Problem>) => new ConfigError({ reason: "Invalid", file, problems })
  if (parsed._tag === "Broken") return yield* invalid(parsed.problems)

  const { tree } = parsed
  const sifted = sift(plain(tree), rooms.kinds)
  const read = readOutline(sifted.value)
  const sources = readSources(read.sources, rooms.kinds)
  const agents = readAgents(read.agents, rooms.kinds)
  const findings = [
    ...sifted.findings,
    ...secretsIn(sifted.value),
    ...read.findings,
    ...sources.findings,
    ...agents.findings,
    ...Checks.sourceNames(sources.values),
    ...(read.agents === undefined ? [] : Checks.defaultAgent(Object.keys(read.agents))),
    ...Checks.users(read.users, rooms.kinds),
    ...promptFindings(taken, rooms)
  ]
  const { outline } = read
  if (findings.length > 0 || outline === undefined) return yield* invalid(capped(ordered(tree, findings)))

  const folder = path.dirname(file)
  const plan: Plan = {
    file,
    hash: taken.hash,
    state: { ...outline.state, root: path.resolve(folder, outline.state.root) },
    polling: outline.polling,
    sources: sources.values.map(({ provider, name, onUnlabel, settings }) => {
      const kind = rooms.kinds.providers.find((kind) => kind.name === provider)
      const rooted = kind?.rooted?.(settings, (written) => path.resolve(folder, written))
      return { provider, name, settings: rooted ?? settings, onUnlabel }
    }),
    access: { users: outline.access.users.map(Checks.user) },
    control: outline.control,
    agents: Object.fromEntries(
      agents.values.map((agent) => [
        agent.name,
        {
          plan: agentPlan(agent.common, agent.settings, path.resolve(folder, agent.common.cwd)),
          prompts: promptsOf(agent, taken, rooms),
          ...(agent.settings === undefined ? {} : { settings: agent.settings })
        }
      ])
    ),
    limits: outline.limits,
    log: outline.log,
    warnings: Checks.warnings(outline, agents.values, secretVariables(sources.values))
  }
  return { plan, effective: effective(outline, sources.values, agents.values) } satisfies Loaded
})

/** Reads, checks and cross-checks the file (absolute), with the prompts it names. */
export const load = Effect.fn("Config.load")(function* (file: string, rooms: Rooms) {
  return yield* evaluate(yield* snapshot(file), rooms)
})
