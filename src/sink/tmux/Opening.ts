/**
 * Opening: the pane of a session, with its agent as the first process and nothing in its environment but what it is
 * meant to have. No value of that is an argument of anything: it comes with the client that makes the pane (G5.3).
 */
import type { HandOver } from "../../domain/HandOver.ts"
import type { Startable } from "../AgentStart.ts"
import { asOption, option } from "./Pane.ts"
import type { TmuxCommand } from "./Tmux.ts"

/** What tmux itself puts into a pane's environment, in place of what may have been there. TERM is its to say. */
const ofTmux = ["TMUX", "TMUX_PANE", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM", "SHELL"]

const aside = (name: string) => `heed__${name}`

/** The client's environment: the agent's, with what tmux would overwrite put aside for a moment. */
export const clientEnvironment = (
  environment: Startable["environment"]
): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [ofTmux.includes(name) ? aside(name) : name, value])
  )

/** Runs in the pane, and becomes the agent. Arguments: the working folder, the command and its arguments. */
const becoming = (environment: Startable["environment"]): string =>
  [
    `unset ${ofTmux.join(" ")}`,
    ...ofTmux
      .filter((name) => name in environment)
      .map((name) => `export ${name}="$${aside(name)}"; unset ${aside(name)}`),
    'cd -- "$1" || exit 126',
    "unset OLDPWD",
    "shift",
    'exec "$@"'
  ].join("\n")

/** The longest `NAME=value` that tmux takes, in bytes; what is longer it drops without a word. */
const longest = 16_000

/** The name of a variable that would not arrive. */
export const tooLong = (environment: Startable["environment"]): string | undefined =>
  Object.entries(environment).find(([name, value]) => Buffer.byteLength(`${name}=${value}`) > longest)?.[0]

/** What `tmux ls` shows. Letters, digits and dashes alone: tmux would change others, or read more into them. */
export const nameOf = (handOver: HandOver): string => {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")
  return `heed-${plain(handOver.item.slug).slice(0, 32)}-${plain(handOver.session.id).slice(0, 13)}`
}

/** What the status line calls it: the item's key and the agent, without anything that tmux would read. */
const titleOf = ({ item, session }: HandOver): string =>
  `${item.key} ${session.agent}`.replaceAll(/[^\w./#!:@ -]/gu, "_")

/** Frees the name of a session whose pane is gone, where people keep windows of theirs open in it. */
export const stepAside = (handOver: HandOver, now: number): TmuxCommand => {
  const name = nameOf(handOver)
  return ["rename-session", "-t", `=${name}`, `${name}-left-${now}`]
}

/** Keeps the pane from taking anything of a later client's environment. */
export const closeEnvironment: TmuxCommand = ["set-option", "-g", "update-environment", ""]

/** Makes the pane, with everything by which it is found again. */
export const opening = (handOver: HandOver, start: Startable, now: number): ReadonlyArray<TmuxCommand> => {
  const name = nameOf(handOver)
  const onPane = (key: string, value: string) => ["set-option", "-p", "-t", `=${name}:`, key, value]
  const agent = [start.cwd, start.command, ...start.args]
  return [
    // Each by its name: of a pattern's matches, some tmux take over only the first.
    ["set-option", "-g", "update-environment", Object.keys(clientEnvironment(start.environment)).join(" ")],
    // tmux reads a single word of a command as a shell would; several are run as they are.
    [
      "new-session",
      "-d",
      "-s",
      name,
      "-c",
      "/",
      "/bin/sh",
      "-c",
      becoming(start.environment),
      "heed",
      ...agent
    ],
    closeEnvironment,
    ["set-option", "-t", `=${name}:`, option.home, handOver.session.id],
    ["set-option", "-t", `=${name}:`, option.title, titleOf(handOver)],
    onPane(option.session, handOver.session.id),
    onPane(option.conversation, asOption(handOver.conversation)),
    onPane(option.born, String(now)),
    ["set-option", "-p", "-F", "-t", `=${name}:`, option.agent, "#{pane_pid}"],
    // The agent has them; windows that people open in the session need none of its secrets.
    ...Object.keys(clientEnvironment(start.environment)).map((variable) => [
      "set-environment",
      "-t",
      `=${name}`,
      "-u",
      variable
    ]),
    ["set-option", "-s", option.opened(handOver.session.id), "1"]
  ]
}
