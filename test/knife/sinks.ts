/**
 * The sinks that the knife knows: for each an agent's entry in the configuration, and a reader of what its agents
 * received. The agents write down what they get in one write before they do anything else, so that a run that was begun
 * has said so.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { KillPoint } from "../../src/disk/KillPoint.ts"
import type { Received } from "./compare.ts"

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** What stands in people's words: `say` is for the agent, `alien` a stranger's. */
export const tokens = "(say|alien)-[0-9]+"

/** An agent that was told so works for so many seconds. */
export const nap = (seconds: number) => `nap-${seconds}`

/** An agent that was told so fails. */
export const failure = "please-fail"

/** Where a chapter lies. */
export interface Home {
  readonly folder: string
  /** heed's state root, which is not there yet. */
  readonly root: string
}

/** Agents of one sink, in one chapter. */
export interface Agents {
  /** Its entry under `agents`. */
  readonly entry: { readonly [key: string]: Json }
  /** What they received so far, in the order of arrival. */
  readonly received: () => ReadonlyArray<Received>
}

export interface KnifeSink {
  readonly name: string
  /** Whether a hand-over to this sink passes a kill point. */
  readonly passes: (point: KillPoint) => boolean
  /** Whether heed learns that an agent failed: only then is anything given up, and the item told so. */
  readonly failures: "told" | "unknown"
  /** What has to leave with the chapter, such as a server, belongs to its scope. */
  readonly make: (home: Home) => Effect.Effect<Agents, never, Scope.Scope>
}

/** Notes one hand-over as a line, in a single write. `$1` says whether it opens the session. */
const note = (inbox: string) => `
words=$(grep -oE '${tokens}' "$HEED_PROMPT_FILE" | tr '\\n' ' ')
! grep -q 'did not get through to the agent' "$HEED_PROMPT_FILE" || words="heed-itself $words"
again=
! grep -q '^This may repeat what you have been given' "$HEED_PROMPT_FILE" || again=again
printf '%s|%s|%s|%s|%s|%s|%s\\n' "$HEED_WORK_ITEM_KEY" "$HEED_SESSION_ID" "$HEED_DELIVERY_ID" "$HEED_ATTEMPT" "$1" "$again" "$words" >> '${inbox}'
`

/** A run that fails without a word in its first seconds would count as a conversation that is lost, so it has one. */
const processAgent = (inbox: string) => `${note(inbox)}
! nap=$(grep -oE 'nap-[0-9.]+' "$HEED_PROMPT_FILE" | tail -n 1) || sleep "\${nap#nap-}"
! grep -q '${failure}' "$HEED_PROMPT_FILE" || { echo 'as told'; exit 1; }
`

const readInbox = (inbox: string): ReadonlyArray<Received> => {
  if (!existsSync(inbox)) return []
  // A line is there once its end is.
  const lines = readFileSync(inbox, "utf8").split("\n").slice(0, -1)
  return lines.map((line) => {
    const [item = "", session = "", handOver = "", attempt = "", opens = "", again = "", words = ""] =
      line.split("|")
    return {
      item,
      session,
      handOver,
      attempt: Number(attempt),
      opens: opens === "opens",
      mayRepeat: again === "again",
      words: words.split(" ").filter((word) => word !== "")
    }
  })
}

const process: KnifeSink = {
  name: "process",
  passes: (point) => !/^(?:pane|words)\./u.test(point),
  failures: "told",
  make: Effect.fn("knife.process")(function* ({ folder }) {
    const inbox = join(folder, "inbox")
    const script = join(folder, "agent.sh")
    yield* Effect.sync(() => writeFileSync(script, processAgent(inbox)))
    return {
      entry: {
        sink: "process",
        command: ["sh", script, "opens"],
        resume: ["sh", script, "continues"],
        cwd: folder
      },
      received: () => readInbox(inbox)
    }
  })
}

/**
 * Takes what is typed as it comes, as a program with a screen of its own does, into a file for each session. What was
 * pasted counts as received once it was submitted.
 */
const paneAgent = (typed: string) => `
item=$(printf %s "$HEED_WORK_ITEM_KEY" | tr / _)
stty raw -echo
printf '\\033[?2004h> '
exec cat >> '${typed}/'"$item $HEED_SESSION_ID"
`

/** A paste, or Enter: nothing that heed types holds an escape. */
// oxlint-disable-next-line no-control-regex -- the bracket that terminals put around a paste
const typing = /\u001b\[200~([^\u001b]*)\u001b\[201~|\r/gu

/** Stands among the words of a submission without any text: there was an Enter too many. */
export const bareEnter = "an-enter-of-its-own"

/** What a program with a screen has read at each Enter: whatever was pasted since the last one, twice if it was pasted twice. */
export const submitted = (typed: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let held = ""
  for (const [, text] of typed.matchAll(typing)) {
    if (text !== undefined) {
      held += `${text}\n`
      continue
    }
    texts.push(held === "" ? bareEnter : held)
    held = ""
  }
  return texts
}

/** Each item's sessions follow one another: the order between items does not count. */
const readTyped = (typed: string): ReadonlyArray<Received> =>
  readdirSync(typed)
    .map((name) => ({ name, at: statSync(join(typed, name)).birthtimeMs }))
    .sort((one, other) => one.at - other.at)
    .flatMap(({ name }) => {
      const [item = "", session = ""] = name.split(" ")
      return submitted(readFileSync(join(typed, name), "utf8")).map((text, index) => ({
        item: item.replace("_", "/"),
        session,
        handOver: `${session} ${index}`,
        attempt: 1,
        opens: text.startsWith("Work on this"),
        mayRepeat: text.includes("\nThis may repeat what you have been given"),
        words: text.match(new RegExp(`${tokens}|${bareEnter}`, "gu")) ?? []
      }))
    })

const tmux: KnifeSink = {
  name: "tmux",
  // What heed does whatever the sink is tried with the other one.
  passes: (point) => /^(?:record|hand-over|session|pane|words)\./u.test(point),
  failures: "unknown",
  make: Effect.fn("knife.tmux")(function* ({ folder, root }) {
    const typed = join(folder, "typed")
    const script = join(folder, "agent.sh")
    yield* Effect.sync(() => {
      mkdirSync(typed)
      writeFileSync(script, paneAgent(typed))
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        const sockets = existsSync(root)
          ? readdirSync(root).filter((name) => /^tmux.*\.sock$/u.test(name))
          : []
        // The server is the chapter's own, as its root is.
        for (const name of sockets) {
          execFileSync("tmux", ["-N", "-S", join(root, name), "kill-server"], { stdio: "ignore" })
        }
      })
    )
    return {
      entry: {
        sink: "tmux",
        command: ["sh", script],
        resume: ["sh", script],
        cwd: folder,
        ready: { delay: "50ms", timeout: "10s" },
        endGrace: "0s"
      },
      received: () => readTyped(typed)
    }
  })
}

/** A sink that is added here is under the knife; `both` on the command line means all of these. */
export const sinks: { readonly [name: string]: KnifeSink } = { process, tmux }
