/** Whatever happens to an item, in whatever order: nothing is lost, nothing is given twice, nothing ends on doubt. */
import { describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { Circumstances, Happening, Life } from "../life.ts"

const happenings = Arbitrary.array(Arbitrary.schema(Happening), { minLength: 1, maxLength: 60 })

describe("the life of an item", () => {
  it.effect.prop(
    "keeps every promise of its record at every step",
    { circumstances: Arbitrary.schema(Circumstances), happenings },
    ({ circumstances, happenings }) =>
      Effect.sync(() => {
        const life = new Life(circumstances)
        for (const happening of happenings) life.happens(happening)
        life.settle()
      }),
    { arbitrary: { runs: 700, size: 60 } }
  )
})
