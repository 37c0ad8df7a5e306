/** What the example and the reference are about: this heed's own kinds. The one place where they come from. */
import type { Rooms } from "../../src/config/Read.ts"
import { checkTemplate } from "../../src/sink/Prompt.ts"
import { builtInPrompts } from "../../src/sink/PromptTemplates.ts"
import { trackers } from "../../src/tracker/Trackers.ts"

export const rooms: Rooms = {
  kinds: {
    providers: trackers.map(({ kind }) => kind),
    sinks: [
      { name: "process", fields: {} },
      { name: "stdout", fields: {}, commandless: true }
    ],
    notYet: { providers: ["gitlab", "jira"], sinks: ["tmux", "github-actions", "gitlab-pipeline"] }
  },
  templates: { builtIn: builtInPrompts, check: (_prompt, text) => checkTemplate(text) }
}
