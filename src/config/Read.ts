/**
 * Read: a file's values through the schemas, piece by piece, so that each source and agent answers to its own kind and
 * one bad piece hides nothing about the others.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { OnUnlabel } from "../domain/Policy.ts"
import type { SourceEntry } from "./Checks.ts"
import * as Checks from "./Checks.ts"
import type { Finding } from "./Explain.ts"
import { explain } from "./Explain.ts"
import type { Kinds } from "./Kinds.ts"
import type { Path } from "./Problem.ts"
import { agentSchema, CommonAgent, Outline, settingsSchema, sourceSchema } from "./Schema.ts"
import { suggestion } from "./Suggest.ts"
import type { Templates } from "./Templates.ts"
import type { Plain } from "./Yaml.ts"
import { isList, isMapping } from "./Yaml.ts"

/** What the loader is told of the rooms that it does not know. */
export interface Rooms {
  readonly kinds: Kinds
  readonly templates: Templates
}

const strict = { onExcessProperty: "error", errors: "all" } as const

interface Piece<A> {
  readonly value?: A
  readonly findings: ReadonlyArray<Finding>
}

const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  value: Plain,
  base: Path
): Piece<S["Type"]> =>
  Result.match(Schema.decodeUnknownResult(schema, strict)(value), {
    onSuccess: (decoded): Piece<S["Type"]> => ({ value: decoded, findings: [] }),
    onFailure: ({ issue }) => ({ findings: explain(issue, value, base) })
  })

/** A value without what a finding points at: the rest of it can still be cross-checked. */
const without = (value: Plain, path: Path): Plain => {
  const [step, ...below] = path
  if (!isMapping(value) || typeof step !== "string") return value
  const inner = value[step]
  const drop = below.length === 0 || !isMapping(inner)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, kept]) =>
      key !== step ? [[key, kept]] : drop ? [] : [[key, without(kept, below)]]
    )
  )
}

/** The value, or what it would be without its wrong parts. */
const salvage = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  value: Plain
): S["Type"] | undefined => {
  const first = decode(schema, value, [])
  if (first.value !== undefined) return first.value
  return decode(
    schema,
    first.findings.reduce((rest, { path }) => without(rest, path), value),
    []
  ).value
}

/** A value that a schema encoded, as the JSON that it is. */
export const json = Schema.decodeUnknownSync(Schema.Json)

type Mapping = { readonly [key: string]: Plain }

/** The common keys; `sources` and `agents` also when something else is wrong, to be read on. */
export const readOutline = (value: Plain) => {
  const { value: outline, findings } = decode(Outline, value, [])
  const sources = isMapping(value) ? value["sources"] : undefined
  const agents = isMapping(value) ? value["agents"] : undefined
  const access = isMapping(value) ? value["access"] : undefined
  return {
    outline,
    findings,
    users: isMapping(access) ? access["users"] : undefined,
    sources: isList(sources) ? sources : [],
    agents: isMapping(agents) ? agents : undefined
  }
}

/** One entry of `sources`, decoded. */
export interface Source extends SourceEntry {
  readonly onUnlabel: OnUnlabel
  readonly settings: Schema.Json
  readonly effective: Schema.Json
}

/** One entry of `agents`, decoded. */
export interface Agent {
  readonly name: string
  readonly common: CommonAgent
  readonly settings: Schema.Json | undefined
  readonly effective: Schema.Json
}

interface Pieces<A> {
  readonly values: ReadonlyArray<A>
  readonly findings: ReadonlyArray<Finding>
}

const gather = <A>(pieces: ReadonlyArray<Piece<A>>): Pieces<A> => ({
  values: pieces.flatMap(({ value }) => (value === undefined ? [] : [value])),
  findings: pieces.flatMap(({ findings }) => findings)
})

