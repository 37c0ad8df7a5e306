/** What a YAML file can do to a program, and does not do to heed (traps B91 to B93). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { at, lineOf, parse, plain } from "../../src/config/Yaml.ts"

const problems = (text: string): ReadonlyArray<string> => {
  const parsed = parse(text)
  return parsed._tag === "Broken"
    ? parsed.problems.map(({ path, line, message }) => `${line ?? "-"} ${path}: ${message}`)
    : []
}

const noKey = "no configuration has such a key; remove it"
const notText = "this key is no text to YAML; quote it"
const noYaml = "no YAML 1.2 from here on; check indentation, colons, brackets and quotes"
const empty = "1 : the file is empty; write sources, access and agents"
const twoColons = "a second ': ' in one line; quote the value, or move it to a line of its own"

const table: ReadonlyArray<readonly [name: string, text: string, said: ReadonlyArray<string>]> = [
  ["nothing", "", [empty]],
  ["only a comment", "# later\n", [empty]],
  ["null", "~\n", [empty]],
  ["a list", "- a\n", ["1 : not a mapping; write keys such as `sources:` at its beginning"]],
  ["a tab", "a:\n\tb: 1\n", ["2 : a tab is no indentation in YAML; use spaces"]],
  [
    "a key twice",
    "users: 1\nother: 2\nusers: 3\n",
    ["3 users: this key stands in line 1 too; remove one of them"]
  ],
  [
    "a key twice, deep down",
    "a: { b: { c: 1, c: 2 } }",
    ["1 a.b.c: this key stands in line 1 too; remove one of them"]
  ],
  [
    "%YAML 1.1",
    "%YAML 1.1\n---\na: no\n",
    ["1 : heed reads YAML 1.2, where words such as `no` are text; remove the %YAML line"]
  ],
  [
    "two documents",
    "a: 1\n---\nb: 2\n",
    ["2 : a second document begins here; keep one and remove the `---`"]
  ],
  [
    "a merge key",
    "a: &a { x: 1 }\nb:\n  <<: *a\n",
    [`3 b["<<"]: YAML 1.2 has no merge keys; write the keys out`]
  ],
  [
    "a prototype through a merge key (B92)",
    "<<: { __proto__: { dryRun: true } }\n",
    [`1 ["<<"]: YAML 1.2 has no merge keys; write the keys out`, `1 ["<<"].__proto__: ${noKey}`]
  ],
  [
    "prototypes at any depth",
    "a:\n  - constructor: 1\n  - b: { prototype: 2 }\n__proto__: 3\n",
    [`2 a[0].constructor: ${noKey}`, `3 a[1].b.prototype: ${noKey}`, `4 __proto__: ${noKey}`]
  ],
  [
    "keys that are no text",
    "1: x\ntrue: y\n? [a]\n: z\n",
    [`1 1: ${notText}`, `2 true: ${notText}`, `3 ["?"]: ${notText}`]
  ],
  [
    "a tag",
    "a: !!binary aGk=\n",
    ["1 a: a YAML tag means nothing here; remove it", "1 a: no value that a configuration can hold; quote it"]
  ],
  ["a tag of somebody's own", "a: !run x\n", [`1 : ${noYaml}`]],
  [
    "no number",
    "a: .nan\nb: .inf\n",
    [
      "1 a: no value that a configuration can hold; quote it",
      "2 b: no value that a configuration can hold; quote it"
    ]
  ],
  ["an alias to nothing", "a: *nope\n", ["1 a: this alias names no anchor above it; write the value out"]],
  [
    "an alias to itself",
    "a: &x { b: *x }\n",
    [`1 a${".b".repeat(24)}: nested deeper than 24 levels; flatten it, or remove an alias to itself`]
  ],
  ["two colons", "a: b: c\n", [`1 : ${twoColons}`]],
  [
    "an open bracket",
    "a: [1\nb: 2\n",
    ["2 : the indentation fits nothing above, or a bracket is not closed; line it up or close it"]
  ],
  ["an open quote", "a: 'x\n", ["2 : a quote, bracket or comma is missing; close what was opened above"]],
  ["a value with @", "a: @bob\n", ["1 : this character cannot begin a plain value; quote it"]]
]

/** Twenty levels of which each holds the former twice, three hundred bytes in all. */
const bomb = (aliases: (level: number) => string) =>
  Array.from(
    { length: 20 },
    (_, level) => `a${level}: &a${level} ${level === 0 ? "[x, x]" : aliases(level - 1)}`
  ).join("\n")

