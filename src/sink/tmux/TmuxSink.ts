/**
 * The `tmux` sink: a session is an agent in a pane of heed's own tmux server, open between hand-overs, and a hand-over is
 * words typed to it. Sessions outlive heed, and people can look at them and type themselves.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Semaphore from "effect/Semaphore"
import { killPoint } from "../../disk/KillPoint.ts"
import { identify } from "../../disk/ProcessIdentity.ts"
import type { AgentPlan } from "../../domain/Agent.ts"
import type { HandOver, HandOverTry } from "../../domain/HandOver.ts"
import { instant, type Instant } from "../../domain/Item.ts"
import type { EnvironmentOptions } from "../AgentEnvironment.ts"
import { standardPath } from "../AgentEnvironment.ts"
import * as AgentStart from "../AgentStart.ts"
import * as FindCommand from "../FindCommand.ts"
import * as RunFolder from "../RunFolder.ts"
import { type Liveness, type SessionAt, type Showing, type Sink, SinkError } from "../Sink.ts"
import { clientEnvironment, closeEnvironment, opening, stepAside, tooLong } from "./Opening.ts"
import { option, type Pane } from "./Pane.ts"
import { endRemains } from "./Remains.ts"
import * as Screen from "./Screen.ts"
import * as Sending from "./Sending.ts"
import * as TmuxServer from "./Server.ts"
import * as Tmux from "./Tmux.ts"

/** Where the sink's server and runs lie. */
export interface TmuxSinkOptions extends EnvironmentOptions {
  /** Absolute: `<root>/runs`. */
  readonly runs: string
  /** Absolute: the socket of heed's own tmux server. */
  readonly tmuxSocket: string
  /** Milliseconds between TERM and KILL. Default 10 seconds. */
  readonly grace?: number
}

/** A terminal takes more, but an agent reads no more at once. */
const capacity = 100_000

/** A `resume` that leaves this soon, in milliseconds, had nothing to resume. */
const resumeTooShort = 5_000

type Left = Extract<Liveness, { _tag: "Dead" | "Lost" | "Absent" }>

const notReady = (message: string) => new SinkError({ reason: "NotReady", message })

