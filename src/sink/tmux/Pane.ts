/**
 * Pane: what heed keeps on the tmux server about the pane of a session, as user options of it, and how all of it is read
 * in one look. The marks on a pane are the evidence of what reached its agent.
 */
import type { HandOverTry } from "../../domain/HandOver.ts"
import type { TmuxCommand } from "./Tmux.ts"

/** How far a hand-over has come in its pane. */
export type Step = "pasted" | "submitted" | "void"

/** What a pane was given last: `<hand-over>/<try> <step>`, or nothing yet. */
export const markOf = (which: HandOverTry, step: Step) => `${which.id}/${which.try} ${step}`

const plainMark = /^[0-9a-z][0-9a-z-]*\/\d+ (?:pasted|submitted|void)$/iu

/** User options; a pane's own but for the first four: a pane that a person moves elsewhere is still its session's. */
export const option = {
  /** Of the server: the heed that may type. */
  epoch: "@heed-epoch",
  /** Of the server: that a session was opened here, and not ended by heed since. */
  opened: (session: string) => `@heed-opened-${session.replaceAll(/[^A-Za-z0-9-]/gu, "_")}`,
  /** Of the tmux session: for which of heed's it was made, with all that people open in it. */
  home: "@heed-home",
  /** Of the tmux session: what its status line calls it. */
  title: "@heed-title",
  /** The id of heed's session. */
  session: "@heed-session",
  /** As `asOption` writes it. */
  conversation: "@heed-conversation",
  /** Milliseconds since 1970. */
  born: "@heed-born",
  mark: "@heed-at",
  /** When it was marked `pasted`, in milliseconds. */
  pasted: "@heed-pasted",
  /** The fingerprint of the screen that Enter may be pressed into. */
  screen: "@heed-screen",
  /** Since when a person is asked for: words stand typed that heed may not submit; in milliseconds. */
  asked: "@heed-asked",
  /** When it was marked `submitted`, in milliseconds. */
  submitted: "@heed-submitted",
  /** The process that was started in it. */
  agent: "@heed-agent"
} as const

/** Any text as an option's value that no parser of tmux's takes for more. */
export const asOption = (text: string): string => Buffer.from(text).toString("base64url")

/** One pane of heed's, as one look sees it. Times are milliseconds; 0 is never. */
export interface Pane {
  /** `%5` */
  readonly id: string
  /** `$3`, of the tmux session that it is in. */
  readonly home: string
  /** Whether that was made for it. */
  readonly isAtHome: boolean
  /** Of heed's session. */
  readonly session: string
  readonly conversation: string
  readonly pid: number
  readonly isDead: boolean
  readonly isInMode: boolean
  /** Clients that show it now. */
  readonly attached: number
  readonly lastAttached: number
  /** When it showed something last, in whole seconds. */
  readonly activity: number
  readonly born: number
  readonly pasted: number
  readonly submitted: number
  readonly asked: number
  /** Empty: nothing was given. */
  readonly mark: string
  readonly screen: string
  readonly cursor: string
  readonly epoch: string
}

/** Where the screen is written to, as the guard compares it. */
export const cursorFormat = "#{cursor_x}.#{cursor_y}.#{history_size}"

const fields = [
  "#{pid}",
  "#{pane_id}",
  "#{session_id}",
  `#{${option.session}}`,
  `#{${option.conversation}}`,
  "#{pane_pid}",
  "#{pane_dead}",
  "#{pane_in_mode}",
  "#{session_attached}",
  "#{session_last_attached}",
  "#{window_activity}",
  `#{${option.born}}`,
  `#{${option.pasted}}`,
  `#{${option.submitted}}`,
  `#{${option.mark}}`,
  `#{${option.screen}}`,
  cursorFormat,
  `#{${option.epoch}}`,
  `#{${option.home}}`,
  `#{${option.asked}}`,
  `#{${option.agent}}`
]

const format = fields.join("|")

/** Every pane of the server, a line each. */
export const lookAtAll: TmuxCommand = ["list-panes", "-a", "-F", format]

/** One pane, on the first line; what it shows from the second on. */
export const lookAtScreen = (pane: string): ReadonlyArray<TmuxCommand> => [
  ["display-message", "-p", "-t", pane, format],
  ["capture-pane", "-p", "-t", pane]
]

const seconds = (text: string) => Number(text) * 1000

/** A line of a look; undefined for a pane that is none of heed's. */
export const parsePane = (line: string): Pane | undefined => {
  const parts = line.split("|")
  const [, id = "", home = "", session = "", conversation = "", pid, dead, mode, attached] = parts
  const [lastAttached = "", activity = "", born, pasted, submitted, mark = "", screen = "", cursor = ""] =
    parts.slice(9)
  if (parts.length !== fields.length || session === "" || conversation === "") return undefined
  return {
    id,
    home,
    isAtHome: parts[18] === session,
    session,
    conversation: Buffer.from(conversation, "base64url").toString(),
    pid: Number(pid),
    // Another program that a person has put into its place is no agent.
    isDead: dead === "1" || parts[20] !== pid,
    isInMode: mode !== "0",
    attached: Number(attached),
    lastAttached: seconds(lastAttached),
    activity: seconds(activity),
    born: Number(born),
    pasted: Number(pasted),
    submitted: Number(submitted),
    asked: Number(parts[19]),
    // It goes into a tmux format again: nothing but a mark of ours does.
    mark: plainMark.test(mark) ? mark : "",
    screen,
    cursor,
    epoch: parts[17] ?? ""
  }
}
