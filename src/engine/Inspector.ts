/**
 * Inspector: what is known and what would happen, for people and scripts. It reads; it never writes and never takes
 * the lock, so it works beside a daemon and without one.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { decide } from "../domain/decide/decide.ts"
import type { Listed } from "../domain/decide/situation.ts"
import type { Decision } from "../domain/Decision.ts"
import { Instant, instant, type Observation, type Target, wordKey } from "../domain/Item.ts"
import * as Queue from "../domain/queue.ts"
import { type ItemRecord, startKey } from "../domain/Record.ts"
import type { Ref } from "../domain/Ref.ts"
import { type Entry, Ledger, type LedgerError } from "../state/Ledger.ts"
import { Validators } from "../state/Validators.ts"
import type { Provider } from "../tracker/Provider.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { Running } from "./Running.ts"
import { lookFor, situationOf, targetOf } from "./Place.ts"

/** One session, as `status` and `sessions` list it. */
export const SessionLine = Schema.Struct({
  ref: Schema.String,
  url: Schema.String,
  title: Schema.String,
  agent: Schema.String,
  generation: Schema.Int,
  session: Schema.String,
  /** As the record says, and `paused` when the item is. */
  state: Schema.String,
  why: Schema.String,
  since: Instant,
  /** Whether a run is at work right now. */
  working: Schema.Boolean,
  /** Words that wait. */
  waiting: Schema.Int,
  /** Why they wait; absent when nothing does. */
  waitingFor: Schema.optionalKey(Schema.String)
})
export type SessionLine = typeof SessionLine.Type

/** One decision of a dry run, with its reason. */
export const PlannedStep = Schema.Struct({
  decision: Schema.String,
  detail: Schema.String,
  reason: Schema.String
})

export const PlannedItem = Schema.Struct({
  ref: Schema.String,
  url: Schema.String,
  title: Schema.String,
  steps: Schema.Array(PlannedStep)
})
export type PlannedItem = typeof PlannedItem.Type

export const DryRun = Schema.Struct({
  items: Schema.Array(PlannedItem),
  /** Sources that could not be asked, and why. */
  failures: Schema.Array(
    Schema.Struct({ source: Schema.String, scope: Schema.String, message: Schema.String })
  )
})
export type DryRun = typeof DryRun.Type

/** Everything heed knows of one item. */
export const Explanation = Schema.Struct({
  ref: Schema.String,
  url: Schema.String,
  title: Schema.String,
  state: Schema.String,
  /** Where this comes from: the state on disk alone, or a look at the tracker too, and when. */
  seen: Schema.String,
  look: Schema.optionalKey(Schema.String),
  frozen: Schema.optionalKey(Schema.String),
  paused: Schema.optionalKey(Schema.String),
  sessions: Schema.Array(SessionLine),
  /** Each word and what became of it, oldest first where the time is known. */
  words: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      /** `handed over`, `waiting`, `settled: …`. */
      outcome: Schema.String,
      at: Schema.optionalKey(Instant),
      detail: Schema.optionalKey(Schema.String)
    })
  ),
  /** What the next cycle would decide, and why. */
  next: Schema.Array(PlannedStep)
})
export type Explanation = typeof Explanation.Type

export class Inspector extends Context.Service<
  Inspector,
  {
    /** The sessions that are not over. */
    readonly sessions: Effect.Effect<ReadonlyArray<SessionLine>>
    /** What the next cycle would do, for all items or the one whose ref is given. Makes a cycle's requests. */
    readonly plan: (only: Ref | undefined) => Effect.Effect<DryRun>
    /** Looks once at the tracker if it can. Undefined when heed never saw the item. */
    readonly explain: (ref: Ref) => Effect.Effect<Explanation | undefined, LedgerError>
  }
>()("heed/engine/Inspector") {
  static readonly layer: Layer.Layer<Inspector, never, Ledger | Validators | Running | Dispatcher> =
    Layer.effect(
      Inspector,
      Effect.suspend(() => make)
    )
}

type Step = typeof PlannedStep.Type

/** A decision in words. */
const stepOf = (decision: Decision): Step => {
  const detail = ((): string => {
    switch (decision._tag) {
      case "Learn":
        return decision.item.title
      case "Begin":
        return `${decision.agent}, generation ${decision.generation}`
      case "Queue":
        return `${decision.word} for ${decision.agent}`
      case "Settle":
        return `${decision.key}: ${decision.outcome}`
      case "Obey":
        return `${decision.command} (${decision.word}, ${decision.by})`
      case "Refuse":
        return `${decision.command} (${decision.word})`
      case "End":
        return decision.agent
      case "Rearm":
        return `${decision.key} for ${decision.agent}`
      case "Wait":
        return ""
    }
  })()
  return { decision: decision._tag.toLowerCase(), detail, reason: decision.reason }
}

