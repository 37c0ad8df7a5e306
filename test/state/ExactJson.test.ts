import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ExactJson from "../../src/state/ExactJson.ts"

describe("ExactJson", () => {
  it("keeps long integers wherever they stand, and texts that look like them", () => {
    const long = "9007199254740993"
    for (const text of [
      `{\n  "a": ${long}\n}\n`,
      `{\n  "a": [\n    -${long},\n    ${long}0\n  ]\n}\n`,
      `{\n  "a": "${long}",\n  "b": "x\\": ${long}",\n  "c": ${long}\n}\n`,
      `{\n  "${long}": "\\u0000"\n}\n`
    ]) {
      const value = ExactJson.parse(text)
      assert.isTrue(ExactJson.isObject(value))
      if (ExactJson.isObject(value)) assert.strictEqual(ExactJson.render(value), text)
    }
    const fractions = "[1234567890123456,1.0000000000000001e20,0.1234567890123456789]"
    assert.deepStrictEqual(ExactJson.parse(fractions), JSON.parse(fractions))
  })

  it.effect.prop("any JSON is read as it was written", { value: Schema.Json }, ({ value }) =>
    Effect.sync(() => {
      const read = ExactJson.parse(ExactJson.render({ value }))
      assert.isTrue(ExactJson.isSame(read, JSON.parse(JSON.stringify({ value }))))
    })
  )

  it("sees what is the same and what is not", () => {
    const same: ReadonlyArray<readonly [unknown, unknown]> = [
      [
        { a: 1, b: [1, { c: null }] },
        { b: [1, { c: null }], a: 1 }
      ],
      [{ a: undefined }, {}],
      [[], []]
    ]
    for (const [one, other] of same) assert.isTrue(ExactJson.isSame(one, other))
    const different: ReadonlyArray<readonly [unknown, unknown]> = [
      [{ a: 1 }, { a: "1" }],
      [{ a: 1 }, { a: 1, b: 1 }],
      [{ a: 1, b: 1 }, { a: 1 }],
      [
        [1, 2],
        [2, 1]
      ],
      [[], {}],
      [{ a: null }, {}],
      [{ a: 1, b: undefined }, { b: 1 }]
    ]
    for (const [one, other] of different) assert.isFalse(ExactJson.isSame(one, other))
  })
})
