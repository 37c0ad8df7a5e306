/**
 * Sending: a hand-over is typed into its session's pane, in two steps that leave each a mark in the very moment in which
 * they are done: the words are pasted, and Enter is pressed. After a crash the marks say which step is still to do
 * (G3.2).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Semaphore from "effect/Semaphore"
import { randomUUID } from "node:crypto"
import { killPoint } from "../../disk/KillPoint.ts"
import type { HandOver, HandOverTry } from "../../domain/HandOver.ts"
import { instant } from "../../domain/Item.ts"
import * as RunFolder from "../RunFolder.ts"
import { type Evidence, type Result, SinkError } from "../Sink.ts"
import * as Guard from "./Guard.ts"
import { markOf, type Pane } from "./Pane.ts"
import { fingerprint, type Screens, type Shot, usualReady } from "./Screen.ts"
import { paneOf, type Seen, type Server } from "./Server.ts"
import type { Tmux } from "./Tmux.ts"
import { typeable } from "./Words.ts"

/** After the paste: an Enter that comes sooner may be taken for a part of it. */
const pause = 150
/** Two looks that show the same: the screen has come to rest. */
const between = 100
/** How long a send waits for that, and for an agent that was ready a moment ago, in milliseconds. */
const patience = 2_000
/** How long one send may take, in milliseconds. */
const bound = 5_000

const notReady = (message: string) => new SinkError({ reason: "NotReady", message })

const handedOver: Evidence = { _tag: "HandedOver" }
const none: Evidence = { _tag: "None" }

/** What the exit file says, which is all that outlives the pane. */
const submitted = 0
const leftBefore = 1

interface Parts {
  readonly tmux: Tmux
  readonly server: Server
  readonly screens: Screens
  readonly folder: RunFolder.RunFolder
}

