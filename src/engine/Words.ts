/**
 * Words: what waits is known to the ledger by id alone; the words themselves are held here, in memory, and read again
 * after a restart.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Comment, type Labelling, type Observation, type WorkItem, wordKey } from "../domain/Item.ts"
import { type ItemRecord, isWord } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"

/** An item as it was last observed, with the words read so far. */
export interface Memory {
  readonly item: WorkItem
  readonly words: ReadonlyMap<string, Comment>
  /** Every stream was read from its beginning, so that `words` is the whole thread. */
  readonly whole: boolean
  readonly labelling?: Labelling
}

/** What waits for a session that can be given it: only that has to be known word for word. */
const awaited = (record: ItemRecord): ReadonlyArray<string> =>
  record.waiting.flatMap(({ agent, key }) => {
    const state = record.sessions[agent]?.state
    return state === "wanted" || state === "live" ? [key] : []
  })

/** Whether what waits on the item can be handed over from memory; otherwise the item has to be read again. */
export const suffices = (record: ItemRecord, memory: Memory | undefined): boolean => {
  const keys = awaited(record)
  if (keys.length === 0) return true
  if (memory === undefined) return false
  const opens = Object.values(record.sessions).some(
    (session) =>
      session.state === "wanted" || (session.state === "live" && session.conversation === undefined)
  )
  return (!opens || memory.whole) && keys.every((key) => !isWord(key) || memory.words.has(key))
}

/** What is held of an item after an observation; nothing when nothing on it waits for a session. */
export const remembered = (
  record: ItemRecord,
  before: Memory | undefined,
  { comments, item, labelling = before?.labelling, streams }: Observation
): Memory | undefined => {
  if (awaited(record).length === 0) return undefined
  const whole = Object.values(streams).every((reading) => reading.complete && reading.since === undefined)
  const fresh = comments.map((comment) => [wordKey(comment), comment] as const)
  return {
    item,
    words: new Map(whole ? fresh : [...(before?.words ?? []), ...fresh]),
    whole: whole || before?.whole === true,
    ...(labelling === undefined ? {} : { labelling })
  }
}

/** The words of the items on which something waits for a session. In memory alone: it never fails. */
export class Words extends Context.Service<
  Words,
  {
    readonly get: (identity: Identity) => Effect.Effect<Memory | undefined>
    /** Adds an observation to what is held; an item on which nothing waits for a session is forgotten. */
    readonly observed: (record: ItemRecord, observation: Observation) => Effect.Effect<void>
    /**
     * Forgets what nobody waits for any more. `known` is what was held before the record was read: what was observed
     * since may be waited for, whatever that record says.
     */
    readonly settle: (record: ItemRecord, known: Memory | undefined) => Effect.Effect<void>
    /** The items of which words are held. */
    readonly held: Effect.Effect<ReadonlyArray<Identity>>
    /** Forgets an item's words, whoever waits for them: they are read again. */
    readonly forget: (identity: Identity) => Effect.Effect<void>
  }
>()("heed/engine/Words") {
  static readonly layer: Layer.Layer<Words> = Layer.sync(Words, () => {
    const held = new Map<Identity, Memory>()

    const settle = (record: ItemRecord, known: Memory | undefined) =>
      Effect.sync(() => {
        if (awaited(record).length === 0 && held.get(record.identity) === known) held.delete(record.identity)
      })

    const observed = (record: ItemRecord, observation: Observation) =>
      Effect.sync(() => {
        const memory = remembered(record, held.get(record.identity), observation)
        if (memory === undefined) held.delete(record.identity)
        else held.set(record.identity, memory)
      })

    return Words.of({
      get: (identity) => Effect.sync(() => held.get(identity)),
      observed,
      settle,
      held: Effect.sync(() => [...held.keys()]),
      forget: (identity) => Effect.sync(() => void held.delete(identity))
    })
  })
}
