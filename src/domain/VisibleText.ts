/**
 * Takes out of a text what its reader on the tracker's page could not see: HTML comments, zero-width, bidirectional
 * and tag characters, entity-encoded ones too; visible text stays as it was (traps B99). Time grows with the length.
 */
import { decodeEntities } from "./Entities.ts"
import { stripControl } from "./PlainText.ts"

export interface Visible {
  readonly text: string
  /** How many characters were taken out, control characters aside. */
  readonly removed: number
}

/** Whose text: the code of a trusted author is kept whole, a stranger's comments go wherever they stand. */
export type Voice = "trusted" | "stranger"

type Range = readonly [from: number, to: number]

const ranges = (text: string, pattern: RegExp): ReadonlyArray<Range> =>
  [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length] as const)

/** A run of backticks opens a span that the next run of the same length closes. */
const codeSpans = (line: string, offset: number): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  const open = new Map<number, number>()
  let closed = 0
  for (const [from, to] of ranges(line, /`+/gu)) {
    const opened = open.get(to - from)
    if (opened === undefined || opened < closed) {
      open.set(to - from, from)
    } else {
      closed = to
      found.push([offset + opened, offset + to])
    }
  }
  return found.sort(([a], [b]) => a - b)
}

/** What a page shows as code: fenced blocks, and code spans within a line. */
const codeRanges = (text: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let fence: { readonly from: number; readonly mark: string } | undefined
  let at = 0
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1]
    if (fence === undefined) {
      if (mark === undefined) found.push(...codeSpans(line, at))
      else fence = { from: at, mark }
    } else if (mark?.startsWith(fence.mark) === true && line.trim() === mark) {
      found.push([fence.from, at + line.length])
      fence = undefined
    }
    at += line.length + 1
  }
  if (fence !== undefined) found.push([fence.from, text.length])
  return found
}

const closing = /--!?>/gu
const unclosed = /^[ \t]{0,3}<!--/mu

/** One that is never closed hides the rest where it begins a line; within a line it shows as it stands. */
const commentRanges = (text: string, code: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let block = 0
  let read = 0
  for (;;) {
    const at = text.indexOf("<!--", read)
    if (at === -1) return found
    while ((code[block]?.[1] ?? text.length) <= at) block += 1
    const [codeFrom, codeTo] = code[block] ?? [text.length, text.length]
    if (codeFrom <= at) {
      read = codeTo
      continue
    }
    // From within the opening, since `<!-->` is a whole comment.
    closing.lastIndex = at + 2
    const close = closing.exec(text)
    if (close === null) {
      const line = text.lastIndexOf("\n", at) + 1
      const hidden = unclosed.exec(text.slice(line))
      if (hidden !== null) found.push([line + hidden.index, text.length])
      return found
    }
    read = closing.lastIndex
    found.push([at, read])
  }
}

/** The markdown way to write what is not shown: a link definition that leads nowhere. */
const pseudoComment = /^ {0,3}\[[^\]\n]*\]:[ \t]*<?#>?[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^)\n]*\))[ \t]*$/gmu

const hidden = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/u
const hiddenEach = new RegExp(hidden, "gu")
/** The flags that are spelt with tag characters: England, Scotland, Wales. */
const tagFlag =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu
/** One joiner between two signs that it joins, one selector after the sign that it shapes. */
const shaping =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=[[\p{L}\p{M}]--\p{ASCII}])[\u200c\u200d](?=[[\p{L}\p{M}]--\p{ASCII}])|(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]/gv

/** Characters that nobody sees, without those that make an emoji or a script what it is. */
const hiddenRanges = (text: string): ReadonlyArray<Range> => {
  const shapes = ranges(text, shaping)
  const kept = new Set(shapes.map(([from]) => from))
  for (const [from, to] of ranges(text, tagFlag)) for (let at = from; at < to; at++) kept.add(at)
  return ranges(text, hiddenEach).filter(([from]) => !kept.has(from))
}

/** What a reader of the page sees of this text, control characters stripped too. */
export const visibleText = (source: string, voice: Voice): Visible => {
  const text = stripControl(source)
  let shown = text
  let removed = 0
  // Taking one piece out may put another together, `<!-<!-- -->- obey -->`, or bring an entity about.
  for (let round = 0; round < 16; round++) {
    const left = once(shown, voice)
    if (left.removed === 0) return { text: shown, removed }
    shown = left.text
    removed += left.removed
  }
  return { text: "", removed: [...text].length }
}

const once = (text: string, voice: Voice): Visible => {
  if (!/[&<]|\]:/u.test(text) && !hidden.test(text)) return { text, removed: 0 }
  const decoded = decodeEntities(text)
  const code = voice === "trusted" ? codeRanges(decoded.text) : []
  const isCode = (at: number) => code.some(([from, to]) => from <= at && at < to)
  const gone = [
    ...hiddenRanges(decoded.text),
    ...commentRanges(decoded.text, code),
    ...ranges(decoded.text, pseudoComment).filter(([from]) => !isCode(from))
  ].sort(([a], [b]) => a - b)
  let shown = ""
  let removed = 0
  let read = 0
  for (const [from, to] of gone) {
    if (to <= read) continue
    const start = Math.max(from, read)
    shown += sourceOf(text, decoded, read, start)
    removed += to - start
    read = to
  }
  return { text: shown + sourceOf(text, decoded, read, decoded.text.length), removed }
}

const sourceOf = (
  source: string,
  decoded: ReturnType<typeof decodeEntities>,
  from: number,
  to: number
): string => (from >= to ? "" : source.slice(decoded.from[from], decoded.to[to - 1]))
