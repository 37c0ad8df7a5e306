/**
 * The memory sink with sessions that stay open: what tmux does, without tmux, for tests and embedders. They outlive an
 * engine that is built over them; the test's hands let agents leave, take the whole host away, and decide who is ready.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { HandOver } from "../domain/HandOver.ts"
import { type Instant, instant } from "../domain/Item.ts"
import * as MemorySinks from "./MemorySinks.ts"
import { type Evidence, type Liveness, type SessionAt, type Sink, SinkError } from "./Sink.ts"

/** One open session. */
interface Opened {
  readonly conversation: string
  readonly isAlive: boolean
  readonly usedAt: Instant
}

/** Everything that is open on one host. */
interface Host {
  readonly number: number
  readonly sessions: ReadonlyMap<string, Opened>
}

const nameOf = (host: Host): string => `host ${host.number}`

/** The sink, its inbox, and the hands over what is open. */
export const make = Effect.fnUntraced(function* (name: string) {
  const { inbox, sink: runs } = yield* MemorySinks.make(name)
  const host = yield* SubscriptionRef.make<Host>({ number: 1, sessions: new Map() })
  const isReady = yield* SubscriptionRef.make(true)
  const openings: Array<HandOver> = []
  const sent = new Map<string, { readonly session: string; readonly host: number }>()

  const change = (id: string, to: Opened | undefined) =>
    SubscriptionRef.update(host, ({ number, sessions }) => {
      const next = new Map(sessions)
      if (to === undefined) next.delete(id)
      else next.set(id, to)
      return { number, sessions: next }
    })

  const livenessIn = (current: Host, { id, seat }: SessionAt): Liveness => {
    const opened = current.sessions.get(id)
    if (opened?.isAlive === true) return { _tag: "Live", conversation: opened.conversation }
    if (opened !== undefined) return { _tag: "Dead", why: "its agent left" }
    return seat === undefined || seat === nameOf(current)
      ? { _tag: "Absent" }
      : { _tag: "Lost", why: `${seat} is gone` }
  }

  const open = Effect.fn("MemoryStays.open")(function* (handOver: HandOver) {
    const { conversation, session } = handOver
    const { sessions } = yield* SubscriptionRef.get(host)
    if (sessions.get(session.id)?.isAlive !== true) {
      openings.push(handOver)
      const usedAt = instant(yield* Clock.currentTimeMillis)
      yield* change(session.id, { conversation, isAlive: true, usedAt })
    }
    yield* SubscriptionRef.changes(isReady).pipe(
      Stream.filter((ready) => ready),
      Stream.runHead
    )
  })

  const sink: Sink = {
    ...runs,
    prepare: (handOver) =>
      Effect.andThen(
        Effect.sync(
          () => void sent.set(`${handOver.id}/${handOver.try}`, { session: handOver.session.id, host: 0 })
        ),
        runs.prepare(handOver)
      ),
    send: Effect.fn("MemoryStays.send")(function* (which) {
      const key = `${which.id}/${which.try}`
      const session = sent.get(key)?.session ?? ""
      const { number, sessions } = yield* SubscriptionRef.get(host)
      const opened = sessions.get(session)
      if (opened?.isAlive !== true) {
        return yield* new SinkError({ reason: "NotReady", message: "nothing of the session lives" })
      }
      sent.set(key, { session, host: number })
      yield* change(session, { ...opened, usedAt: instant(yield* Clock.currentTimeMillis) })
      yield* runs.send(which)
    }),
    evidence: Effect.fn("MemoryStays.evidence")(function* (which) {
      const { number } = yield* SubscriptionRef.get(host)
      const on = sent.get(`${which.id}/${which.try}`)?.host ?? 0
      return on === 0 || on === number
        ? yield* runs.evidence(which)
        : ({ _tag: "Lost", why: `host ${on} is gone` } satisfies Evidence)
    }),
    probe: (session) => Effect.map(SubscriptionRef.get(host), (current) => livenessIn(current, session)),
    end: ({ id }) => change(id, undefined),
    stays: {
      seat: Effect.map(SubscriptionRef.get(host), nameOf),
      open,
      left: (session) =>
        SubscriptionRef.changes(host).pipe(
          Stream.map((current) => livenessIn(current, session)),
          Stream.filter((found) => found._tag !== "Live" && found._tag !== "Unknown"),
          Stream.runHead,
          Effect.flatMap(Effect.fromOption),
          Effect.orDie
        ),
      idleSince: ({ id }) =>
        Effect.map(SubscriptionRef.get(host), ({ sessions }) => sessions.get(id)?.usedAt),
      show: () =>
        Effect.fail(new SinkError({ reason: "NotReady", message: "there is no terminal in memory" }))
    }
  }

  return {
    sink,
    inbox,
    /** What was opened, in order, each with the hand-over that it was opened for. */
    openings: Effect.sync((): ReadonlyArray<HandOver> => [...openings]),
    /** The ids of the sessions whose agents live. */
    alive: Effect.map(SubscriptionRef.get(host), ({ sessions }) =>
      [...sessions].filter(([, { isAlive }]) => isAlive).map(([id]) => id)
    ),
    /** The ids of all that is there, also of what its agent has left. */
    present: Effect.map(SubscriptionRef.get(host), ({ sessions }) => [...sessions.keys()]),
    /** A session's agent leaves by itself. */
    leave: (id: string) =>
      Effect.flatMap(SubscriptionRef.get(host), ({ sessions }) => {
        const opened = sessions.get(id)
        return opened === undefined ? Effect.void : change(id, { ...opened, isAlive: false })
      }),
    /** All that is open is lost at once, as when the machine goes down. */
    loseAll: SubscriptionRef.update(host, ({ number }) => ({ number: number + 1, sessions: new Map() })),
    /** Whether agents take words; what waits for it goes on once they do. */
    setReady: (ready: boolean) => SubscriptionRef.set(isReady, ready)
  }
})
