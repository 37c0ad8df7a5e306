/**
 * Screen: what a pane shows, and whether its agent is ready for words. An agent that works is not; nor is one that asks
 * its user something, which only a pattern can tell: what is typed then would answer the wrong question.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type { AgentPlan } from "../../domain/Agent.ts"
import { oneLine } from "../../domain/PlainText.ts"
import { Secrets } from "../../net/Secrets.ts"
import { lookAtScreen, type Pane, parsePane } from "./Pane.ts"
import type { Tmux } from "./Tmux.ts"

type Ready = NonNullable<AgentPlan["ready"]>

/** Where an agent's entry says nothing. */
export const usualReady: Ready = { delay: 2_000, pattern: "", timeout: 60_000 }

/** The pattern as it is held against the whole screen; `^` and `$` are a line's. Undefined when it is none. */
export const readyPattern = (pattern: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, "mu")
  } catch {
    // Not a regular expression: the one thing that this can fail of.
    return undefined
  }
}

/** One look at a pane and at what it shows. */
export interface Shot {
  readonly pane: Pane
  readonly screen: string
}

export type Sight =
  | { readonly _tag: "Shown"; readonly shot: Shot }
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Silent"; readonly why: string }

/** The screen and its cursor as one word, to tell whether anything has changed. */
export const fingerprint = ({ pane, screen }: Shot): string =>
  createHash("sha256").update(`${pane.cursor}\n${screen}`, "utf8").digest("hex").slice(0, 32)

/** Looks further apart than this, in milliseconds, do not tell what was shown in between. */
const longestGap = 5_000

interface Shown {
  readonly screen: string
  readonly since: number
  readonly seen: number
}

export const make = (tmux: Tmux) => {
  /** What each pane showed when it was looked at last. */
  const shown = new Map<string, Shown>()

  const see = Effect.fnUntraced(function* (pane: string): Effect.fn.Return<Sight> {
    const answer = yield* tmux.ask(lookAtScreen(pane))
    if (answer._tag === "Silent") return answer
    if (answer._tag !== "Answered") return { _tag: "Gone" }
    const end = answer.text.indexOf("\n")
    const seen = parsePane(answer.text.slice(0, end))
    return seen === undefined
      ? { _tag: "Gone" }
      : { _tag: "Shown", shot: { pane: seen, screen: answer.text.slice(end + 1) } }
  })

  return {
    see,

    /** Whether the agent takes words now, as far as this look and those before it tell. */
    isReady: Effect.fnUntraced(function* ({ pane, screen }: Shot, ready: Ready) {
      const now = yield* Clock.currentTimeMillis
      const before = shown.get(pane.id)
      const goesOn = before?.screen === screen && now - before.seen <= longestGap
      const since = goesOn ? before.since : now
      shown.set(pane.id, { screen, since, seen: now })
      if (pane.isDead || pane.isInMode || now - pane.born < ready.delay) return false
      if (ready.pattern !== "") return readyPattern(ready.pattern)?.test(screen) ?? false
      // tmux tells whole seconds: it may have been at the end of that one.
      return now - Math.min(since, pane.activity + 1000) >= ready.delay
    }),

    /** A pane that nobody looks at is taken out of its scroll-back, where keys would not reach its agent. */
    leaveMode: Effect.fnUntraced(function* (pane: Pane) {
      if (pane.isInMode && pane.attached === 0) yield* tmux.ask([["copy-mode", "-q", "-t", pane.id]])
    }),

    forget: (pane: string) => shown.delete(pane),

    /** The last line that a screen shows, for people; empty when it shows nothing. */
    lastLine: Effect.fnUntraced(function* (screen: string) {
      const line = screen.split("\n").findLast((line) => line.trim() !== "") ?? ""
      return [...(yield* Secrets).redact(oneLine(line))].slice(-500).join("")
    })
  } as const
}

/** What `make` answers with. */
export type Screens = ReturnType<typeof make>
