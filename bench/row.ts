/**
 * row: one line of the report: what was measured, what came out, and what it may cost.
 */

export interface Row {
  readonly what: string
  /** As people read it, with its unit. */
  readonly measured: string
  readonly budget: string
  readonly holds: boolean
}

/** A ratio against its upper limit. */
export const ratio = (what: string, value: number, limit: number, detail: string): Row => ({
  what,
  measured: `${value.toFixed(2)} × (${detail})`,
  budget: `≤ ${limit} ×`,
  holds: value <= limit
})

/** A number of things against the most there may be. */
export const atMost = (what: string, value: number, limit: number, unit: string): Row => ({
  what,
  measured: `${value} ${unit}`,
  budget: `≤ ${limit}`,
  holds: value <= limit
})

/** Something that has to be exactly so. */
export const exactly = (what: string, measured: string, expected: string): Row => ({
  what,
  measured,
  budget: expected,
  holds: measured === expected
})

/** One group of rows as text, a heading above it. */
export const report = (title: string, rows: ReadonlyArray<Row>): string =>
  [
    title,
    ...rows.map(
      ({ what, measured, budget, holds }) =>
        `  ${holds ? "ok  " : "OVER"}  ${what.padEnd(46)} ${measured}  [${budget}]`
    ),
    ""
  ].join("\n")
