/**
 * AgentHealth: keeps an agent that fails everywhere from emptying the budgets of all its items. It is asked before
 * anything is claimed, and told of every end.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { createHash } from "node:crypto"
import type { Plan } from "../config/Plan.ts"
import { isSamePlan } from "../domain/Agent.ts"
import * as Health from "../domain/AgentHealth.ts"
import { type Instant, instant } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import { Agents, type Health as Stored } from "../state/Agents.ts"
import { EventLog, type NewEvent } from "../state/EventLog.ts"
import { type Conclusion, endOf } from "./Conclusion.ts"
import { Running } from "./Running.ts"

/** Why nothing is given to a paused agent, and what people can do about it. */
export interface Pause {
  readonly why: string
  readonly until: Instant
  /** For `status`: with the last failure, and the mend. */
  readonly warning: string
}

export class AgentHealth extends Context.Service<
  AgentHealth,
  {
    /** Why the agent may not be given something on this item now, and until when; undefined when it may. */
    readonly mayGive: (
      record: ItemRecord,
      agent: string
    ) => Effect.Effect<Pick<Pause, "why" | "until"> | undefined>
    /** Takes in how a claim ended, before the record does. What is neither done nor failed says nothing of the agent. */
    readonly concluded: (record: ItemRecord, agent: string, conclusion: Conclusion) => Effect.Effect<void>
    /** Lets the item be the next one that its paused agents are tried on; answers with those agents. */
    readonly choose: (record: ItemRecord) => Effect.Effect<ReadonlyArray<string>>
    /** The agents that are paused, by name. */
    readonly paused: Effect.Effect<ReadonlyMap<string, Pause>>
    /** Returns once an agent was resumed: what waits for it may go. For one listener. */
    readonly resumed: Effect.Effect<void>
  }
>()("heed/engine/AgentHealth") {
  static readonly layer: Layer.Layer<AgentHealth, never, Agents | EventLog | Running> = Layer.effect(
    AgentHealth,
    Effect.suspend(() => make)
  )
}

const entryOf = (agent: Plan["agents"][string]): string =>
  createHash("sha256").update(JSON.stringify(agent), "utf8").digest("hex").slice(0, 16)

/** The pauses that hold under a plan: that of an agent whose entry has changed since is over. */
export const pausesOf = (stored: Stored, plan: Plan): ReadonlyMap<string, Pause> =>
  new Map(
    Object.entries(stored).flatMap(([agent, health]) => {
      const entry = plan.agents[agent]
      const isOver = entry === undefined || health.entry !== entryOf(entry) || health.paused === undefined
      return isOver ? [] : [[agent, pauseOf(agent, health, health.paused.nextProbe)] as const]
    })
  )

const pauseOf = (agent: string, health: Health.AgentHealth, until: Instant): Pause => {
  const last = Health.lastFailure(health)
  const failed = `it failed ${health.failures.length} times in a row, on ${Health.itemsOf(health)} items`
  return {
    why: `the agent ${agent} is paused: ${failed}; one is tried at ${until}`,
    until,
    warning: `the agent ${agent} is paused: ${failed}, the last time on ${last?.ref}: ${last?.why}. One item is tried every 5 minutes, next at ${until}. A change of agents.${agent} resumes it at once; heed retry REF tries that item now`
  }
}

