/**
 * Suggest: what somebody probably meant by a word that heed does not know.
 */

/** Edits between two words: insertions, deletions, replacements and swaps of neighbours. */
const distance = (left: string, right: string): number => {
  let [before, last] = [Array<number>(), Array.from({ length: right.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      row.push(
        Math.min(
          (last[j] ?? Infinity) + 1,
          (row[j - 1] ?? Infinity) + 1,
          (last[j - 1] ?? Infinity) + same,
          swapped ? (before[j - 2] ?? Infinity) + 1 : Infinity
        )
      )
    }
    ;[before, last] = [last, row]
  }
  return last[right.length] ?? Infinity
}

const folded = (word: string) => word.toLowerCase().replaceAll(/[^a-z0-9]/gu, "")

/** The known word nearest to one that is not known, or undefined when none is near. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const asked = folded(word.slice(0, 64))
  const near = known
    .map((name) => ({ name, edits: distance(asked, folded(name)) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length / 3)))
    .sort((left, right) => left.edits - right.edits)
  return near[0]?.name
}

/** `did you mean "label"?`, or the list of what is known. */
export const suggestion = (word: string, known: ReadonlyArray<string>): string => {
  const meant = nearest(word, known)
  if (meant !== undefined) return `did you mean "${meant}"?`
  return known.length === 0 ? "remove it" : `remove it, or write one of: ${known.join(", ")}`
}
