/**
 * Settings: the keys that an agent has whose session stays open in tmux.
 */
import * as Schema from "effect/Schema"
import { Duration } from "../../domain/Duration.ts"
import { withDefault } from "../../domain/Key.ts"
import { readyPattern } from "./Screen.ts"

const expected = "a regular expression, such as '^>$'; blanks at a line's end are not seen"

const Pattern = Schema.String.pipe(
  Schema.annotate({ expected }),
  Schema.decodeTo(
    Schema.String.pipe(
      Schema.check(
        Schema.makeFilter((text: string) =>
          readyPattern(text) === undefined ? `expected ${expected}` : undefined
        )
      )
    )
  )
)

/** Beside the keys that every agent has. */
export const tmuxFields = {
  onExit: withDefault(
    Schema.Literals(["restart", "end"]),
    "restart",
    "When the agent has left and something waits: open its session again (`restart`), or let the session end with it (`end`)."
  ),
  ready: withDefault(
    Schema.Struct({
      delay: withDefault(Duration, "2s", "How long its screen must stay as it is."),
      pattern: withDefault(
        Pattern,
        "",
        "A regular expression that a line of its screen, without the blanks at its end, matches only while it waits for words. Without it, a question that the agent asks looks like a prompt."
      ),
      timeout: withDefault(Duration, "60s", "How long an agent may take to become ready before heed says so.")
    }),
    {},
    "When the agent is ready for words. heed types none before."
  ),
  idleAfter: withDefault(
    Duration,
    "24h",
    "How long a session may be idle before its agent is ended; the next hand-over opens it again with `resume`."
  )
}
