/**
 * Yaml: the text of a configuration as plain values with the line of each. Everything that a YAML file can do to a
 * program is bounded or refused here, before any schema sees a value (traps B91 to B93).
 */
import * as Yaml from "yaml"
import type { Path, Problem } from "./Problem.ts"
import { capped, pathText } from "./Problem.ts"

/** The most a configuration file may hold, in bytes. */
export const sizeLimit = 131_072
const depthLimit = 24
const nodeLimit = 20_000
const aliasLimit = 100

/** A value and its line: of its key inside a mapping, of its own first character elsewhere. */
export type Tree = { readonly line: number } & (
  | { readonly _tag: "Scalar"; readonly value: string | number | boolean | null }
  | { readonly _tag: "List"; readonly items: ReadonlyArray<Tree> }
  | { readonly _tag: "Mapping"; readonly entries: ReadonlyMap<string, Tree> }
)

/** What a file says: a tree, or why it is none. */
export type Parsed =
  | { readonly _tag: "Tree"; readonly tree: Tree }
  | { readonly _tag: "Broken"; readonly problems: ReadonlyArray<Problem> }

const mends: { readonly [code in Yaml.ErrorCode]?: string } = {
  TAB_AS_INDENT: "a tab is no indentation in YAML; use spaces",
  BAD_INDENT: "the indentation fits nothing above, or a bracket is not closed; line it up or close it",
  MISSING_CHAR: "a quote, bracket or comma is missing; close what was opened above",
  BLOCK_AS_IMPLICIT_KEY: "a second ': ' in one line; quote the value, or move it to a line of its own",
  MULTILINE_IMPLICIT_KEY: "a key over several lines; put `: ` behind it, or quote the value above",
  MULTIPLE_DOCS: "a second document begins here; keep one and remove the `---`",
  BAD_SCALAR_START: "this character cannot begin a plain value; quote it",
  BAD_DQ_ESCAPE: "an unknown escape in double quotes; use single quotes",
  NON_STRING_KEY: "a key must be text; quote it",
  RESOURCE_EXHAUSTION: "nested too deeply; flatten it"
}

/** Says nothing of the text itself: the library's own messages quote it, and it may be a secret. */
const syntaxProblem = (error: Yaml.YAMLError, lines: Yaml.LineCounter): Problem => ({
  path: "",
  line: Math.max(1, lines.linePos(error.pos[0]).line),
  message: mends[error.code] ?? "no YAML 1.2 from here on; check indentation, colons, brackets and quotes"
})

/** The depth of a token tree, counted without recursion, up to the limit. */
const tooDeep = (tokens: ReadonlyArray<Yaml.CST.Token>): number | undefined => {
  const open: Array<readonly [token: Yaml.CST.Token, depth: number]> = tokens.map((token) => [token, 0])
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [token, depth] = next
    if (depth > depthLimit) return token.type === "document" ? 0 : token.offset
    if (token.type === "document") {
      if (token.value !== undefined) open.push([token.value, depth])
    } else if ("items" in token) {
      for (const { key, value } of token.items) {
        if (key !== undefined && key !== null) open.push([key, depth + 1])
        if (value !== undefined) open.push([value, depth + 1])
      }
    }
  }
  return undefined
}

const forbidden = new Set(["__proto__", "constructor", "prototype"])
const plainTags = new Set(
  ["map", "seq", "str", "int", "float", "bool", "null"].map((name) => `tag:yaml.org,2002:${name}`)
)

/** A walk that met a limit: nothing after it is looked at. */
class Bound extends Error {}

/** One pass over a composed document: values out, problems aside, aliases expanded within a budget. */
class Walk {
  readonly problems: Array<Problem> = []
  readonly #anchors = new Map<string, Yaml.Node>()
  readonly #lines: Yaml.LineCounter
  #nodes = 0
  #aliases = 0

  constructor(lines: Yaml.LineCounter) {
    this.#lines = lines
  }