export const make = ({ tmux, server, screens, folder }: Parts) => {
  const { epoch } = server
  /** Tries of which it is certain although the disk would not take it. */
  const known = new Map<string, number>()
  const turns = new Map<string, Semaphore.Semaphore>()
  const turnOf = (session: string) => {
    const turn = turns.get(session) ?? Semaphore.makeUnsafe(1)
    turns.set(session, turn)
    return turn
  }

  const settle = Effect.fnUntraced(function* (which: HandOverTry, code: number) {
    yield* (
      folder
        .leave(which, { code, took: 0 })
        // The pane's mark says the same, and where that goes with its pane, this heed's memory does.
        .pipe(Effect.catch(() => Effect.sync(() => known.set(`${which.id}/${which.try}`, code))))
    )
  })

  const settled = Effect.fnUntraced(function* (which: HandOverTry) {
    return known.get(`${which.id}/${which.try}`) ?? (yield* folder.exit(which))?.code
  })

  const whereOf = (seen: Seen, pane: Pane) => `${seen.seat} ${pane.id}`

  const judge = Effect.fnUntraced(function* (
    which: HandOverTry
  ): Effect.fn.Return<Evidence | { readonly _tag: "Typed" }, PlatformError> {
    if ((yield* settled(which)) !== undefined) return handedOver
    const handOver = yield* folder.read(which)
    const where = yield* folder.sending(which)
    if (handOver === undefined || where === undefined) return none
    const seen = yield* server.contact(where.split(" ")[0])
    if (seen._tag === "Silent") return { _tag: "Unknown", why: seen.why }
    const pane = seen._tag === "NoServer" ? undefined : paneOf(seen, handOver.session.id)
    if (seen._tag === "NoServer" || pane === undefined || whereOf(seen, pane) !== where) {
      return { _tag: "Lost", why: "the pane that it was sent to is gone: whether it arrived, nobody knows" }
    }
    if (pane.mark === markOf(which, "submitted")) {
      yield* settle(which, submitted)
      return handedOver
    }
    if (pane.mark !== markOf(which, "pasted")) return none
    if (!pane.isDead) return { _tag: "Typed" }
    yield* settle(which, leftBefore)
    return handedOver
  })

  /** `Typed`: the words stand before the agent and wait for Enter, which a send presses. */
  const stateOf = (which: HandOverTry) =>
    judge(which).pipe(
      Effect.catch((error) => Effect.succeed<Evidence>({ _tag: "Unknown", why: error.message }))
    )

  const evidence = (which: HandOverTry): Effect.Effect<Evidence> =>
    Effect.map(stateOf(which), (state) => (state._tag === "Typed" ? none : state))

  /** The pane as it is now; fails where it cannot be typed into. */
  const paneFor = Effect.fnUntraced(function* (handOver: HandOver, where: string | undefined) {
    const seen = yield* server.contact(where?.split(" ")[0])
    if (seen._tag === "Silent") return yield* notReady(seen.why)
    const pane = seen._tag === "NoServer" ? undefined : paneOf(seen, handOver.session.id)
    if (seen._tag === "NoServer" || pane === undefined) return yield* notReady("the session is not open")
    if (pane.isDead) return yield* notReady("the session's agent has left")
    return { seen, pane }
  })

  const see = Effect.fnUntraced(function* (pane: Pane) {
    const sight = yield* screens.see(pane.id)
    if (sight._tag === "Silent") return yield* notReady(sight.why)
    if (sight._tag === "Gone") return yield* notReady("the session's pane has just gone")
    return sight.shot
  })

  /** An agent that was ready a moment ago is given that moment again; one that works or asks is not waited for. */
  const readyFor = Effect.fnUntraced(function* (handOver: HandOver, pane: Pane) {
    const ready = handOver.plan.ready ?? usualReady
    const until = (yield* Clock.currentTimeMillis) + patience
    for (;;) {
      const shot = yield* see(pane)
      if (yield* screens.isReady(shot, ready)) return shot
      yield* screens.leaveMode(shot.pane)
      if ((yield* Clock.currentTimeMillis) >= until) {
        const line = yield* screens.lastLine(shot.screen)
        return yield* notReady(
          shot.pane.isInMode
            ? "somebody scrolls in the session"
            : `the agent is not ready for words${line === "" ? "" : `; its screen ends with: ${line}`}`
        )
      }
      yield* Effect.sleep(between)
    }
  })

  /** The screen once it has come to rest after the paste. */
  const rested = Effect.fnUntraced(function* (pane: Pane) {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(Math.max(0, Math.min(pause, pane.pasted + pause - now)))
    let shot = yield* see(pane)
    const until = (yield* Clock.currentTimeMillis) + patience
    for (;;) {
      yield* Effect.sleep(between)
      const next = yield* see(pane)
      if (fingerprint(next) === fingerprint(shot)) return next
      if ((yield* Clock.currentTimeMillis) >= until) {
        return yield* notReady("the words are pasted, but the agent's screen does not come to rest")
      }
      shot = next
    }
  })

  /** Whether a person has come to the session since one was asked for, and left it again. */
  const wasLookedAfter = ({ pane }: Shot) =>
    pane.asked > 0 && pane.attached === 0 && pane.lastAttached > pane.asked

  /** Leaves what stands typed to a person: who comes from now on deals with it. */
  const askPerson = Effect.fnUntraced(function* (pane: Pane, why: string) {
    if (pane.asked === 0) {
      yield* tmux.ask([Guard.asking(pane, yield* Clock.currentTimeMillis, epoch)])
    }
    return yield* notReady(why)
  })

  /**
   * Whether the screen is another than the paste left. Where nobody came to note that one, all that came to it later
   * than the send which pasted may have taken is a change.
   */
  const hasChanged = (shot: Shot) =>
    shot.pane.screen === ""
      ? shot.pane.activity > shot.pane.pasted + bound + patience
      : shot.pane.screen !== fingerprint(shot)

  const submit = Effect.fnUntraced(function* (which: HandOverTry, pasted: Pane) {
    const shot = yield* rested(pasted)
    const now = yield* Clock.currentTimeMillis
    if (hasChanged(shot)) {
      if (!wasLookedAfter(shot)) {
        return yield* askPerson(
          shot.pane,
          "the words are pasted, but the screen has changed since: heed presses no Enter into it. Attach to the session, submit or remove what stands there, and detach again: heed then takes it as done"
        )
      }
      yield* tmux.ask([Guard.settle(shot.pane, which, "submitted", epoch)])
    } else {
      if (shot.pane.screen === "") yield* tmux.ask([Guard.note(shot.pane, fingerprint(shot), epoch)])
      yield* screens.leaveMode(shot.pane)
      yield* killPoint("words.submitting")
      yield* tmux.ask([Guard.submit(shot.pane, which, { epoch, now })])
      yield* killPoint("words.submitted")
    }
    const after = yield* see(shot.pane)
    if (after.pane.mark !== markOf(which, "submitted")) {
      return yield* notReady("the words are pasted, but the session changed before they could be submitted")
    }
    yield* settle(which, submitted)
  })

  const paste = Effect.fnUntraced(function* (handOver: HandOver, pane: Pane) {
    const now = yield* Clock.currentTimeMillis
    const buffer = `heed-${handOver.id}-${handOver.try}-${randomUUID()}`
    yield* killPoint("words.pasting")
    const answer = yield* tmux.ask(Guard.paste(pane, handOver, { epoch, buffer, now }), {
      input: typeable(handOver.prompt)
    })
    yield* killPoint("words.pasted")
    if (answer._tag === "Refused") {
      // The pane has gone, and with it the list's rest, which would have removed this.
      yield* tmux.ask([["delete-buffer", "-b", buffer]])
    }
    const { pane: after } = yield* see(pane)
    if (after.mark === markOf(handOver, "pasted")) return after
    if (answer._tag !== "Answered") return yield* notReady(answer.why)
    // The list was carried out, and did not paste: there is nothing to look for after a crash. A note that the disk does
    // not let go of is harmless, since the pane's mark says the same.
    yield* Effect.ignore(folder.forgetSending(handOver))
    return yield* notReady("the session changed just before the words were pasted")
  })

  /** Why nothing may be typed: words of another try stand there unsubmitted, and would be submitted with it. */
  const stranded = (which: HandOverTry, shot: Shot): string | undefined => {
    const { mark, screen } = shot.pane
    if (!mark.endsWith(" pasted") || mark === markOf(which, "pasted")) return undefined
    return !wasLookedAfter(shot) && (screen === "" || screen === fingerprint(shot))
      ? "words of an earlier hand-over stand typed in the session and were never submitted. Attach to it, submit or remove them, and detach again"
      : undefined
  }

  const type = Effect.fnUntraced(function* (handOver: HandOver) {
    if ((yield* settled(handOver).pipe(Effect.mapError(RunFolder.diskUnwritable))) === submitted) return
    const where = yield* folder.sending(handOver).pipe(Effect.mapError(RunFolder.diskUnwritable))
    const { seen, pane } = yield* paneFor(handOver, where)
    if (where !== undefined && where !== whereOf(seen, pane)) {
      return yield* notReady("it was sent to a pane that is gone: whether it arrived, nobody knows")
    }
    if (pane.mark === markOf(handOver, "submitted")) return yield* settle(handOver, submitted)
    if (pane.mark === markOf(handOver, "pasted")) return yield* submit(handOver, pane)
    const why = pane.mark.endsWith(" pasted") ? stranded(handOver, yield* see(pane)) : undefined
    if (why !== undefined) return yield* askPerson(pane, why)
    const shot = yield* readyFor(handOver, pane)
    yield* folder.noteSending(handOver, whereOf(seen, pane)).pipe(Effect.mapError(RunFolder.diskUnwritable))
    yield* submit(handOver, yield* paste(handOver, shot.pane))
  })

  const withdrawn = (which: HandOverTry) =>
    new SinkError({
      reason: "Withdrawn",
      message: `try ${which.try} of hand-over ${which.id} was withdrawn and never will be sent`
    })

  const send = Effect.fnUntraced(function* (which: HandOverTry) {
    const claim = yield* folder.claimState(which)
    if (claim._tag === "Void") return yield* withdrawn(which)
    if (claim._tag === "Unreadable") return yield* notReady(claim.why)
    const handOver = yield* folder.read(which).pipe(Effect.mapError(RunFolder.diskUnwritable))
    if (handOver === undefined) {
      return yield* notReady(`nothing was prepared in ${folder.folderOf(which)}`)
    }
    yield* Semaphore.withPermit(turnOf(handOver.session.id), type(handOver))
  })

  /**
   * Marks the pane, so that a client of ours that hangs changes nothing when it is carried out after all. Answers with
   * why that is not certain: the words stand pasted, or tmux does not say.
   */
  const fence = Effect.fnUntraced(function* (which: HandOverTry) {
    const where = yield* folder.sending(which)
    const handOver = yield* folder.read(which)
    if (where === undefined || handOver === undefined) return undefined
    const look = Effect.map(server.contact(where.split(" ")[0]), (seen) =>
      seen._tag === "Seen" ? paneOf(seen, handOver.session.id) : seen._tag === "Silent" ? seen.why : undefined
    )
    const before = yield* look
    // Where the pane is gone, there is nothing that could be typed into.
    if (before === undefined || typeof before === "string") return before
    if (!before.mark.endsWith(" pasted")) yield* tmux.ask([Guard.settle(before, which, "void", epoch)])
    const after = yield* look
    if (after === undefined || typeof after === "string") return after
    // Whoever looks at the session may submit them at any moment.
    if (after.mark === markOf(which, "pasted")) return "the words are pasted and not submitted"
    return after.mark === before.mark && after.mark !== markOf(which, "void")
      ? "tmux did not mark the session"
      : undefined
  })

  return {
    evidence,
    stranded,
    askPerson,

    send: (which: HandOverTry) =>
      send(which).pipe(
        Effect.timeoutOrElse({
          duration: bound,
          orElse: () => Effect.fail(notReady("the words could not be sent within 5 seconds"))
        })
      ),

    withdraw: Effect.fnUntraced(function* (which: HandOverTry): Effect.fn.Return<Evidence> {
      const now = yield* Clock.currentTimeMillis
      const before = yield* stateOf(which)
      if (before._tag === "Typed") {
        // Given back, they would stand in the way of all that follows until a person takes them out.
        return {
          _tag: "Unknown",
          why: "its words stand typed in the session, and are still to be submitted"
        }
      }
      if (before._tag !== "None") return before
      return yield* fence(which).pipe(
        Effect.flatMap((why) =>
          why === undefined
            ? Effect.andThen(folder.makeVoid(which, instant(now)), evidence(which))
            : Effect.succeed<Evidence>({ _tag: "Unknown", why })
        ),
        Effect.catch((error) =>
          Effect.succeed<Evidence>({ _tag: "Unknown", why: `cannot withdraw: ${error.message}` })
        )
      )
    }),

    /** How it ended: known as soon as it was sent. Undefined while that cannot be told. */
    resultOf: Effect.fnUntraced(function* (which: HandOverTry) {
      const found = yield* evidence(which)
      if (found._tag === "Unknown") return undefined
      if (found._tag !== "HandedOver") {
        return { _tag: "Failed", why: "there is no sign that it was handed over" } satisfies Result
      }
      // Unreadable is not over: it is asked again.
      const code = yield* settled(which).pipe(Effect.orElseSucceed(() => undefined))
      if (code === undefined) return undefined
      return code === leftBefore
        ? ({ _tag: "Failed", why: "the agent left before its words were submitted" } satisfies Result)
        : ({ _tag: "Done" } satisfies Result)
    }),

    /** Lets go of what is kept in memory of a session that is over. */
    forget: (session: string) => turns.delete(session)
  } as const
}