const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const validators = yield* Validators
  const running = yield* Running
  const dispatcher = yield* Dispatcher
  const now = Effect.map(Clock.currentTimeMillis, instant)

  const linesOf = Effect.fn("Inspector.lines")(function* (record: ItemRecord) {
    const { policy } = yield* running.get
    const at = yield* now
    return yield* Effect.forEach(Object.entries(record.sessions), ([agent, session]) =>
      Effect.gen(function* () {
        const waiting = record.waiting.filter((entry) => entry.agent === agent)
        const next = Queue.next(record, agent, policy, at)
        const why = next._tag === "Held" ? next.why : yield* dispatcher.waitingFor(record.identity, agent)
        const line: SessionLine = {
          ref: record.ref,
          url: record.url,
          title: record.title,
          agent,
          generation: session.generation,
          session: session.id,
          state: record.paused === undefined || session.state === "ended" ? session.state : "paused",
          why: record.paused === undefined ? session.why : `${record.paused.by}: ${record.paused.why}`,
          since: session.since,
          working: session.claim !== undefined,
          waiting: waiting.filter(({ key }) => key !== startKey).length,
          ...(waiting.length === 0 || why === undefined ? {} : { waitingFor: why })
        }
        return line
      })
    )
  })

  const sessions = Effect.gen(function* () {
    const busy = (yield* ledger.entries).filter((entry) => entry.busy && entry.frozen === undefined)
    const records = yield* Effect.forEach(busy, ({ identity }) =>
      // A record that cannot be read has no session to show; `explain` says why.
      ledger.get(identity).pipe(Effect.catchTag("LedgerError", () => Effect.succeed(undefined)))
    )
    const lines = yield* Effect.forEach(
      records.filter((record) => record !== undefined),
      linesOf
    )
    return lines.flat().filter(({ state }) => state !== "ended")
  })

  /** Looks at an item as a cycle would, and decides without recording. */
  const consider = Effect.fn("Inspector.consider")(function* (
    provider: Provider,
    scope: string,
    listed: Listed,
    target: Target
  ) {
    const record = yield* ledger.get(target.identity)
    const observation = yield* provider.observe(target, lookFor(record, undefined))
    const policy = yield* running.policyFor(provider, observation)
    const place = { provider, scope, listed }
    const { providers } = yield* running.get
    const decisions = decide(situationOf(place, record, observation, { policy, providers }, yield* now))
    return { observation, steps: decisions.map(stepOf) }
  })

  const planned = (observation: Observation, steps: ReadonlyArray<Step>): PlannedItem => ({
    ref: observation.item.ref,
    url: observation.item.url,
    title: observation.item.title,
    steps
  })

  const planScope = Effect.fn("Inspector.planScope")(function* (
    provider: Provider,
    scope: string,
    only: Ref | undefined
  ) {
    const listing = `${provider.source}/${scope}`
    const before = yield* validators.get(listing)
    const known = (yield* ledger.entries).filter((entry) => `${entry.source}/${entry.scope}` === listing)
    const answer = yield* provider.list(scope, only === undefined ? before.pages : [])
    const rows = answer._tag === "Unchanged" ? [] : answer.rows
    const restless = new Set(known.filter((entry) => entry.look || entry.busy).map((entry) => entry.identity))
    const changed = rows.filter(
      (row) =>
        (only === undefined || row.ref === only) &&
        (only !== undefined ||
          row.fresh ||
          restless.has(row.identity) ||
          before.rows[row.identity] !== row.fingerprint)
    )
    const items = yield* Effect.forEach(
      changed,
      (row) =>
        consider(provider, scope, "listed", row).pipe(
          Effect.map(({ observation, steps }) => planned(observation, steps)),
          Effect.catchTag("LedgerError", ({ message }) =>
            Effect.succeed({
              ref: row.ref,
              url: "",
              title: "",
              steps: [{ decision: "frozen", detail: "", reason: message }]
            })
          )
        ),
      { concurrency: 4 }
    )
    return items.filter(({ steps }) => only !== undefined || steps.length > 0)
  })

  const plan = Effect.fn("Inspector.plan")(function* (only: Ref | undefined) {
    const { providers } = yield* running.get
    const scopes = providers.flatMap((provider) => provider.scopes.map((scope) => ({ provider, scope })))
    const answers = yield* Effect.forEach(
      scopes,
      ({ provider, scope }) =>
        planScope(provider, scope, only).pipe(
          Effect.map((items) => ({ items, failures: [] })),
          Effect.catchTag("SourceError", ({ message }) =>
            Effect.succeed({ items: [], failures: [{ source: provider.source, scope, message }] })
          )
        ),
      { concurrency: 4 }
    )
    return {
      items: answers.flatMap(({ items }) => items),
      failures: answers.flatMap(({ failures }) => failures)
    }
  })

  /** What the tracker says now about a known item, or why it cannot be asked. */
  const glance = Effect.fn("Inspector.glance")(function* (record: ItemRecord) {
    const { providers } = yield* running.get
    const provider = providers.find(({ source }) => source === record.source)
    if (provider === undefined) {
      return {
        seen: `from the records alone: no source is named ${record.source} any more`,
        steps: [],
        observation: undefined
      }
    }
    return yield* consider(
      provider,
      record.scope,
      record.listed ? "listed" : "unknown",
      targetOf(record)
    ).pipe(
      Effect.map(({ observation, steps }) => ({
        seen: `from the records and a look at the tracker at ${observation.at}`,
        steps,
        observation
      })),
      Effect.catchTag("SourceError", ({ message }) =>
        Effect.succeed({
          seen: `from the records alone, for the tracker could not be asked: ${message}`,
          steps: [],
          observation: undefined
        })
      )
    )
  })

  const frozen = (entry: Entry): Explanation => ({
    ref: entry.ref,
    url: "",
    title: "",
    state: "frozen",
    seen: "from the records alone",
    frozen: entry.frozen ?? "",
    sessions: [],
    words: [],
    next: [
      {
        decision: "wait",
        detail: "",
        reason: "a frozen item is left alone until its record is mended or moved away"
      }
    ]
  })

  const explain = Effect.fn("Inspector.explain")(function* (ref: Ref) {
    const entry = yield* ledger.find(ref)
    if (entry === undefined) return undefined
    if (entry.frozen !== undefined) return frozen(entry)
    const record = yield* ledger.get(entry.identity)
    if (record === undefined) return undefined
    const { observation, seen, steps } = yield* glance(record)
    const explanation: Explanation = {
      ref: record.ref,
      url: record.url,
      title: record.title,
      state: record.state,
      seen,
      ...(record.look === undefined ? {} : { look: record.look }),
      ...(record.paused === undefined
        ? {}
        : { paused: `${record.paused.by}, ${record.paused.at}: ${record.paused.why}` }),
      sessions: yield* linesOf(record),
      words: wordsOf(record, observation),
      next: steps
    }
    return explanation
  })

  return Inspector.of({ sessions, plan, explain })
})

