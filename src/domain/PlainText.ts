/**
 * Rules that turn a tracker's text into plain text: what a terminal would obey and what a reader cannot see is taken
 * out; everything that people see stays as it was (G5.2, traps B99).
 */

/** CRLF and CR become LF; control characters but TAB and LF are dropped, C1 included. */
export const stripControl = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/gu, "\n")
    // oxlint-disable-next-line no-control-regex -- these are the characters meant
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, "")

/** `stripControl`, and on one line: for titles, logins and whatever else has to stay within its line. */
export const oneLine = (text: string): string =>
  stripControl(text)
    .replaceAll(/[\s\u2028\u2029]+/gu, " ")
    .trim()

/** The first `max` code points of a text; never half a character. */
export const firstCodePoints = (text: string, max: number): string => {
  if (text.length <= max) return text
  let end = 0
  for (let count = 0; count < max && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