describe("a YAML file", () => {
  for (const [name, text, said] of table)
    it(`with ${name}`, () => assert.deepStrictEqual(problems(text), said))

  it("keeps what YAML 1.1 would turn into something else (B91)", () => {
    const parsed = parse("on: y\nno: NO\na: 12:30\nb: 0o7\nc: 010\nd: 1_000\ne: <<\n")
    if (parsed._tag === "Broken") assert.fail(JSON.stringify(parsed.problems))
    assert.deepStrictEqual(
      { ...Object(plain(parsed.tree)) },
      { on: "y", no: "NO", a: "12:30", b: 7, c: 10, d: "1_000", e: "<<" }
    )
  })

  it("leaves every prototype alone", () => {
    problems("a: { __proto__: { dryRun: true } }")
    assert.isUndefined(Reflect.get({}, "dryRun"))
    const parsed = parse("a: { b: 1 }")
    assert.isNull(parsed._tag === "Tree" ? Object.getPrototypeOf(plain(parsed.tree)) : undefined)
  })

  it("knows the line of every place, or of the nearest above", () => {
    const parsed = parse("a:\n  - x\n  - y: 1\n    z:\n      deep\nb: &b\n  c: 1\nd: *b\n")
    if (parsed._tag === "Broken") assert.fail("broken")
    const line = (...path: ReadonlyArray<string | number>) => lineOf(parsed.tree, path)
    assert.deepStrictEqual(
      [line("a"), line("a", 0), line("a", 1), line("a", 1, "z"), line("a", 1, "q"), line("d"), line("e")],
      [1, 2, 3, 4, 3, 8, undefined]
    )
    assert.isUndefined(at(parsed.tree, ["a", "y"]))
  })

  it("with an alias bomb costs next to nothing (B93)", () => {
    problems("a: 1")
    const before = process.memoryUsage().rss
    const began = performance.now()
    const flow = problems(bomb((level) => `[*a${level}, *a${level}]`))
    const wide = problems(bomb((level) => `{ p: *a${level}, q: *a${level} }`))
    const took = performance.now() - began
    assert.match(flow[0] ?? "", /more than 100 aliases; write the values out/u)
    assert.match(wide[0] ?? "", /more than 100 aliases; write the values out/u)
    assert.isBelow(took, 2000)
    assert.isBelow(process.memoryUsage().rss - before, 64_000_000)
  })

  it("with few aliases to much is bounded by what they would hold", () => {
    const many = `[${"x, ".repeat(900)}x]`
    const text = `a: &a ${many}\nb: [${"*a, ".repeat(29)}*a]\n`
    assert.deepStrictEqual(
      problems(text).map((line) => line.replace(/^.*: /u, "")),
      ["more than 20000 values once its aliases are written out; remove aliases"]
    )
  })

  it("nested five thousand levels is refused, whatever it is nested in (B93)", () => {
    const open = ["[", "{a: ", "- ", "? "].map((text) => text.repeat(5000))
    for (const nest of [...open, `a: ${"[".repeat(5000)}`, `a: ${"[".repeat(5000)}${"]".repeat(5000)}`]) {
      assert.deepStrictEqual(problems(nest).length, 1, nest.slice(0, 10))
      assert.match(problems(nest)[0] ?? "", /nested deeper than 24 levels; flatten it/u)
    }
  })

  it("with more mistakes than anybody reads says the first hundred", () => {
    const said = problems("a: 1\n".repeat(5000))
    assert.strictEqual(said.length, 101)
    assert.strictEqual(said.at(-1), "- : 4899 more problems; mend these first, then check again")
  })

  it.effect.prop(
    "of any text is a tree or problems, each with a message that quotes nothing",
    {
      text: Schema.String
    },
    ({ text }) =>
      Effect.sync(() => {
        const secret = "s3cr3t"
        for (const whole of [
          text,
          `a: ${secret} ${text}`,
          `${text}: [${secret}`,
          `- ${secret}\n${text}: {`
        ]) {
          const said = problems(whole)
          for (const line of said) assert.notInclude(line.replace(/^\S+ .*?: /u, ""), secret)
        }
      })
  )
})