const make = Effect.gen(function* () {
  const agents = yield* Agents
  const log = yield* EventLog
  const running = yield* Running
  // Who is resumed twice before anybody listens is resumed.
  const resumptions = yield* Queue.make<void>({ capacity: 1, strategy: "sliding" })
  const now = Effect.map(Clock.currentTimeMillis, instant)

  /** Changes how an agent of the plan fares; a change of its entry comes first, and ends its pause. */
  const change = Effect.fn("AgentHealth.change")(function* <A>(
    agent: string,
    f: (health: Health.AgentHealth) => readonly [A, Health.AgentHealth]
  ) {
    const { plan } = yield* running.get
    const planned = plan.agents[agent]
    if (planned === undefined) return undefined
    const entry = entryOf(planned)
    const { answer, lines } = yield* agents.modify(agent, (stored) => {
      const before = stored?.entry === entry ? stored : Health.well(entry)
      const [answer, after] = f(before)
      const isMended = stored?.paused !== undefined && before !== stored
      const lines = [
        ...(isMended ? [resumedLine(agent, stored, "its entry in the configuration changed")] : []),
        ...changedLines(agent, before, after)
      ]
      const isWell = after.failures.length === 0 && after.paused === undefined
      return [{ answer, lines }, isWell ? undefined : after]
    })
    yield* log.append(...lines)
    if (lines.some(({ event }) => event === "agent.resumed")) yield* Queue.offer(resumptions, undefined)
    return answer
  })

  const mayGive = Effect.fn("AgentHealth.mayGive")(function* ({ identity }: ItemRecord, agent: string) {
    const at = yield* now
    return yield* change(agent, (health) => {
      const permission = Health.asked(health, identity, at)
      return permission._tag === "Granted"
        ? [undefined, permission.health]
        : [pauseOf(agent, health, permission.until), permission.health]
    })
  })

  const concluded = Effect.fn("AgentHealth.concluded")(function* (
    record: ItemRecord,
    agent: string,
    { claim, ended }: Conclusion
  ) {
    const session = record.sessions[agent]
    const planned = (yield* running.get).plan.agents[agent]
    if (session?.claim?.id !== claim.id || session.claim.try !== claim.try || planned === undefined) return
    // A session with commands of old says nothing of today's.
    if (!isSamePlan(session.plan, planned.plan)) return
    const end = endOf(record, agent, ended)
    if (end._tag === "Done") return yield* change(agent, ({ entry }) => [undefined, Health.well(entry)])
    // Whom its item's end or its machine's has killed did not fail.
    if (end._tag !== "Failed" || end.vanished === true || session.state === "ending") return
    const { identity: item, ref, source } = record
    const at = yield* now
    const failure = { item, ref, source, handOver: claim.id, try: claim.try, at, why: end.why }
    yield* change(agent, (health) => [undefined, Health.failed(health, failure)])
  })

  const choose = Effect.fn("AgentHealth.choose")(function* ({ gaveUp, identity, waiting }: ItemRecord) {
    const wanted = new Set([...waiting, ...gaveUp].map(({ agent }) => agent))
    const made = yield* Effect.forEach(wanted, (agent) =>
      change(agent, (health) => {
        const next = Health.chosen(health, identity)
        return [next === health ? [] : [agent], next]
      })
    )
    return made.flatMap((names) => names ?? [])
  })

  return AgentHealth.of({
    mayGive,
    concluded,
    choose,
    paused: Effect.zipWith(agents.all, running.get, (stored, { plan }) => pausesOf(stored, plan)),
    resumed: Queue.take(resumptions)
  })
})

const changedLines = (
  agent: string,
  before: Health.AgentHealth,
  after: Health.AgentHealth
): ReadonlyArray<NewEvent> => {
  const last = Health.lastFailure(after)
  if (before.paused === undefined && after.paused !== undefined && last !== undefined) {
    return [
      {
        event: "agent.paused",
        level: "error",
        source: last.source,
        ref: last.ref,
        delivery: last.handOver,
        agent,
        failures: after.failures.length,
        items: Health.itemsOf(after),
        why: last.why,
        until: after.paused.nextProbe
      }
    ]
  }
  return before.paused !== undefined && after.paused === undefined
    ? [resumedLine(agent, before, "a hand-over succeeded")]
    : []
}

const resumedLine = (agent: string, health: Health.AgentHealth, why: string): NewEvent => ({
  event: "agent.resumed",
  level: "info",
  agent,
  since: health.paused?.since,
  why,
  failure: Health.lastFailure(health)?.why
})
