/**
 * Explain: what a schema found wrong with a value, as problems with a path and a mend. It never repeats a value.
 */
import type * as AST from "effect/SchemaAST"
import type * as Issue from "effect/SchemaIssue"
import type { Path } from "./Problem.ts"
import { suggestion } from "./Suggest.ts"
import type { Plain } from "./Yaml.ts"
import { isList, isMapping } from "./Yaml.ts"
import { looksSecret } from "../net/Secrets.ts"

/** A problem before its line is known. */
export interface Finding {
  readonly path: Path
  readonly message: string
}

const secretKey = /token|passw|secret|credential|api[-_]?key|private[-_]?key/iu

const noSecret =
  "a secret is never a value in this file; remove it, and name where it comes from: `auth: { env: NAME }` or `auth: { file: PATH }`"

/** The message for a key that nothing knows. */
export const unknownKey = (key: string, known: ReadonlyArray<string>): string =>
  secretKey.test(key) ? noSecret : `unknown key; ${suggestion(key, known)}`

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const keysOf = (ast: AST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** A value's type as it must be written: the type under a transformation. */
const written = (ast: AST.AST): AST.AST => {
  const first = ast.encoding?.at(-1)
  return first === undefined ? ast : written(first.to)
}

/** What an author said is expected: of the type itself, or by a check in words of its own. */
const statedOf = (ast: AST.AST): string | undefined =>
  text(ast.annotations?.["expected"]) ??
  (ast.checks ?? [])
    .map((check) => text(check.annotations?.["expected"]))
    .find((expected) => expected !== undefined && !/^a (?:value|string) /u.test(expected))

/** What a file would write at a place of this type. */
const wanted = (type: AST.AST): string => {
  const ast = written(type)
  const stated = statedOf(ast)
  if (stated !== undefined) return stated
  switch (ast._tag) {
    case "String":
      return "text"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Literal":
      return `${typeof ast.literal === "string" ? ast.literal : String(ast.literal)}`
    case "Arrays":
      return ast.rest[0] === undefined || ast.rest[0]._tag === "Unknown"
        ? "a list"
        : `a list of: ${wanted(ast.rest[0])}`
    case "Objects": {
      const keys = keysOf(ast)
      return keys.length === 0 ? "a mapping of names to values" : `a mapping such as { ${keys.join(", ")} }`
    }
    case "Union": {
      const alternatives = ast.types.map(written)
      if (alternatives.every(({ _tag }) => _tag === "Objects")) {
        return `one of: ${alternatives.map((member) => `{ ${keysOf(member).join(", ")} }`).join(", ")}`
      }
      const literal = alternatives.every(({ _tag }) => _tag === "Literal")
      return literal
        ? `one of: ${alternatives.map(wanted).join(", ")}`
        : alternatives.map(wanted).join(", or ")
    }
    default:
      return "another value"
  }
}

const lookUp = (value: Plain | undefined, path: ReadonlyArray<PropertyKey>): Plain | undefined => {
  let here: unknown = value
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined
    here = Reflect.get(here, step)
  }
  return isPlain(here) ? here : undefined
}
const isPlain = (value: unknown): value is Plain => value !== undefined && typeof value !== "function"

const isText = (type: AST.AST): boolean => {
  const ast = written(type)
  return ast._tag === "String" || (ast._tag === "Union" && ast.types.some(isText))
}

const wrongType = (ast: AST.AST, value: Plain | undefined): string => {
  const expected = `expected ${wanted(ast)}`
  if (value === null || value === undefined) return `nothing stands here; ${expected}, or remove the key`
  if (!isText(ast)) return expected
  if (typeof value === "boolean") return `${expected}, and YAML reads a boolean here: quote it`
  if (typeof value !== "number") return expected
  const needsUnit = statedOf(written(ast)) !== undefined
  return `${expected}, and YAML reads a number here: ${needsUnit ? "write it out, or quote it" : "quote it"}`
}

