/**
 * Guard: the command lists that type into a pane. The server carries each out in one go, and only if the pane is just as
 * it was seen: ours to type into, alive, not scrolled, given nothing since. A client that comes late, or is killed in the
 * midst, cannot paste a second time, nor into another pane, nor without the mark that is its evidence.
 */
import type { HandOverTry } from "../../domain/HandOver.ts"
import { cursorFormat, markOf, option, type Pane, type Step } from "./Pane.ts"
import type { TmuxCommand } from "./Tmux.ts"

const is = (format: string, value: string) => `#{==:${format},${value}}`

const all = (conditions: ReadonlyArray<string>): string =>
  conditions.reduce((left, right) => `#{&&:${left},${right}}`)

/** What has to hold of a pane in the moment in which something is done to it. */
const untouched = (pane: Pane, epoch: string): ReadonlyArray<string> => [
  is(`#{${option.epoch}}`, epoch),
  is("#{pane_dead}", "0"),
  is("#{pane_pid}", String(pane.pid)),
  is("#{pane_in_mode}", "0"),
  is(`#{${option.mark}}`, pane.mark)
]

/** What only marks a pane may do so while somebody scrolls in it. */
const evenScrolled = (conditions: ReadonlyArray<string>) =>
  conditions.filter((condition) => !condition.includes("pane_in_mode"))

/** Without a target of its own, the condition would read the options of another pane. */
const guarded = (
  pane: Pane,
  conditions: ReadonlyArray<string>,
  list: ReadonlyArray<string>,
  otherwise: string
): TmuxCommand => ["if-shell", "-t", pane.id, "-F", all(conditions), list.join(" ; "), otherwise]

const setting = (pane: Pane, name: string, value: string) => `set-option -p -t ${pane.id} ${name} '${value}'`

const marking = (pane: Pane, which: HandOverTry, step: Step) =>
  setting(pane, option.mark, markOf(which, step))

/** Loads the words from stdin and pastes them, as a pasted text where the program knows such, with their mark. */
export const paste = (
  pane: Pane,
  which: HandOverTry,
  { epoch, buffer, now }: { readonly epoch: string; readonly buffer: string; readonly now: number }
): ReadonlyArray<TmuxCommand> => [
  ["load-buffer", "-b", buffer, "-"],
  guarded(
    pane,
    // What was written since it was seen to be ready may be a question.
    [...untouched(pane, epoch), is(cursorFormat, pane.cursor)],
    [
      `paste-buffer -p -r -d -b ${buffer} -t ${pane.id}`,
      marking(pane, which, "pasted"),
      setting(pane, option.pasted, String(now)),
      `set-option -p -u -t ${pane.id} ${option.screen}`,
      `set-option -p -u -t ${pane.id} ${option.asked}`
    ],
    `delete-buffer -b ${buffer}`
  )
]

/** Notes how the screen looks into which Enter is to be pressed. */
export const note = (pane: Pane, screen: string, epoch: string): TmuxCommand =>
  guarded(pane, untouched(pane, epoch), [setting(pane, option.screen, screen)], "")

/** Notes since when a person is asked for. */
export const asking = (pane: Pane, now: number, epoch: string): TmuxCommand =>
  guarded(pane, evenScrolled(untouched(pane, epoch)), [setting(pane, option.asked, String(now))], "")

/** Presses Enter, if nothing was written since the pane was seen. */
export const submit = (
  pane: Pane,
  which: HandOverTry,
  { epoch, now }: { readonly epoch: string; readonly now: number }
): TmuxCommand =>
  guarded(
    pane,
    [...untouched(pane, epoch), is(cursorFormat, pane.cursor)],
    [
      `send-keys -t ${pane.id} Enter`,
      marking(pane, which, "submitted"),
      setting(pane, option.submitted, String(now))
    ],
    ""
  )

/** Marks a pane without typing: what was withdrawn, or what a person has dealt with. */
export const settle = (pane: Pane, which: HandOverTry, step: Step, epoch: string): TmuxCommand =>
  guarded(pane, evenScrolled(untouched(pane, epoch)), [marking(pane, which, step)], "")
