import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { basename, join, resolve } from "node:path"
import { Identity, Ref, slug } from "../../src/domain/Ref.ts"
import * as RecordFile from "../../src/state/RecordFile.ts"

/** The names that break slugs elsewhere (traps B100). */
const nasty = [
  "../../x",
  "////",
  "a/b#1",
  "a-b#1",
  "A/B#1",
  ".",
  "..",
  "CON",
  "nul.json",
  "x".repeat(300),
  "a\u0000b",
  "é#1",
  "e\u0301#1",
  "-rf",
  "$(touch)",
  "`x`"
]

const folder = "/state/items"
const isSafe = (name: string) => {
  const path = resolve(join(folder, RecordFile.nameOf(name)))
  assert.strictEqual(path, `${folder}/${basename(path)}`)
  assert.strictEqual(RecordFile.slugOf(basename(path)), name)
  assert.isBelow(basename(path).length, 100)
}

describe("slugs", () => {
  it("are distinct safe file names for the nastiest refs", () => {
    const names = nasty.map((text) => slug(Ref.make(`github:h/${text}`), Identity.make(`github:${text}`)))
    names.forEach(isSafe)
    assert.strictEqual(new Set(names.map((name) => name.toLowerCase().normalize())).size, nasty.length)
  })

  it.effect.prop(
    "are safe for any text, differ with the identity, and do not with the ref's readability",
    // No tracker names anything by half of a surrogate pair, and no file could hold it.
    { ref: Schema.NonEmptyString, one: Schema.NonEmptyString, other: Schema.NonEmptyString },
    ({ ref, one, other }) =>
      Effect.sync(() => {
        const named = (text: string) => `x${text.toWellFormed().replaceAll(/\s/gu, "_")}`
        const name = Ref.make(`github:${named(ref)}`)
        const [first, second] = [one, other].map((text) => Identity.make(`github:${named(text)}`))
        if (first === undefined || second === undefined) return
        isSafe(slug(name, first))
        assert.strictEqual(slug(name, first) === slug(name, second), first === second)
        assert.strictEqual(
          RecordFile.hashOf(slug(name, first)),
          RecordFile.hashOf(slug(Ref.make("a:b"), first))
        )
      })
  )
})
