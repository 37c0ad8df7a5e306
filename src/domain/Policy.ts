/**
 * What the configuration says about deciding, as plain values: `decide` reads these and no configuration file.
 */
import type { AgentPlan } from "./Agent.ts"
import type { Comment, WorkItem } from "./Item.ts"

/** What becomes of a session whose open item lost its label: it goes on, or it ends (G4.2). */
export type OnUnlabel = "keep" | "stop"

export interface Policy {
  /** The running heed's version: a newer one re-arms what an older one gave up. */
  readonly version: string
  /** Principals whose words reach an agent, per tracker, folded as that tracker folds (G5.1). */
  readonly trusted: { readonly [tracker: string]: ReadonlySet<string> }
  /** Where a first-sight event goes while there are no routes. */
  readonly agent: string
  readonly agents: { readonly [name: string]: AgentPlan }
  readonly control: { readonly prefix: string; readonly requireStart: boolean }
  /** Per delivery; at least 1. */
  readonly attempts: number
  /** Milliseconds before the 2nd, 3rd, … attempt; the last one repeats. */
  readonly retryAfter: ReadonlyArray<number>
  /** Words handed over per item and hour before the item is paused. */
  readonly perItemPerHour: number
  /** Whether heed or one of its agents wrote this: by recorded id elsewhere, by account and keyed mark here (B20). */
  readonly isOwn: (item: WorkItem, comment: Comment) => boolean
}
