/**
 * Notices: the comments that heed owes an item. They name what they are about and quote nothing.
 */
import type { GiveUpText } from "../domain/queue.ts"
import { startKey } from "../domain/Record.ts"

/** What the item is told about a delivery that was given up. */
export const giveUpText =
  (attempts: number): GiveUpText =>
  ({ agent, key }) => {
    const times = attempts === 1 ? "one attempt" : `${attempts} attempts`
    return key === startKey
      ? `The agent \`${agent}\` could not be started here: ${times} failed. Your comments are kept; the next one by somebody heed listens to tries again.`
      : `The comment \`${key}\` did not get through to the agent \`${agent}\`: ${times} failed. It is set aside until somebody runs \`heed retry\` for this item.`
  }

/** What the item is told when it is paused because too many words came within an hour. */
export const floodText = (perItemPerHour: number, prefix: string): string =>
  `Paused: ${perItemPerHour} comments within an hour were given to the agent. What comes now is kept; \`${prefix} resume\` goes on.`