/** Every word of the item and what became of it: those whose time is known first, in order. */
const wordsOf = (record: ItemRecord, observation: Observation | undefined): Explanation["words"] => {
  const times = new Map(observation?.comments.map((comment) => [wordKey(comment), comment.createdAt]))
  const several = Object.keys(record.sessions).length > 1
  const named = (word: string, agent: string) => (several ? `${word} for ${agent}` : word)
  const claimed = new Set(
    Object.values(record.sessions).flatMap(({ claim }) => [
      ...(claim?.members ?? []),
      ...(claim?.baseline ?? [])
    ])
  )
  const waiting = record.waiting.map(({ agent, at, attempts, key, notBefore }) => ({
    key: named(key, agent),
    at,
    outcome: claimed.has(key) ? "claimed: the agent has it" : "waiting",
    ...(attempts === 0 && notBefore === undefined
      ? {}
      : {
          detail: [
            `${attempts} failed attempts`,
            ...(notBefore === undefined ? [] : [`not before ${notBefore}`])
          ].join(", ")
        })
  }))
  const resolved = Object.entries(record.seen).map(([key, outcome]) => {
    const [word = key, agent] = key.split("@")
    const at = times.get(word)
    return {
      key: agent === undefined ? word : named(word, agent),
      outcome,
      ...(at === undefined ? {} : { at })
    }
  })
  const given = record.gaveUp.map(({ agent, at, key, why }) => ({
    key: named(key, agent),
    at,
    outcome: "gave up",
    detail: why
  }))
  const time = ({ at }: { readonly at?: Instant }) => at ?? ""
  return [...resolved.filter(({ outcome }) => outcome !== "gave up"), ...given, ...waiting].sort((a, b) =>
    time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0
  )
}
