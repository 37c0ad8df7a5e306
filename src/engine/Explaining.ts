/**
 * Explaining: everything that is known of one item, word by word, and what the next cycle would decide on it.
 */
import * as Effect from "effect/Effect"
import { type Instant, type Observation, wordKey } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Ref } from "../domain/Ref.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"
import { frozenText, namedAs } from "./Frozen.ts"
import { type Explanation, type SessionLine, stepOf } from "./Inspection.ts"
import * as Looking from "./Looking.ts"
import * as Missing from "./Missing.ts"
import { type Place, targetOf } from "./Place.ts"
import { Running } from "./Running.ts"

/** Answers with the explanation of an item, undefined when heed never saw it. `linesOf` lists a record's sessions. */
export const make = (linesOf: (record: ItemRecord) => Effect.Effect<ReadonlyArray<SessionLine>>) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const running = yield* Running
    const look = yield* Looking.make
    const elsewhereOf = yield* Missing.make

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
      const others = yield* elsewhereOf({ provider, scope: record.scope }, [record])
      const listed = others.size === 0 ? "as it answers" : "unknown"
      const place: Place = { provider, scope: record.scope, listed }
      return yield* look(place, targetOf(record)).pipe(
        Effect.map(({ decisions, observation }) => ({
          seen: `from the records and a look at the tracker at ${observation.at}`,
          steps: decisions.map(stepOf),
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

    const frozen = (entry: Entry, ref: Ref): Explanation => ({
      ref,
      url: "",
      title: "",
      state: "frozen",
      seen: "from the records alone",
      frozen: frozenText(entry),
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

    return Effect.fn("Inspector.explain")(function* (ref: Ref) {
      const entry = (yield* ledger.find(ref)) ?? namedAs(yield* ledger.entries, ref)
      if (entry === undefined) return undefined
      if (entry.frozen !== undefined) return frozen(entry, ref)
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
  })

/** Every word of the item and what became of it: those whose time is known first, in order. */
const wordsOf = (record: ItemRecord, observation: Observation | undefined): Explanation["words"] => {
  const times = new Map(observation?.comments.map((comment) => [wordKey(comment), comment.createdAt]))
  const authors = new Map(observation?.comments.map((comment) => [wordKey(comment), comment.author?.login]))
  const byOf = (word: string) => {
    const by = authors.get(word)
    return by === undefined ? {} : { by }
  }
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
    ...byOf(key),
    outcome: claimed.has(key) ? "claimed: the agent has it" : "waiting",
    ...(attempts === 0 && notBefore === undefined
      ? {}
      : {
          detail: [
            `${attempts} failed ${attempts === 1 ? "attempt" : "attempts"}`,
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
      ...(at === undefined ? {} : { at }),
      ...byOf(word)
    }
  })
  const given = record.gaveUp.map(({ agent, at, key, why }) => ({
    key: named(key, agent),
    at,
    ...byOf(key),
    outcome: "gave up",
    detail: why
  }))
  const time = ({ at }: { readonly at?: Instant }) => at ?? ""
  return [...resolved.filter(({ outcome }) => outcome !== "gave up"), ...given, ...waiting].sort((a, b) =>
    time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0
  )
}
