/** How a span of time is written and read. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Duration, durationText, parseDuration } from "../../src/domain/Duration.ts"

const decode = Schema.decodeUnknownResult(Duration)
const encode = Schema.encodeSync(Duration)

describe("a duration", () => {
  it("is a number and a unit, or words", () => {
    const read = [
      "500ms",
      "60s",
      "15m",
      "2h",
      "30d",
      "60 seconds",
      "1 minute",
      "1.5h",
      "2 hours",
      "1 day",
      "0s"
    ]
    assert.deepStrictEqual(
      read.map(parseDuration),
      [500, 60_000, 900_000, 7_200_000, 2_592_000_000, 60_000, 60_000, 5_400_000, 7_200_000, 86_400_000, 0]
    )
  })

  it("is nothing else", () => {
    const refused = [
      "",
      "60",
      "s",
      "60 S",
      "1h30m",
      "-1s",
      "1e3s",
      "60  s",
      " 60s",
      "60s ",
      "1w",
      "١s",
      "1.s",
      "99999d",
      "1 hour ago"
    ]
    assert.deepStrictEqual(
      refused.map(parseDuration),
      refused.map(() => undefined)
    )
    for (const value of refused) {
      const result = decode(value)
      if (Result.isSuccess(result)) assert.fail(value)
      assert.match(result.failure.message, /a number and a unit, such as|too long; write at most 3650d/u)
    }
  })

  it("is no bare number, since nobody knows its unit", () => {
    for (const value of [60, null, true]) assert.isTrue(Result.isFailure(decode(value)))
  })

  it.effect.prop("is written so that it reads back the same", { millis: Schema.Int }, ({ millis }) =>
    Effect.sync(() => {
      const whole = Math.abs(millis) % (3650 * 86_400_000)
      assert.strictEqual(parseDuration(encode(whole)), whole)
      assert.strictEqual(encode(whole), durationText(whole))
    })
  )
})
