/**
 * Round: one listing's turn in a cycle.
 */
import type { Asked } from "./Agenda.ts"
import type { Tally } from "./Tally.ts"

/** One listing in a cycle. */
export interface Round extends Asked {
  readonly tally: Tally
}
