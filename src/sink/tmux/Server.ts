/**
 * Server: heed's own tmux server. It is started apart from any agent and any heed, with next to nothing in its
 * environment; it outlives both. The user's own tmux is another server, and never touched.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import { identify, isAlive, type ProcessIdentity } from "../../disk/ProcessIdentity.ts"
import * as ProcessTable from "../../disk/ProcessTable.ts"
import { SinkError } from "../Sink.ts"
import { lookAtAll, option, type Pane, parsePane } from "./Pane.ts"
import type { Tmux, TmuxCommand } from "./Tmux.ts"

/** What one look at the server shows. */
export type Look =
  | { readonly _tag: "Seen"; readonly seat: string; readonly panes: ReadonlyArray<Pane> }
  | { readonly _tag: "NoServer" }
  | { readonly _tag: "Silent"; readonly why: string }
export type Seen = Extract<Look, { readonly _tag: "Seen" }>

const seatOf = ({ pid, startTime, bootId }: ProcessIdentity) => `${pid}:${startTime}:${bootId}`

const atSeat = (seat: string): ProcessIdentity | undefined => {
  const [, pid, startTime = "", bootId = ""] = /^(\d+):([^:]+):([^:]+)$/u.exec(seat) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), startTime, bootId }
}

/** The pane of a session: the living one, should there be a dead one too. */
export const paneOf = (seen: Seen, session: string): Pane | undefined => {
  const panes = seen.panes.filter((pane) => pane.session === session)
  return panes.find(({ isDead }) => !isDead) ?? panes[0]
}

/** Nothing that a terminal of the user's or a program in a pane may change for the others. */
const settings: ReadonlyArray<TmuxCommand> = [
  ["set-option", "-s", "exit-empty", "off"],
  ["set-option", "-g", "exit-unattached", "off"],
  ["set-option", "-g", "destroy-unattached", "off"],
  ["set-option", "-g", "remain-on-exit", "on"],
  // An older tmux has no such option, and shows its own line.
  ["set-option", "-gq", "remain-on-exit-format", ""],
  ["set-option", "-g", "history-limit", "10000"],
  // For whoever attaches: which item this is, and how to leave.
  ["set-option", "-g", "status-left-length", "100"],
  [
    "set-option",
    "-g",
    "status-left",
    ` #{${option.title}} #{?pane_dead,- the agent has left ,}- C-b d leaves `
  ],
  ["set-option", "-g", "status-right", ""],
  ["set-option", "-g", "window-status-format", ""],
  ["set-option", "-g", "window-status-current-format", ""],
  ["set-option", "-g", "default-size", "200x50"],
  ["set-option", "-g", "default-terminal", "tmux-256color"],
  ["set-option", "-g", "update-environment", ""],
  ["set-option", "-g", "allow-rename", "off"],
  ["set-option", "-g", "automatic-rename", "off"],
  ["set-option", "-g", "lock-after-time", "0"],
  ...["PATH", "HOME", "LANG", "TERM"].map((name) => ["set-environment", "-gu", name])
]

const notReady = (message: string) => new SinkError({ reason: "NotReady", message })

/** How long a server that was asked to make its socket again may take. */
const patience = Schedule.max([Schedule.spaced("50 millis"), Schedule.recurs(20)])

/** How long a server that did not make it is not told again, in milliseconds: each time costs twenty looks. */
const respite = 60_000

