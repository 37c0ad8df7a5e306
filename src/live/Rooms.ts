/**
 * Rooms: what a configuration of this heed may name, taken from the registries of trackers and sinks.
 */
import type { Rooms } from "../config/Read.ts"
import { sinkKinds } from "../sink/LiveSinks.ts"
import { promptTemplates } from "../sink/Prompt.ts"
import { trackers } from "../tracker/Trackers.ts"

export const rooms: Rooms = {
  kinds: {
    providers: trackers.map(({ kind }) => kind),
    sinks: sinkKinds,
    notYet: { providers: ["gitlab", "jira"], sinks: ["github-actions", "gitlab-pipeline"] }
  },
  templates: promptTemplates
}
