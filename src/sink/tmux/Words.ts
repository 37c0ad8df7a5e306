/**
 * Words: a prompt as it may be typed into a terminal. A control character would be a key, and could end the paste early:
 * what is left is text, tabs and line breaks (G5.2).
 */
import { stripControl } from "../../domain/PlainText.ts"

/** The words without control characters, and without line breaks at their end: Enter is pressed apart. */
export const typeable = (prompt: string): string => {
  const text = stripControl(prompt)
  let end = text.length
  while (text[end - 1] === "\n") end -= 1
  return text.slice(0, end)
}
