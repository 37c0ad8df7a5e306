/**
 * Width: how many columns a text may take: a terminal's own; in a pipe as many as it likes, for whatever reads there
 * wants it whole; `$COLUMNS` says otherwise for either. Without Effect, so that a glance can use it.
 */

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Where a terminal does not tell. */
const usual = 80

/** The columns of stdout or stderr; infinite in a pipe. */
export const columnsOf = (stream: Stream, asked = process.env["COLUMNS"]): number => {
  const wanted = Number(asked)
  if (Number.isInteger(wanted) && wanted > 0) return wanted
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY
  // Some terminals say that they have none.
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : usual
}
