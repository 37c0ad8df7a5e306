/**
 * Tally: counts what a cycle does while it does it, so that an interrupted cycle can still say how far it came.
 */
import type { CycleSummary } from "./Poller.ts"
import type { Stepped } from "./Step.ts"

export class Tally {
  items = 0
  changed = 0
  spawned = 0
  forwarded = 0
  settled = 0
  closed = 0
  gaveUp = 0
  errors = 0
  /** Listings that failed before and were not asked now. */
  leftAlone = 0

  count({ after, before, decisions }: Pick<Stepped, "after" | "before" | "decisions">): void {
    for (const decision of decisions) {
      if (decision._tag === "Begin") this.spawned += 1
      if (decision._tag === "Queue") this.forwarded += 1
      if (decision._tag === "Settle" || decision._tag === "Refuse") this.settled += 1
      if (decision._tag === "End") this.closed += 1
    }
    this.gaveUp += Math.max(0, (after?.gaveUp.length ?? 0) - (before?.gaveUp.length ?? 0))
  }

  /** Whether the cycle did or met anything worth a line in the log: to look and find nothing, or to leave a source
   * alone, is no news. */
  get isEventful(): boolean {
    return this.spawned + this.forwarded + this.settled + this.closed + this.gaveUp + this.errors > 0
  }

  /** The cycle's summary so far. */
  summary(rest: Pick<CycleSummary, "interrupted" | "requests" | "notModified" | "ms">): CycleSummary {
    const { changed, closed, forwarded, gaveUp, items, settled, spawned } = this
    const errors = this.errors + this.leftAlone
    return { items, changed, spawned, forwarded, settled, closed, gaveUp, errors, ...rest }
  }
}
