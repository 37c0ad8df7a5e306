/** Agents in tmux for worlds with the real command: programs that take what is typed and write it down, one line a paste. */
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { World } from "./world.ts"

/**
 * Takes bytes as they come, as a program with a screen of its own does. It writes down how it was started, and shows the
 * words it was given, as one that can be resumed.
 */
const script = (folder: string) => `
item=$(printf %s "$HEED_WORK_ITEM_KEY" | tr / _)
printf '%s %s %s\\n' "$HEED_WORK_ITEM_KEY" "$1" "$2" >> '${folder}/started'
[ ! -e '${folder}/begin' ] || . '${folder}/begin'
stty raw -echo
printf '\\033[?2004h> '
exec cat >> '${folder}/typed-'"$item"
`

/** One start of an agent: `command` or `resume`, and the conversation. */
export interface Started {
  readonly item: string
  readonly how: string
  readonly conversation: string
}

/** What the agents of a world in tmux are, and what they were given. */
export const make = (folder: string) => {
  const file = join(folder, "pane.sh")
  writeFileSync(file, script(folder))
  const typed = (item: string) => {
    const log = join(folder, `typed-${item.replaceAll("/", "_")}`)
    return existsSync(log) ? readFileSync(log, "utf8") : ""
  }
  return {
    /** The agent's section of the configuration. */
    section: {
      sink: "tmux",
      command: ["sh", file, "command", "{{ conversation.id }}"],
      resume: ["sh", file, "resume", "{{ conversation.id }}"],
      cwd: folder,
      ready: { delay: "50ms", timeout: "10s" },
      endGrace: "0s"
    },
    /** In sh, what an agent does before it takes words. */
    begin: (sh: string) => writeFileSync(join(folder, "begin"), `${sh}\n`),
    /** What was pasted and submitted to the item's agents, in order. */
    pastes: (item: string): ReadonlyArray<string> =>
      typed(item)
        .split("\u001b[200~")
        .flatMap((part) => {
          const end = part.indexOf("\u001b[201~\r")
          return end === -1 ? [] : [part.slice(0, end)]
        }),
    /** The tokens `say-…` that the item's agents were given, in order. */
    words: (item: string): ReadonlyArray<string> => typed(item).match(/say-[a-z0-9-]*/gu) ?? [],
    started: (): ReadonlyArray<Started> =>
      (existsSync(join(folder, "started")) ? readFileSync(join(folder, "started"), "utf8") : "")
        .split("\n")
        .slice(0, -1)
        .map((line) => {
          const [item = "", how = "", conversation = ""] = line.split(" ")
          return { item, how, conversation }
        })
  }
}

/** The tmux server of a world's root, as a person reaches it; it is gone at the end of the test. */
export const server = Effect.fnUntraced(function* (w: World) {
  const ask = (...args: ReadonlyArray<string>) => {
    const name = readdirSync(w.root).find((entry) => /^tmux.*\.sock$/u.test(entry)) ?? "tmux.sock"
    return execFileSync("tmux", ["-N", "-S", join(w.root, name), "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 10_000
    })
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      try {
        ask("kill-server")
      } catch {
        // The test has ended it, or never began one.
      }
    })
  )
  return {
    ask,
    panes: () =>
      ask("list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_dead} #{session_name}")
        .split("\n")
        .filter((line) => line !== "")
  }
})
