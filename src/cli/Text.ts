/**
 * Text for a terminal: what may be shown of what others wrote, how wide it is, and how it is cut and aligned (G5.2).
 */

/** Made when a text needs it: most are ASCII, and making it takes as long as printing a page. */
let segmenter: Intl.Segmenter | undefined
const graphemes = (text: string): Iterable<Intl.SegmentData> =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text)

/** Marks, joiners, variation selectors: they stand on the character before them. */
const noWidth = /[\p{Mark}\p{Default_Ignorable_Code_Point}]/gu
const emoji = /\p{Emoji_Presentation}|\u{FE0F}/u
/** East Asian Wide and Fullwidth, as Unicode's annex 11 lists them. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3040-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f251}\u{20000}-\u{3fffd}]/u

/** Escape sequences whole, so that no `[31m` is left of them: CSI, OSC and their kin, and two-character ones. */
const escapes =
  // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/gu
/** Control characters, and the marks that turn a line's direction around. */
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** One line of text that others wrote, as far as a terminal may see it: no escape, no control, white space as one space. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(escapes, "")
    .replaceAll(/[\s\u2028\u2029]+/gu, " ")
    .replaceAll(controls, "")
    .trim()

/** Like `oneLine`, with its lines kept. */
export const lines = (text: string): string =>
  text
    .replaceAll(escapes, "")
    .replaceAll(/\r\n?/gu, "\n")
    .split("\n")
    .map((line) => line.replaceAll("\t", "  ").replaceAll(controls, "").trimEnd())
    .join("\n")

const graphemeWidth = (grapheme: string): number => {
  const visible = grapheme.replaceAll(noWidth, "")
  if (visible === "") return 0
  return emoji.test(grapheme) || wide.test(visible) ? 2 : 1
}

/** How many columns a terminal gives a text that holds no escapes. */
export const width = (text: string): number =>
  // oxlint-disable-next-line no-control-regex -- a text of ASCII alone is as wide as it is long
  /^[\u0020-\u007e]*$/u.test(text)
    ? text.length
    : [...graphemes(text)].reduce((sum, { segment }) => sum + graphemeWidth(segment), 0)

/** The text, or as much of it as fits with an ellipsis, cut between characters. */
export const cut = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  let kept = ""
  let used = 0
  for (const { segment } of graphemes(text)) {
    const next = graphemeWidth(segment)
    if (used + next > columns - 1) break
    kept += segment
    used += next
  }
  return columns > 0 ? `${kept.trimEnd()}…` : ""
}

/** The text with spaces up to a width. */
export const pad = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)))

/** Breaks a text into lines of a width, at spaces where there are any. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const out: Array<string> = []
  let line = ""
  const push = (word: string) => {
    let rest = word
    while (width(rest) > columns) {
      const head = cut(rest, columns + 1).replace(/…$/u, "")
      if (head === "") break
      out.push(head)
      rest = rest.slice(head.length)
    }
    line = rest
  }
  for (const word of text.split(" ")) {
    if (line === "") push(word)
    else if (width(line) + 1 + width(word) <= columns) line += ` ${word}`
    else {
      out.push(line)
      push(word)
    }
  }
  return line === "" && out.length > 0 ? out : [...out, line]
}

/** The text's lines, each broken at spaces alone and indented further from then on: paths stay whole, to be copied. */
export const fold = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((whole) => {
      const [indent = ""] = /^ */u.exec(whole) ?? []
      const out: Array<string> = []
      let line = ""
      for (const word of whole.slice(indent.length).split(" ")) {
        const next = line === "" ? word : `${line} ${word}`
        const room = columns - indent.length - (out.length === 0 ? 0 : 2)
        if (line === "" || width(next) <= room) line = next
        else {
          out.push(line)
          line = word
        }
      }
      return [...out, line].map((part, at) => `${indent}${at === 0 ? "" : "  "}${part}`)
    })
    .join("\n")

/** `heed: what is wrong and the mend`, as wide as the page. */
export const complaint = (from: string, text: string, columns: number): string =>
  fold(`${from}: ${lines(text)}`, columns)

/** Rows in aligned columns, two spaces apart, none wider than `columns`. A column without any text is left out. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>, columns: number): ReadonlyArray<string> => {
  const all = Array.from({ length: Math.max(0, ...rows.map((row) => row.length)) }, (_, at) => at)
  const natural = (at: number) => Math.max(...rows.map((row) => width(row[at] ?? "")))
  const used = all.filter((at) => natural(at) > 0)
  const sizes = fit(used.map(natural), columns - 2 * (used.length - 1))
  return rows.map((row) =>
    used
      .map((at, place) => {
        const size = sizes[place] ?? 0
        return pad(cut(row[at] ?? "", size), size)
      })
      .join("  ")
      .trimEnd()
  )
}

/** Takes from the widest columns until all of them fit. */
const fit = (natural: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  const sizes = [...natural]
  let excess = sizes.reduce((sum, size) => sum + size, 0) - columns
  while (excess > 0) {
    const widest = Math.max(...sizes)
    if (widest <= 1) break
    sizes[sizes.lastIndexOf(widest)] = widest - 1
    excess -= 1
  }
  return sizes
}

/** `5s`, `3m`, `2h`, `4d`: how long, in its largest unit. */
export const span = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`
}

/** `1 item`, `2 items`; another plural where an "s" makes none. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`
