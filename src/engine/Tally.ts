/**
 * Tally: counts what a cycle does while it does it, so that an interrupted cycle can still say how far it came.
 */
import type { Decision } from "../domain/Decision.ts"

/** What one cycle did, as `poll.cycle` reports it. */
export interface CycleSummary {
  readonly items: number
  readonly changed: number
  /** Sessions begun. */
  readonly spawned: number
  /** Words that joined a queue. */
  readonly forwarded: number
  readonly settled: number
  /** Sessions whose item ended. */
  readonly closed: number
  /** Deliveries whose attempts were used up since the last cycle. */
  readonly gaveUp: number
  /** What failed: listings, items, and items whose records are frozen. Not zero: the cycle is incomplete. */
  readonly errors: number
  readonly interrupted: boolean
  readonly requests: number
  /** Answers "not modified", which cost no budget. */
  readonly notModified: number
  /** How long it took, in milliseconds. */
  readonly ms: number
}

/** What only the end of a cycle tells. */
type Rest = Pick<CycleSummary, "interrupted" | "requests" | "notModified" | "gaveUp" | "ms">

export class Tally {
  items = 0
  changed = 0
  spawned = 0
  forwarded = 0
  settled = 0
  closed = 0
  errors = 0
  /** Listings that failed before and were not asked now. */
  leftAlone = 0
  /** Items whose records are frozen. */
  frozen = 0

  count({ decisions }: { readonly decisions: ReadonlyArray<Decision> }): void {
    for (const decision of decisions) {
      if (decision._tag === "Begin") this.spawned += 1
      if (decision._tag === "Queue") this.forwarded += 1
      if (decision._tag === "Settle" || decision._tag === "Refuse") this.settled += 1
      if (decision._tag === "End") this.closed += 1
    }
  }

  /**
   * Whether the cycle did or met anything worth a line in the log: to look and find nothing, to leave a source alone, or
   * a frozen item, is no news.
   */
  get isEventful(): boolean {
    return this.spawned + this.forwarded + this.settled + this.closed + this.errors > 0
  }

  /** The cycle's summary so far. A listing that is left alone and an item that is frozen make it incomplete. */
  summary(rest: Rest): CycleSummary {
    const { changed, closed, forwarded, items, settled, spawned } = this
    const errors = this.errors + this.leftAlone + this.frozen
    return { items, changed, spawned, forwarded, settled, closed, errors, ...rest }
  }
}