  #line(node: unknown, otherwise: number): number {
    return Yaml.isNode(node) && node.range ? this.#lines.linePos(node.range[0]).line : otherwise
  }

  #say(path: Path, line: number, message: string): void {
    this.problems.push({ path: pathText(path), line, message })
  }

  #stop(path: Path, line: number, message: string): never {
    this.#say(path, line, message)
    throw new Bound()
  }

  /** A key as a step of a path, and whether it may stand. */
  #key(node: unknown, path: Path, line: number): { readonly step: string; readonly good: boolean } {
    const value = Yaml.isScalar(node) ? node.value : undefined
    const step = Yaml.isScalar(node) ? String(value) : "?"
    const refusal =
      typeof value !== "string"
        ? "this key is no text to YAML; quote it"
        : forbidden.has(value)
          ? "no configuration has such a key; remove it"
          : value === "<<"
            ? "YAML 1.2 has no merge keys; write the keys out"
            : undefined
    if (refusal !== undefined) this.#say([...path, step], line, refusal)
    return { step, good: refusal === undefined }
  }

  tree(node: unknown, path: Path, line: number): Tree {
    this.#nodes += 1
    if (this.#nodes > nodeLimit) {
      this.#stop(path, line, `more than ${nodeLimit} values once its aliases are written out; remove aliases`)
    }
    if (path.length > depthLimit) {
      this.#stop(
        path,
        line,
        `nested deeper than ${depthLimit} levels; flatten it, or remove an alias to itself`
      )
    }
    if (Yaml.isAlias(node)) {
      this.#aliases += 1
      if (this.#aliases > aliasLimit)
        this.#stop(path, line, `more than ${aliasLimit} aliases; write the values out`)
      const target = this.#anchors.get(node.source)
      if (target !== undefined) return this.tree(target, path, line)
      this.#say(path, line, "this alias names no anchor above it; write the value out")
      return { _tag: "Scalar", line, value: null }
    }
    if (Yaml.isNode(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
      if (node.tag !== undefined && !plainTags.has(node.tag)) {
        this.#say(path, line, "a YAML tag means nothing here; remove it")
      }
    }
    if (Yaml.isMap(node)) {
      const entries = new Map<string, Tree>()
      for (const pair of node.items) {
        const keyLine = this.#line(pair.key, line)
        const key = this.#key(pair.key, path, keyLine)
        const value = this.tree(pair.value, [...path, key.step], keyLine)
        const first = entries.get(key.step)
        if (first !== undefined) {
          this.#say(
            [...path, key.step],
            keyLine,
            `this key stands in line ${first.line} too; remove one of them`
          )
        } else if (key.good) entries.set(key.step, value)
      }
      return { _tag: "Mapping", line, entries }
    }
    if (Yaml.isSeq(node)) {
      const items = node.items.map((item, index) => this.tree(item, [...path, index], this.#line(item, line)))
      return { _tag: "List", line, items }
    }
    const value = Yaml.isScalar(node) ? node.value : null
    if (typeof value === "string" || typeof value === "boolean" || value === null) {
      return { _tag: "Scalar", line, value }
    }
    if (typeof value === "number" && Number.isFinite(value)) return { _tag: "Scalar", line, value }
    this.#say(path, line, "no value that a configuration can hold; quote it")
    return { _tag: "Scalar", line, value: null }
  }
}

const broken = (problems: ReadonlyArray<Problem>): Parsed => ({ _tag: "Broken", problems: capped(problems) })
const brokenAt = (line: number, message: string): Parsed => broken([{ path: "", line, message }])

/** Reads a configuration's text: YAML 1.2 core, one document, a mapping, within the limits. */
export const parse = (text: string): Parsed => {
  if (text.length > sizeLimit) return brokenAt(1, `larger than ${sizeLimit} bytes; shorten it`)
  const lines = new Yaml.LineCounter()
  const tokens = [...new Yaml.Parser(lines.addNewLine).parse(text)]
  const deep = tooDeep(tokens)
  if (deep !== undefined) {
    return brokenAt(lines.linePos(deep).line, `nested deeper than ${depthLimit} levels; flatten it`)
  }
  const composer = new Yaml.Composer({
    version: "1.2",
    schema: "core",
    merge: false,
    // The library compares every key with every other; the walk counts them once.
    uniqueKeys: false,
    prettyErrors: false
  })
  const [document, second] = [...composer.compose(tokens, true, text.length)]
  if (document === undefined) return brokenAt(1, "the file is empty; write sources, access and agents")
  const declared = document.directives.yaml
  if (declared.explicit === true && declared.version !== "1.2") {
    return brokenAt(1, "heed reads YAML 1.2, where words such as `no` are text; remove the %YAML line")
  }
  const complaints = [...document.errors, ...document.warnings]
  if (second !== undefined) {
    return brokenAt(
      lines.linePos(second.range[0]).line,
      mends.MULTIPLE_DOCS ?? "a second document; remove it"
    )
  }
  if (complaints.length > 0) {
    // What a syntax error drags behind it on the same line is noise.
    const seen = new Set<number>()
    return broken(
      complaints
        .map((error) => syntaxProblem(error, lines))
        .filter(({ line }) => line === undefined || (!seen.has(line) && seen.add(line) !== undefined))
    )
  }
  if (document.contents === null) return brokenAt(1, "the file is empty; write sources, access and agents")
  const walk = new Walk(lines)
  try {
    const tree = walk.tree(document.contents, [], 1)
    if (walk.problems.length > 0) return broken(walk.problems)
    if (tree._tag === "Scalar" && tree.value === null) {
      return brokenAt(1, "the file is empty; write sources, access and agents")
    }
    if (tree._tag !== "Mapping") {
      return brokenAt(tree.line, "not a mapping; write keys such as `sources:` at its beginning")
    }
    return { _tag: "Tree", tree }
  } catch (defect) {
    if (defect instanceof Bound) return broken(walk.problems)
    throw defect
  }
}

/** A value without lines: objects without a prototype, arrays, scalars. */
export type Plain =
  string | number | boolean | null | ReadonlyArray<Plain> | { readonly [key: string]: Plain }

export const isMapping = (value: Plain | undefined): value is { readonly [key: string]: Plain } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: Plain | undefined): value is ReadonlyArray<Plain> => Array.isArray(value)

/** A tree without its lines. */
export const plain = (tree: Tree): Plain => {
  if (tree._tag === "Scalar") return tree.value
  if (tree._tag === "List") return tree.items.map(plain)
  const object: { [key: string]: Plain } = Object.create(null)
  for (const [key, value] of tree.entries) object[key] = plain(value)
  return object
}

/** What stands at a path, or undefined. */
export const at = (tree: Tree, path: Path): Tree | undefined => {
  let here: Tree | undefined = tree
  for (const step of path) {
    if (here === undefined) return undefined
    if (here._tag === "Mapping" && typeof step === "string") here = here.entries.get(step)
    else if (here._tag === "List" && typeof step === "number") here = here.items[step]
    else return undefined
  }
  return here
}

/** The line to name for a path: its own, or that of the nearest place above it that the file has. */
export const lineOf = (tree: Tree, path: Path): number | undefined => {
  for (let length = path.length; length > 0; length -= 1) {
    const place = at(tree, path.slice(0, length))
    if (place !== undefined) return place.line
  }
  return undefined
}
