/**
 * Reads a text as it is once every layer of HTML entities is decoded, and remembers where each character stood: what
 * is judged by its decoded form can then be taken out of the text as it was written.
 */

/** Named entities that stand for something hidden, or for a piece of a comment; the others hide nothing. */
const named = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["excl", "!"],
  ["shy", "\u00ad"],
  ["zwj", "\u200d"],
  ["zwnj", "\u200c"],
  ["lrm", "\u200e"],
  ["rlm", "\u200f"],
  ["nobreak", "\u2060"],
  ["zerowidthspace", "\u200b"],
  ["negativeverythinspace", "\u200b"],
  ["negativethinspace", "\u200b"],
  ["negativemediumspace", "\u200b"],
  ["negativethickspace", "\u200b"],
  ["applyfunction", "\u2061"],
  ["af", "\u2061"],
  ["invisibletimes", "\u2062"],
  ["it", "\u2062"],
  ["invisiblecomma", "\u2063"],
  ["ic", "\u2063"]
])

/** `&lt;`, `&#60;`, `&#x3c;`, and each of them behind any number of encoded ampersands. */
const entity =
  /&(?:amp;|#0*38;|#x0*26;)*(?:#0*(\d{1,7});?|#x0*([0-9a-f]{1,6});?|(lt|gt|amp);?|([a-z][a-z0-9]{1,31});)/iy

const characterOf = ([, decimal, hex, short, name]: RegExpExecArray): string | undefined => {
  const number =
    decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined
  if (number === undefined) return named.get((short ?? name ?? "").toLowerCase())
  return number > 0 && number <= 0x10ffff ? String.fromCodePoint(number) : undefined
}

export interface Decoded {
  readonly text: string
  /** Where in the source each UTF-16 unit of `text` stands; all units of one entity stand where it does. */
  readonly from: ReadonlyArray<number>
  /** Where in the source it ends. */
  readonly to: ReadonlyArray<number>
}

export const decodeEntities = (source: string): Decoded => {
  let text = ""
  const from: Array<number> = []
  const to: Array<number> = []
  for (let at = 0; at < source.length;) {
    entity.lastIndex = at
    const match = source.charAt(at) === "&" ? entity.exec(source) : null
    const character = match === null ? undefined : characterOf(match)
    const piece = character ?? source.charAt(at)
    const end = match === null || character === undefined ? at + 1 : at + match[0].length
    text += piece
    for (let unit = 0; unit < piece.length; unit++) {
      from.push(at)
      to.push(end)
    }
    at = end
  }
  return { text, from, to }
}