/** A sink over `options.runs`. Needs Linux's `/proc`, and tmux 3.2 or later. */
export const make = Effect.fn("TmuxSink.make")(function* (options: TmuxSinkOptions) {
  const path = yield* Path.Path
  const folder = yield* RunFolder.make(options.runs)
  const start = yield* AgentStart.make(folder, options)
  const findCommand = yield* FindCommand.make
  const tmux = yield* Tmux.make({ socket: options.tmuxSocket, variables: options.variables })
  const server = TmuxServer.make(tmux)
  const screens = Screen.make(tmux)
  const sending = Sending.make({ tmux, server, screens, folder })
  const grace = options.grace ?? 10_000
  const runs = path.resolve(options.runs)

  const ready = Effect.fn("TmuxSink.ready")(function* (plan: AgentPlan) {
    const searched = options.variables["PATH"] ?? standardPath
    if ((yield* findCommand("tmux", "/", searched)) === undefined) {
      return yield* new SinkError({
        reason: "AgentNotStarted",
        message: `tmux was not found. PATH searched: ${searched}. Install tmux 3.2 or later`
      })
    }
    yield* start.ready(plan)
  })

  const prepare = Effect.fn("TmuxSink.prepare")(function* (handOver: HandOver) {
    yield* folder.write(handOver).pipe(Effect.mapError(RunFolder.diskUnwritable))
  })

  /** What the screen of an agent that has left said last. */
  const lastWords = Effect.fnUntraced(function* (pane: Pane) {
    const sight = yield* screens.see(pane.id)
    const line = sight._tag === "Shown" ? yield* screens.lastLine(sight.shot.screen) : ""
    return line === "" ? "the agent has left" : `the agent has left: ${line}`
  })

  /** Whether a session that has no pane on this server was opened on it. */
  const wasOpened = Effect.fnUntraced(function* (session: string) {
    const answer = yield* tmux.ask([["display-message", "-p", `#{${option.opened(session)}}`]])
    return answer._tag === "Answered" && answer.text.trim() === "1"
  })

  const judge = Effect.fnUntraced(function* (
    session: SessionAt,
    seen: TmuxServer.Look
  ): Effect.fn.Return<Liveness> {
    if (seen._tag === "Silent") return { _tag: "Unknown", why: seen.why }
    const pane = seen._tag === "NoServer" ? undefined : TmuxServer.paneOf(seen, session.id)
    if (pane !== undefined) {
      return pane.isDead
        ? { _tag: "Dead", why: yield* lastWords(pane) }
        : { _tag: "Live", conversation: pane.conversation }
    }
    if (seen._tag === "Seen" && (session.seat === undefined || session.seat === seen.seat)) {
      return (yield* wasOpened(session.id))
        ? { _tag: "Dead", why: "somebody ended it in tmux" }
        : { _tag: "Absent" }
    }
    return session.seat === undefined
      ? { _tag: "Absent" }
      : { _tag: "Lost", why: "the tmux server that held it is gone" }
  })

  const result = Effect.fn("TmuxSink.result")(function* (which: HandOverTry) {
    for (;;) {
      const found = yield* sending.resultOf(which)
      if (found !== undefined) return found
      yield* Effect.sleep("1 second")
    }
  })

  const probe = Effect.fn("TmuxSink.probe")((session: SessionAt) =>
    Effect.flatMap(server.look(session.seat), (seen) => judge(session, seen))
  )

  /** Ends what still runs of a session that has no living pane, and takes its dead pane away. */
  const clear = Effect.fnUntraced(function* (session: string, seen: TmuxServer.Look) {
    const panes = seen._tag === "Seen" ? seen.panes : []
    const pane = seen._tag === "Seen" ? TmuxServer.paneOf(seen, session) : undefined
    yield* endRemains({ session, runs }, { _tag: "Left" }, grace)
    if (pane !== undefined) {
      screens.forget(pane.id)
      // Somebody may have moved it to another session, or another session's pane to it.
      const isAlone = panes.every(({ home, session: whose }) => home !== pane.home || whose === session)
      const mayGo = pane.isAtHome && isAlone
      yield* tmux.ask([mayGo ? ["kill-session", "-t", pane.home] : ["kill-pane", "-t", pane.id]])
    }
  })

  const makePane = Effect.fnUntraced(function* (handOver: HandOver) {
    const command = yield* start.commandOf(handOver)
    const name = tooLong(command.environment)
    if (name !== undefined) {
      return yield* new SinkError({
        reason: "AgentNotStarted",
        message: `the variable ${name} is longer than tmux takes: shorten it, or take it out of the agent's env or passEnv`
      })
    }
    const now = yield* Clock.currentTimeMillis
    // Refused where nobody has the name, as nearly always.
    yield* tmux.ask([stepAside(handOver, now)])
    yield* killPoint("pane.opening")
    const answer = yield* tmux.ask(opening(handOver, command, now), {
      environment: clientEnvironment(command.environment)
    })
    yield* killPoint("pane.opened")
    if (answer._tag === "Answered") return
    if (answer._tag !== "Refused") return yield* notReady(answer.why)
    yield* tmux.ask([closeEnvironment])
    return yield* new SinkError({
      reason: "AgentNotStarted",
      message: `tmux did not open the session: ${answer.why}`
    })
  })

  /** The living pane of a session, made where there is none; `isNew` then. */
  const livingPane = Effect.fnUntraced(function* (handOver: HandOver) {
    const id = handOver.session.id
    const seen = yield* server.started
    const before = TmuxServer.paneOf(seen, id)
    if (before !== undefined && !before.isDead) return { id: before.id, isNew: false }
    yield* clear(id, seen)
    yield* makePane(handOver)
    const after = TmuxServer.paneOf(yield* server.started, id)
    return after === undefined
      ? yield* notReady("the session's pane has just gone")
      : { id: after.id, isNew: true }
  })

  const open = Effect.fn("TmuxSink.open")(function* (handOver: HandOver) {
    const plan = handOver.plan.ready ?? Screen.usualReady
    const { id, isNew } = yield* livingPane(handOver)
    const until = (yield* Clock.currentTimeMillis) + plan.timeout
    for (;;) {
      const sight = yield* screens.see(id)
      const now = yield* Clock.currentTimeMillis
      if (sight._tag === "Gone") return yield* notReady("the session was ended while it was opened")
      if (sight._tag === "Shown") {
        const { pane, screen } = sight.shot
        if (pane.isDead) {
          // It was started before, and has had its reasons to leave.
          if (!isNew) return yield* notReady(yield* lastWords(pane))
          const nothingToResume =
            !handOver.opens && handOver.plan.resume !== undefined && now - pane.born < resumeTooShort
          return yield* new SinkError({
            reason: nothingToResume ? "ConversationLost" : "AgentNotStarted",
            message: yield* lastWords(pane)
          })
        }
        const stranded = sending.stranded(handOver, sight.shot)
        if ((yield* screens.isReady(sight.shot, plan)) && stranded === undefined) return
        yield* screens.leaveMode(pane)
        if (now >= until) {
          if (stranded !== undefined) return yield* sending.askPerson(pane, stranded)
          const line = yield* screens.lastLine(screen)
          return yield* notReady(
            `the agent is not ready for words after ${plan.timeout / 1000} s${line === "" ? "" : `; its screen ends with: ${line}`}`
          )
        }
      } else if (now >= until) return yield* notReady(sight.why)
      yield* Effect.sleep(Math.min(500, Math.max(20, plan.delay / 4)))
    }
  })

  const turn = yield* Semaphore.make(1)
  let glance: { readonly seen: TmuxServer.Look; readonly at: number } | undefined
  /** One look a second, whoever waits: a hundred sessions cost what one does. */
  const sharedLook = Semaphore.withPermit(
    turn,
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (glance !== undefined && now - glance.at < 900 && now >= glance.at) return glance.seen
      const seen = yield* server.look(undefined)
      glance = { seen, at: yield* Clock.currentTimeMillis }
      return seen
    })
  )

  const left = Effect.fn("TmuxSink.left")(function* (session: SessionAt): Effect.fn.Return<Left> {
    for (;;) {
      const seen = yield* sharedLook
      const pane = seen._tag === "Seen" ? TmuxServer.paneOf(seen, session.id) : undefined
      if (pane === undefined || pane.isDead) {
        const now = yield* probe(session)
        if (now._tag !== "Live" && now._tag !== "Unknown") return now
      }
      yield* Effect.sleep("1 second")
    }
  })

  const living = Effect.fnUntraced(function* (session: SessionAt) {
    const seen = yield* server.look(session.seat)
    const pane = seen._tag === "Seen" ? TmuxServer.paneOf(seen, session.id) : undefined
    return pane === undefined || pane.isDead ? undefined : pane
  })

  const idleSince = Effect.fn("TmuxSink.idleSince")(function* (
    session: SessionAt
  ): Effect.fn.Return<Instant | undefined> {
    const pane = yield* living(session)
    if (pane === undefined || pane.attached > 0) return undefined
    return instant(Math.max(pane.activity, pane.born, pane.submitted))
  })

  const show = Effect.fn("TmuxSink.show")(function* (session: SessionAt) {
    const pane = yield* living(session)
    if (pane === undefined) return yield* notReady("nothing of the session lives")
    const attach = ["attach-session", "-E", "-t", pane.home]
    return {
      // From within a tmux of the user's own, too.
      command: "env",
      args: ["-u", "TMUX", "-u", "TMUX_PANE", "tmux", "-u", "-S", tmux.socket, ...attach]
    } satisfies Showing
  })

  const end = Effect.fn("TmuxSink.end")(function* (session: SessionAt) {
    yield* killPoint("pane.ending")
    const pane = yield* living(session)
    const leader = pane === undefined ? undefined : yield* identify(pane.pid)
    // It may have left, and its number be another's, between the first look and this one.
    const again = leader === undefined ? undefined : yield* living(session)
    if (leader !== undefined && again?.pid === leader.pid) {
      yield* endRemains({ session: session.id, runs }, { _tag: "Led", by: leader }, grace)
    }
    const seen = yield* server.look(session.seat)
    yield* clear(session.id, seen)
    if (seen._tag === "Seen") yield* tmux.ask([["set-option", "-su", option.opened(session.id)]])
    sending.forget(session.id)
    yield* killPoint("pane.ended")
  })

  return {
    name: "tmux",
    capacity,
    ready,
    prepare,
    send: Effect.fn("TmuxSink.send")(sending.send),
    evidence: Effect.fn("TmuxSink.evidence")(sending.evidence),
    withdraw: Effect.fn("TmuxSink.withdraw")(sending.withdraw),
    result,
    probe,
    end,
    stays: { seat: Effect.map(server.started, ({ seat }) => seat), open, left, idleSince, show }
  } satisfies Sink
})
