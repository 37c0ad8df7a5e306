/**
 * Inspector: what is known and what would happen, for people and scripts. It reads; it never writes and never takes
 * the lock, so it works beside a daemon and without one.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { instant } from "../domain/Item.ts"
import * as Queue from "../domain/queue.ts"
import { isWord, type ItemRecord, type Session } from "../domain/Record.ts"
import type { Ref } from "../domain/Ref.ts"
import { Agents } from "../state/Agents.ts"
import type { Backlog } from "../state/Backlog.ts"
import { Ledger, type LedgerError } from "../state/Ledger.ts"
import type { Validators } from "../state/Validators.ts"
import { pausesOf } from "./AgentHealth.ts"
import { Dispatcher } from "./Dispatcher.ts"
import * as Explaining from "./Explaining.ts"
import type { DryRun, Explanation, SessionLine } from "./Inspection.ts"
import * as Planning from "./Planning.ts"
import { Running } from "./Running.ts"
import type { Words } from "./Words.ts"

export { DryRun, Explanation, PlannedItem, PlannedStep, SessionLine } from "./Inspection.ts"

/** Looks, and changes nothing: neither on disk nor at a tracker. */
export class Inspector extends Context.Service<
  Inspector,
  {
    /** The sessions that are not over, and those for whose successor words wait. */
    readonly sessions: Effect.Effect<ReadonlyArray<SessionLine>>
    /** The agents that are paused because they fail everywhere, each with its last failure and the mend. */
    readonly pauses: Effect.Effect<ReadonlyArray<string>>
    /** What the next cycle would do, for all items or the one whose ref is given. Makes a cycle's requests. */
    readonly plan: (only: Ref | undefined) => Effect.Effect<DryRun>
    /** Looks once at the tracker if it can. Undefined when heed never saw the item. */
    readonly explain: (ref: Ref) => Effect.Effect<Explanation | undefined, LedgerError>
  }
>()("heed/engine/Inspector") {
  static readonly layer: Layer.Layer<
    Inspector,
    never,
    Ledger | Validators | Backlog | Agents | Running | Dispatcher | Words
  > = Layer.effect(
    Inspector,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const running = yield* Running
  const dispatcher = yield* Dispatcher
  const agents = yield* Agents

  /** An open session's claim is being sent: what keeps it from being submitted, its attendant knows. */
  const isBeingGiven = ({ claim, seat }: Session) => claim !== undefined && seat !== undefined

  const whyOf = ({ endBy, state, why }: Session): string =>
    state === "ending" && endBy !== undefined ? `${why}; its agent has until ${endBy}` : why

  const linesOf = Effect.fn("Inspector.lines")(function* (record: ItemRecord) {
    const { plan, policy } = yield* running.get
    const pauses = pausesOf(yield* agents.all, plan)
    const at = instant(yield* Clock.currentTimeMillis)
    return yield* Effect.forEach(Object.entries(record.sessions), ([agent, session]) =>
      Effect.gen(function* () {
        const waiting = record.waiting.filter((entry) => entry.agent === agent)
        const next = Queue.next(record, agent, policy, at)
        const held = next._tag === "Held" && next.until !== undefined ? `; goes on at ${next.until}` : ""
        const gaveUp = record.gaveUp.filter((entry) => entry.agent === agent).map(({ key }) => key)
        const pause = next._tag === "Ready" ? pauses.get(agent)?.why : undefined
        const why =
          next._tag === "Held" && !isBeingGiven(session)
            ? `${next.why}${held}`
            : (pause ?? (yield* dispatcher.waitingFor(record.identity, agent)))
        const line: SessionLine = {
          ref: record.ref,
          url: record.url,
          title: record.title,
          agent,
          generation: session.generation,
          session: session.id,
          state: record.paused === undefined || session.state === "ended" ? session.state : "paused",
          why: record.paused === undefined ? whyOf(session) : `${record.paused.by}: ${record.paused.why}`,
          since: session.since,
          working: session.claim !== undefined,
          open: session.seat !== undefined,
          waiting: waiting.filter(({ key }) => isWord(key)).length,
          ...(waiting.length === 0 || why === undefined ? {} : { waitingFor: why }),
          ...(gaveUp.length === 0 ? {} : { gaveUp })
        }
        return line
      })
    )
  })

  const sessions = Effect.gen(function* () {
    const busy = (yield* ledger.entries).filter(
      (entry) => (entry.busy || entry.waits) && entry.frozen === undefined
    )
    const records = yield* Effect.forEach(busy, ({ identity }) =>
      // A record that cannot be read has no session to show; `explain` says why.
      ledger.get(identity).pipe(Effect.catchTag("LedgerError", () => Effect.succeed(undefined)))
    )
    const lines = yield* Effect.forEach(
      records.filter((record) => record !== undefined),
      linesOf
    )
    // Words may wait for the next session of an agent whose last one is over.
    return lines.flat().filter(({ state, waiting }) => state !== "ended" || waiting > 0)
  })

  return Inspector.of({
    sessions,
    pauses: Effect.zipWith(agents.all, running.get, (stored, { plan }) =>
      [...pausesOf(stored, plan).values()].map(({ warning }) => warning)
    ),
    plan: yield* Planning.make,
    explain: yield* Explaining.make(linesOf)
  })
})
