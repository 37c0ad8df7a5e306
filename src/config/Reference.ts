/**
 * Reference: every key of a configuration as a page for people, made from the JSON Schema so that it cannot disagree
 * with what is accepted.
 */
import type * as Schema from "effect/Schema"

/** One key: where it stands, what it holds, and what it means. */
export interface Row {
  /** `polling.interval`, `sources[].auth.env`, `agents.NAME.cwd`. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly fallback: Schema.Json | undefined
  readonly description: string
  /** Where the key belongs to one kind alone: `provider: github`. */
  readonly only: string | undefined
}

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isList = (value: Schema.Json | undefined): value is Schema.JsonArray => Array.isArray(value)
const objects = (value: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> =>
  isList(value) ? value.filter(isObject) : []
const text = (value: Schema.Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined

/** A node with what its further checks (`allOf`) say of it, descriptions and defaults among it. */
const whole = (node: Schema.JsonObject): Schema.JsonObject =>
  Object.assign({}, node, ...objects(node["allOf"]))

const typeText = (node: Schema.JsonObject): string => {
  const values = isList(node["enum"]) ? node["enum"].map((value) => `\`${String(value)}\``) : []
  if (values.length > 0) return values.join(", ")
  const members = objects(node["anyOf"])
  if (members.length > 0 && members.every((member) => isObject(member["properties"]))) {
    return `one of ${members.map((member) => `\`{ ${Object.keys(member["properties"] ?? {}).join(", ")} }\``).join(", ")}`
  }
  if (members.length > 0) return [...new Set(members.map(typeText))].join(" or ")
  const type = text(node["title"]) ?? text(node["type"])
  const items = node["items"]
  switch (type) {
    case "array":
      return isObject(items) ? `list of ${typeText(items)}` : "list"
    case "object":
      return "mapping"
    case "string":
      return "text"
    case "integer":
      return "whole number"
    case "boolean":
      return "`true` or `false`"
    default:
      return type ?? "any"
  }
}

/** The key whose single value tells one member of a union from the others, as `provider: github`. */
const discriminator = (node: Schema.JsonObject): string | undefined => {
  const properties = isObject(node["properties"]) ? node["properties"] : {}
  for (const key of ["provider", "sink"]) {
    const property = properties[key]
    if (!isObject(property) || !isList(property["enum"]) || property["enum"].length !== 1) continue
    return `${key}: ${String(property["enum"][0])}`
  }
  return undefined
}

/** The schema of a mapping's values where its keys are anybody's names. */
const named = (node: Schema.JsonObject): Schema.Json | undefined =>
  isObject(node["patternProperties"])
    ? Object.values(node["patternProperties"])[0]
    : node["additionalProperties"]

const below = (node: Schema.JsonObject, path: string, only: string | undefined): ReadonlyArray<Row> => {
  const members = objects(node["anyOf"])
  if (members.length > 0) {
    return members.flatMap((member) => {
      const kind = discriminator(member)
      const keys = below(member, path, kind ?? only)
      // In one of several shapes a key is needed only if that shape is chosen.
      return kind === undefined ? keys.map((row) => ({ ...row, required: false })) : keys
    })
  }
  const { items, properties } = node
  const values = named(node)
  if (isObject(items)) return below(items, `${path}[]`, only)
  if (isObject(values)) return below(values, `${path}.NAME`, only)
  if (!isObject(properties)) return []
  const needed = isList(node["required"]) ? node["required"] : []
  return Object.entries(properties).flatMap(([key, value]) => {
    if (!isObject(value)) return []
    const property = whole(value)
    const place = path === "" ? key : `${path}.${key}`
    const row: Row = {
      path: place,
      type: typeText(property),
      required: needed.includes(key),
      fallback: property["default"],
      description: text(property["description"]) ?? "",
      only
    }
    return [row, ...below(property, place, only)]
  })
}

/** All keys of a JSON Schema, in its order; what several kinds have in common stands once. */
export const rows = (schema: Schema.JsonObject): ReadonlyArray<Row> => {
  const all = below(schema, "", undefined)
  const kinds = new Map<string, Set<string>>()
  for (const { path, only } of all) {
    const root = path.split(/[.[]/u)[0] ?? ""
    if (only !== undefined) kinds.set(root, (kinds.get(root) ?? new Set()).add(only))
  }
  const merged = new Map<string, Row>()
  for (const row of all) {
    const root = row.path.split(/[.[]/u)[0] ?? ""
    const sharing = all.filter(({ path, only }) => path === row.path && only !== undefined)
    const common = new Set(sharing.map(({ only }) => only)).size === (kinds.get(root)?.size ?? 0)
    const former = merged.get(row.path)
    const type = former === undefined || former.type === row.type ? row.type : `${former.type}, ${row.type}`
    merged.set(row.path, { ...row, type, only: common ? undefined : row.only })
  }
  return [...merged.values()]
}

const cell = (value: string) => value.replaceAll("|", "\\|")

const fallbackText = ({ fallback, required }: Row): string => {
  if (required) return "needed"
  if (fallback === undefined || (isObject(fallback) && Object.keys(fallback).length === 0)) return ""
  return `\`${typeof fallback === "string" ? fallback : JSON.stringify(fallback).replaceAll(",", ", ")}\``
}

const table = (list: ReadonlyArray<Row>): ReadonlyArray<string> => [
  "| Key | Holds | Default | |",
  "| --- | --- | --- | --- |",
  ...list.map((row) => {
    const note = row.only === undefined ? "" : ` Only with \`${row.only}\`.`
    return `| \`${row.path}\` | ${cell(row.type)} | ${cell(fallbackText(row))} | ${cell(row.description + note).trim()} |`
  })
]

/** The page: `introduction`, then one section for each of the file's own keys. */
export const referenceText = (schema: Schema.JsonObject, introduction: string): string => {
  const all = rows(schema)
  const sections = all
    .filter(({ path }) => /^\w+$/u.test(path))
    .flatMap((top) => {
      const inner = all.filter(
        ({ path }) => path.startsWith(`${top.path}.`) || path.startsWith(`${top.path}[`)
      )
      return [`## ${top.path}`, "", top.description, "", ...table(inner.length === 0 ? [top] : inner), ""]
    })
  return [introduction.trim(), "", ...sections].join("\n")
}
