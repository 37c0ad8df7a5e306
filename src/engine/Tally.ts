/**
 * Tally: counts what a cycle does while it does it, so that an interrupted cycle can still say how far it came.
 */
import type { CycleSummary } from "./Poller.ts"
import type { Stepped } from "./Step.ts"

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

  count({ decisions }: Pick<Stepped, "decisions">): void {
    for (const decision of decisions) {
      if (decision._tag === "Begin") this.spawned += 1
      if (decision._tag === "Queue") this.forwarded += 1
      if (decision._tag === "Settle" || decision._tag === "Refuse") this.settled += 1
      if (decision._tag === "End") this.closed += 1
    }
  }

  /** Whether the cycle did or met anything worth a line in the log: to look and find nothing, to leave a source alone,
   * or a frozen item, is no news. */
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