const steps = (path: ReadonlyArray<PropertyKey>): Path =>
  path.map((step) => (typeof step === "number" ? step : String(step)))

/** Everything a schema found, at paths below `base`; `value` is what it looked at. */
export const explain = (issue: Issue.Issue, value: Plain, base: Path): ReadonlyArray<Finding> => {
  const walk = (
    here: Issue.Issue,
    path: ReadonlyArray<PropertyKey>,
    parent: AST.AST | undefined
  ): ReadonlyArray<Finding> => {
    const say = (message: string): ReadonlyArray<Finding> => [{ path: [...base, ...steps(path)], message }]
    switch (here._tag) {
      case "Pointer":
        return walk(here.issue, [...path, ...here.path], parent)
      case "Encoding":
        return walk(here.issue, path, parent)
      case "Composite":
        return here.issues.flatMap((inner) => walk(inner, path, here.ast))
      case "Filter": {
        const expected = text(here.filter.annotations?.["expected"])
        if (here.issue._tag !== "InvalidValue") return walk(here.issue, path, parent)
        return say(text(here.issue.annotations?.["message"]) ?? `expected ${expected ?? "another value"}`)
      }
      case "MissingKey": {
        const key = String(path.at(-1))
        const stated = text(here.annotations?.["messageMissingKey"])
        if (stated !== undefined) return say(stated)
        const type =
          parent?._tag === "Objects"
            ? parent.propertySignatures.find(({ name }) => String(name) === key)?.type
            : undefined
        return say(`missing; write \`${key}:\` with ${type === undefined ? "a value" : wanted(type)}`)
      }
      case "UnexpectedKey": {
        const names = here.ast._tag === "Objects" ? here.ast.indexSignatures[0] : undefined
        if (names !== undefined) return say(`a bad name; expected ${wanted(names.parameter)}`)
        return say(unknownKey(String(path.at(-1)), keysOf(here.ast)))
      }
      case "InvalidType":
        return say(wrongType(here.ast, lookUp(value, path)))
      case "AnyOf": {
        const candidates = here.issues
          .map((inner) => walk(inner, path, here.ast))
          .sort((left, right) => left.length - right.length)
        const [best, second] = candidates
        const there = lookUp(value, path)
        const clear = best !== undefined && (second === undefined || second.length > best.length)
        const onlyMissing = best?.every(({ message }) => message.startsWith("missing; ")) ?? true
        if (best !== undefined && clear && !(onlyMissing && Object.keys(there ?? {}).length === 0))
          return best
        return say(wrongType(here.ast, there))
      }
      case "InvalidValue":
        return say(
          text(here.annotations?.["message"]) ??
            `expected ${parent === undefined ? "another value" : wanted(parent)}`
        )
      default:
        return say("expected another value")
    }
  }
  return walk(issue, [], undefined)
}

/** Keys whose value would be the secret itself. `env` has rules of its own, since its keys are anybody's names. */
const holdsSecret = (key: string, value: Plain): boolean =>
  /(?:token|passw(?:or)?d|secret|credentials?|(?:api|private)[-_]?key)$/iu.test(key) &&
  (typeof value === "string" || typeof value === "number")

/** Secrets anywhere in the file: text that looks like a token, and keys that would hold one. */
export const secretsIn = (value: Plain, path: Path = []): ReadonlyArray<Finding> => {
  if (typeof value === "string") {
    return looksSecret(value) ? [{ path, message: `this looks like a token, and ${noSecret}` }] : []
  }
  if (isList(value)) return value.flatMap((inner, index) => secretsIn(inner, [...path, index]))
  if (!isMapping(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...path, key]
    const found = secretsIn(inner, place)
    return found.length === 0 && path.at(-1) !== "env" && holdsSecret(key, inner)
      ? [{ path: place, message: noSecret }]
      : found
  })
}
