/**
 * Words: a prompt as it may be typed into a terminal. A control character would be a key, and could end the paste early:
 * what is left is text, tabs and line breaks (G5.2).
 */

// oxlint-disable-next-line no-control-regex -- these are the characters meant
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu

/** The words without control characters, and without line breaks at their end: Enter is pressed apart. */
export const typeable = (prompt: string): string => {
  const text = prompt.toWellFormed().replaceAll(/\r\n?/gu, "\n").replaceAll(controls, "")
  let end = text.length
  while (text[end - 1] === "\n") end -= 1
  return text.slice(0, end)
}
