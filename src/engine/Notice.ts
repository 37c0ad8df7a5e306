/**
 * Notices: the comments that heed owes an item. They name what they are about and quote nothing.
 */
import type { GiveUpText } from "../domain/queue.ts"
import { resumeKey, startKey } from "../domain/Record.ts"

/** What the item is told about a delivery that was given up. */
export const giveUpText =
  (attempts: number, prefix: string): GiveUpText =>
  ({ agent, key }) => {
    const times = attempts === 1 ? "one attempt" : `${attempts} attempts`
    if (key === resumeKey) {
      return `The session of the agent \`${agent}\` was lost and could not be resumed: ${times} failed. The next comment by somebody heed listens to tries again.`
    }
    return key === startKey
      ? `The agent \`${agent}\` could not be started here: ${times} failed. Your comments are kept; the next one by somebody heed listens to tries again.`
      : `The comment \`${key}\` did not get through to the agent \`${agent}\`: ${times} failed. It is set aside until somebody heed listens to writes \`${prefix} retry\` here, or runs \`heed retry\`.`
  }

/** What the item is told when its agent cannot start for want of a slot. */
export const slotText = (agent: string): string =>
  `The agent \`${agent}\` is to start here and waits: as many agents are at work as may be at once (limits.sessions). It starts by itself; comments are kept until then.`

/** What the item is told when it is paused because too many words came within an hour. */
export const floodText = (perItemPerHour: number, prefix: string): string =>
  `Paused: ${perItemPerHour} comments within an hour were given to the agent. What comes now is kept; \`${prefix} resume\` goes on.`

/** What people are told of a first run that would start more than it may. */
export const heldText = (listing: string, count: number): string =>
  `${listing}: ${count} items would start at once, more than polling.firstRun.max; none does until you say which: heed start --accept-backlog start, or baseline`
