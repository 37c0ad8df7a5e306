/**
 * Holds what agents received against what people wrote: every word that is due once, no word twice, each item's words in
 * the order in which they were written, and nothing of a stranger's.
 */

/** `once`: it has to arrive. `at most once`: its item ended meanwhile, which may settle it. `never`: a stranger's. */
export type Due = "once" | "at most once" | "never"

/** A word that somebody wrote on an item, in the order of writing. */
export interface Written {
  /** Stands in the word's text, and in no other's. */
  readonly token: string
  /** `acme/app#12`. */
  readonly item: string
  readonly due: Due
  /** In which round. */
  readonly round: number
}

/** One hand-over as its agent saw it, in the order of arrival. */
export interface Received {
  readonly item: string
  readonly session: string
  readonly handOver: string
  readonly attempt: number
  /** It opened the session, with the thread so far: strangers' words may stand there, as quotes. */
  readonly opens: boolean
  /** It said of itself that it may repeat what was given before. */
  readonly mayRepeat: boolean
  /** The tokens in it, in order. */
  readonly words: ReadonlyArray<string>
}

/** A comment that heed posted: what it is about stands in it once per item. */
export interface Posted {
  readonly item: string
  readonly about: string
}

export const faults = ["lost", "doubled", "out of order", "overheard"] as const
export type Fault = (typeof faults)[number]

export interface Finding {
  readonly fault: Fault
  readonly item: string
  /** Of the word; of a start or a comment of heed's, what it is about. */
  readonly token: string
  /** In which it was written. */
  readonly round: number | undefined
}

export interface Comparison {
  readonly findings: ReadonlyArray<Finding>
  /** Words that arrived again in a hand-over that said so. */
  readonly repeated: number
  /** Words that arrived. */
  readonly arrived: number
}

export interface Sides {
  readonly written: ReadonlyArray<Written>
  /** Items that are due a session. */
  readonly items: ReadonlyArray<string>
  readonly received: ReadonlyArray<Received>
  /** What heed owes the items: each once. */
  readonly owed: ReadonlyArray<Posted>
  readonly posted: ReadonlyArray<Posted>
}

const countOf = <A>(list: ReadonlyArray<A>, same: (one: A) => boolean) => list.filter(same).length

export const compare = ({ items, owed, posted, received, written }: Sides): Comparison => {
  const findings: Array<Finding> = []
  const known = new Map(written.map((word, position) => [word.token, { ...word, position }]))
  const times = new Map<string, number>()
  /** The position of the last word written that an item's agent has. */
  const furthest = new Map<string, number>()
  let repeated = 0
  for (const { item, mayRepeat, opens, words } of received) {
    for (const token of words) {
      const word = known.get(token)
      if (word === undefined || word.item !== item || word.due === "never") {
        if (!opens || word === undefined || word.item !== item)
          findings.push({ fault: "overheard", item, token, round: word?.round })
        continue
      }
      const before = times.get(token) ?? 0
      if (before > 0 && mayRepeat) {
        repeated += 1
        continue
      }
      times.set(token, before + 1)
      if (before > 0) {
        findings.push({ fault: "doubled", item, token, round: word.round })
        continue
      }
      const reached = furthest.get(item) ?? -1
      if (word.position < reached) findings.push({ fault: "out of order", item, token, round: word.round })
      furthest.set(item, Math.max(reached, word.position))
    }
  }
  for (const { due, item, round, token } of written) {
    if (due === "once" && !times.has(token)) findings.push({ fault: "lost", item, token, round })
  }

  const openings = received.filter(({ mayRepeat, opens }) => opens && !mayRepeat)
  for (const item of items) {
    if (!openings.some((opening) => opening.item === item))
      findings.push({ fault: "lost", item, token: "start", round: undefined })
  }
  for (const [index, { item, session }] of openings.entries()) {
    const isFirst = openings.findIndex((opening) => opening.session === session) === index
    if (!isFirst) findings.push({ fault: "doubled", item, token: `start of ${session}`, round: undefined })
  }

  const isSame = (one: Posted) => (other: Posted) => one.item === other.item && one.about === other.about
  for (const notice of owed) {
    const found = countOf(posted, isSame(notice))
    if (found === 0)
      findings.push({
        fault: "lost",
        item: notice.item,
        token: `notice on ${notice.about}`,
        round: undefined
      })
  }
  for (const [index, notice] of posted.entries()) {
    if (posted.findIndex(isSame(notice)) !== index) {
      const token = `notice on ${notice.about}`
      findings.push({ fault: "doubled", item: notice.item, token, round: undefined })
    }
  }
  return { findings, repeated, arrived: times.size }
}