export const make = (tmux: Tmux) => {
  /** Whoever raised it last may type: a client of an earlier heed that comes late changes nothing. */
  const epoch = randomUUID()
  /** The servers on which this heed has raised it: once each, so that it never takes it back from a later one. */
  const raised = new Set<string>()
  const raise: TmuxCommand = ["set-option", "-s", option.epoch, epoch]

  const lookOnce = Effect.gen(function* (): Effect.fn.Return<Look> {
    const answer = yield* tmux.ask([["display-message", "-p", "#{pid}"], lookAtAll])
    if (answer._tag === "NoServer") return { _tag: "NoServer" }
    if (answer._tag === "Silent") return answer
    // What it says of a list of all panes when there is none.
    if (answer._tag === "Refused" && answer.why !== "no current target") {
      return { _tag: "Silent", why: answer.why }
    }
    const [pid = "", ...lines] = answer.text.split("\n")
    const server = yield* identify(Number(pid))
    if (server === undefined) return { _tag: "Silent", why: `the tmux server (pid ${pid}) has just gone` }
    return { _tag: "Seen", seat: seatOf(server), panes: lines.flatMap((line) => parsePane(line) ?? []) }
  })

  /** When a server was told in vain, in milliseconds. */
  const toldInVain = new Map<string, number>()

  /** A server whose socket was removed makes it again when it is told to; one that cannot is left alone for a while. */
  const revive = Effect.fnUntraced(function* (server: ProcessIdentity): Effect.fn.Return<Look> {
    const seat = seatOf(server)
    const since = (yield* Clock.currentTimeMillis) - (toldInVain.get(seat) ?? 0)
    if (toldInVain.has(seat) && since >= 0 && since < respite) return { _tag: "NoServer" }
    yield* ProcessTable.signal(server, "SIGUSR1")
    const seen = yield* lookOnce.pipe(
      Effect.repeat({ while: ({ _tag }) => _tag === "NoServer", schedule: patience }),
      Effect.andThen(lookOnce)
    )
    if (seen._tag === "NoServer") toldInVain.set(seat, yield* Clock.currentTimeMillis)
    else toldInVain.delete(seat)
    return seen
  })

  /** Looks; where nobody listens although the session's server lives, it is told to listen again. */
  const look = Effect.fn("TmuxServer.look")(function* (seat: string | undefined): Effect.fn.Return<Look> {
    const seen = yield* lookOnce
    const server = seat === undefined ? undefined : atSeat(seat)
    if (server === undefined || (seen._tag === "Seen" && seen.seat === seat) || seen._tag === "Silent")
      return seen
    if (!(yield* isAlive(server))) return seen
    const what = `the tmux server (pid ${server.pid}) of this session lives`
    if (seen._tag === "Seen") {
      return { _tag: "Silent", why: `${what}, but another one has taken its socket ${tmux.socket}` }
    }
    const again = yield* revive(server)
    return again._tag === "NoServer"
      ? { _tag: "Silent", why: `${what}, but does not listen on ${tmux.socket}` }
      : again
  })

  /** A living server on this socket that only its socket's file was taken from. */
  const findDeaf = Effect.gen(function* () {
    for (const { pid, name } of yield* ProcessTable.rows) {
      if (name !== "tmux: server") continue
      const words = yield* ProcessTable.argumentsOf(pid)
      if (words.includes("start-server") && words[words.indexOf("-S") + 1] === tmux.socket) {
        return yield* identify(pid)
      }
    }
    return undefined
  })

  /** Makes sure that the marks on its panes are read only once nobody else can set them. */
  const contact = Effect.fn("TmuxServer.contact")(function* (
    seat: string | undefined
  ): Effect.fn.Return<Look> {
    const seen = yield* look(seat)
    if (seen._tag !== "Seen" || raised.has(seen.seat)) return seen
    const answer = yield* tmux.ask([raise])
    if (answer._tag === "NoServer") return { _tag: "NoServer" }
    if (answer._tag !== "Answered") return { _tag: "Silent", why: answer.why }
    raised.add(seen.seat)
    return yield* look(seat)
  })

  /** The server, started if there is none. */
  const started = Effect.gen(function* () {
    const before = yield* contact(undefined)
    if (before._tag === "Seen") return before
    if (before._tag === "Silent") return yield* notReady(before.why)
    const deaf = yield* findDeaf
    if (deaf === undefined) {
      const answer = yield* tmux.ask([["start-server"], ...settings, raise], { starts: true })
      if (answer._tag !== "Answered") return yield* notReady(`tmux could not be started: ${answer.why}`)
    } else yield* revive(deaf)
    const seen = yield* contact(undefined)
    if (seen._tag === "Seen") return seen
    return yield* notReady(
      seen._tag === "Silent" ? seen.why : `the tmux server does not listen on ${tmux.socket}`
    )
  })

  return { epoch, look, contact, started } as const
}

/** What `make` answers with. */
export type Server = ReturnType<typeof make>
