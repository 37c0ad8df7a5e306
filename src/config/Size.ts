/**
 * Size: how a configuration writes an amount of bytes, `100MB`. Units count in thousands, or in 1024s where they say so
 * (`MiB`).
 */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

const units: ReadonlyArray<readonly [unit: string, bytes: number]> = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["B", 1]
]

const pattern = /^\d{1,6}(?:\.\d{1,3})? ?(?:[kK][bB]|[KMGT]iB|[MGT]B|B)$/u

const expected = "a size: a number and a unit, such as 500kB, 100MB, 5GB or 64MiB"

const bytesOf = (text: string): number => {
  const written = text.replace(/^[\d.]+ ?/u, "")
  const unit =
    units.find(([name]) => name === written) ??
    units.find(([name]) => name.toUpperCase() === written.toUpperCase())
  return Math.round(Number.parseFloat(text) * (unit?.[1] ?? 1))
}

/** The shortest way to write whole bytes: `100MB`. */
export const sizeText = (bytes: number): string => {
  const unit = units.find(([, factor]) => bytes >= factor && bytes % factor === 0)
  return unit === undefined ? `${bytes}B` : `${bytes / unit[1]}${unit[0]}`
}

/** A written size; decodes to bytes. */
export const Size = Schema.String.pipe(
  Schema.annotate({ expected, title: "size" }),
  Schema.check(Schema.isPattern(pattern, { expected })),
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transform(bytesOf),
    encode: SchemaGetter.transform(sizeText)
  })
)
