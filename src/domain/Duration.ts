/**
 * Duration: how a configuration and a command line write a span of time, `60s`, and what the rest of heed works with,
 * milliseconds.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"

const units: ReadonlyArray<readonly [unit: string, millis: number, words: string]> = [
  ["d", 86_400_000, "days?"],
  ["h", 3_600_000, "hours?"],
  ["m", 60_000, "minutes?"],
  ["s", 1000, "seconds?"],
  ["ms", 1, "milliseconds?|millis"]
]

const pattern = new RegExp(
  `^(\\d{1,12}(?:\\.\\d{1,3})?) ?(${units.map(([unit, , words]) => `${unit}|${words}`).join("|")})$`,
  "u"
)

/** Ten years: beyond this a duration is a slip of the pen. */
const longest = 3650 * 86_400_000

const expected = "a duration: a number and a unit, such as 500ms, 60s, 15m, 2h, 30d or 60 seconds"

/** Milliseconds of `500ms`, `60s`, `15m`, `2h`, `30d`, `60 seconds`; undefined for anything else. */
export const parseDuration = (text: string): number | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, amount = "", written = ""] = match
  const factor = units.find(
    ([unit, , words]) => unit === written || new RegExp(`^(?:${words})$`, "u").test(written)
  )
  const millis = Math.round(Number(amount) * (factor?.[1] ?? Number.NaN))
  return millis <= longest ? millis : undefined
}

/** The shortest way to write whole milliseconds: `90s`, `15m`, `0s`. */
export const durationText = (millis: number): string => {
  const unit = units.find(([, factor]) => millis >= factor && millis % factor === 0)
  return unit === undefined ? (millis === 0 ? "0s" : `${millis}ms`) : `${millis / unit[1]}${unit[0]}`
}

/** A written duration; decodes to milliseconds. A bare number is refused, since nobody knows its unit. */
export const Duration = Schema.String.pipe(
  Schema.annotate({ expected, title: "duration" }),
  Schema.check(Schema.isPattern(pattern, { expected })),
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transformEffect((text: string) => {
      const millis = parseDuration(text)
      return millis === undefined
        ? Effect.fail(new SchemaIssue.InvalidValue({ message: "too long; write at most 3650d" }))
        : Effect.succeed(millis)
    }),
    encode: SchemaGetter.transform(durationText)
  })
)