/** The kind that an entry names, or what to say of a name that is none. */
const kindOf = <K extends { readonly name: string }>(
  entry: Plain,
  key: "provider" | "sink",
  kinds: ReadonlyArray<K>,
  notYet: ReadonlyArray<string>,
  base: Path
): { readonly kind: K; readonly entry: Mapping } | Finding => {
  const names = kinds.map(({ name }) => name)
  if (!isMapping(entry)) {
    return { path: base, message: `expected a mapping; write \`${key}: ${names[0] ?? "NAME"}\` and its keys` }
  }
  const path = [...base, key]
  const named = entry[key]
  if (named === undefined)
    return { path, message: `missing; write \`${key}:\` with one of: ${names.join(", ")}` }
  const kind = kinds.find(({ name }) => name === named)
  if (kind !== undefined) return { kind, entry }
  if (typeof named !== "string") return { path, message: `expected one of: ${names.join(", ")}` }
  if (notYet.includes(named)) {
    return { path, message: `not yet: the ${key} ${named}; write one of: ${names.join(", ")}` }
  }
  return { path, message: `unknown ${key}; ${suggestion(named, names)}` }
}

const encoded = (schema: Schema.ConstraintEncoder<unknown>, value: unknown): Schema.Json =>
  json(Schema.encodeUnknownSync(schema)(value))

const pick = (entry: Mapping, keys: ReadonlyArray<string>): Mapping =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => keys.includes(key)))

const readSource =
  (kinds: Kinds) =>
  (entry: Plain, index: number): Piece<Source> => {
    const base = ["sources", index]
    const found = kindOf(entry, "provider", kinds.providers, kinds.notYet.providers, base)
    if ("message" in found) return { findings: [found] }
    const { kind } = found
    const whole = decode(sourceSchema(kind), found.entry, base)
    const own = decode(settingsSchema(kind), pick(found.entry, Object.keys(kind.fields)), base)
    if (whole.value === undefined || own.value === undefined) return { findings: whole.findings }
    const settings = json(own.value)
    return {
      value: {
        index,
        provider: kind.name,
        name: whole.value.name,
        onUnlabel: whole.value.onUnlabel,
        settings,
        effective: encoded(sourceSchema(kind), whole.value)
      },
      findings: kind.check(settings).map(({ path, message }) => ({ path: [...base, ...path], message }))
    }
  }

/** The entries of `sources`, each by its provider's schema and checks. */
export const readSources = (entries: ReadonlyArray<Plain>, kinds: Kinds): Pieces<Source> =>
  gather(entries.map(readSource(kinds)))

const readAgent = (name: string, entry: Plain, kinds: Kinds): Piece<Agent> => {
  const base = ["agents", name]
  const found = kindOf(entry, "sink", kinds.sinks, kinds.notYet.sinks, base)
  if ("message" in found) return { findings: [found] }
  const { kind } = found
  const own = Object.keys(kind.fields)
  const whole = decode(agentSchema(kind), found.entry, base)
  const common = salvage(CommonAgent, pick(found.entry, Object.keys(CommonAgent.fields)))
  const findings = [
    ...whole.findings,
    ...(common === undefined ? [] : Checks.agent(name, common, kind, Object.keys(found.entry)))
  ]
  if (whole.value === undefined || common === undefined) return { findings }
  const settings = decode(Schema.Struct(kind.fields), pick(found.entry, own), base)
  return {
    value: {
      name,
      common,
      settings: own.length === 0 || settings.value === undefined ? undefined : json(settings.value),
      effective: encoded(agentSchema(kind), whole.value)
    },
    findings
  }
}

/** The entries of `agents`, each by its sink's schema. */
export const readAgents = (entries: Mapping | undefined, kinds: Kinds): Pieces<Agent> =>
  gather(Object.entries(entries ?? {}).map(([name, entry]) => readAgent(name, entry, kinds)))

/** The variables that sources take their tokens from. */
export const secretVariables = (sources: ReadonlyArray<Source>): ReadonlyArray<string> =>
  sources.flatMap(({ settings }) => {
    const auth = isObject(settings) ? settings["auth"] : undefined
    const named = isObject(auth) ? auth["env"] : undefined
    return typeof named === "string" ? [named] : []
  })

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
