/**
 * What is given to an agent at once, frozen: everything a sink needs to hand it over, now or after a crash.
 */
import * as Schema from "effect/Schema"
import { AgentPlan } from "./Agent.ts"
import { NormalizedEvent } from "./Event.ts"
import { Ref } from "./Ref.ts"

/** A hand-over's id. It names a folder, so it is never anything that leads out of one (traps B100). */
export const HandOverId = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[0-9a-z][0-9a-z-]{0,127}$/iu, { expected: "the plain name of a hand-over" })
  )
)

/** The number of a hand-over's try, from 1. It names a folder too. */
export const Try = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

export const HandOver = Schema.Struct({
  id: HandOverId,
  /** Names the folder `runs/<id>/<try>`. */
  try: Try,
  /** 1 on the first attempt: failed attempts of its members, and one. */
  attempt: Schema.Int,
  kind: Schema.Literals(["start", "words"]),
  session: Schema.Struct({ id: Schema.String, agent: Schema.String, generation: Schema.Int }),
  conversation: Schema.String,
  /** True: this begins the conversation, so `command` is run. False: `resume`. */
  opens: Schema.Boolean,
  /** It may have reached the agent before, in an earlier try of which nobody knows. */
  mayRepeat: Schema.optionalKey(Schema.Literal(true)),
  prompt: Schema.String,
  events: Schema.Array(NormalizedEvent),
  item: Schema.Struct({
    ref: Ref,
    url: Schema.String,
    tracker: Schema.String,
    /** `owner/name#12`, `APP-123`: what people call it at the tracker. */
    key: Schema.String,
    slug: Schema.String,
    repo: Schema.String
  }),
  /** What the agent puts under each comment of its own. */
  mark: Schema.String,
  plan: AgentPlan
})
export type HandOver = typeof HandOver.Type

/** Names a hand-over's try: enough for a sink to find its evidence. */
export type HandOverTry = Pick<HandOver, "id" | "try">
