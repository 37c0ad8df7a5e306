/** How an amount of bytes is written and read. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Size } from "../../src/config/Size.ts"

const decode = Schema.decodeUnknownResult(Size)
const encode = Schema.encodeSync(Size)

describe("a size", () => {
  it("is a number and a unit", () => {
    const read = ["100MB", "5GB", "500kB", "500KB", "64MiB", "1 GiB", "1.5MB", "12B", "0B"].map((text) =>
      Result.getOrElse(decode(text), () => -1)
    )
    assert.deepStrictEqual(read, [1e8, 5e9, 5e5, 5e5, 67_108_864, 1_073_741_824, 1_500_000, 12, 0])
  })

  it("is nothing else", () => {
    for (const value of ["", "100", "MB", "100M", "-1MB", "1e3B", "100 mb", 100, null]) {
      assert.isTrue(Result.isFailure(decode(value)), String(value))
    }
  })

  it.effect.prop("is written so that it reads back the same", { bytes: Schema.Int }, ({ bytes }) =>
    Effect.sync(() => {
      const whole = Math.abs(bytes) % 1_000_000
      assert.deepStrictEqual(decode(encode(whole)), Result.succeed(whole))
      assert.deepStrictEqual(decode(encode(whole * 1024)), Result.succeed(whole * 1024))
    })
  )
})
