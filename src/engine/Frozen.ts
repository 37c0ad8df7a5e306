/**
 * Frozen: says which items are frozen, each once for as long as it stays so. A frozen item is left alone until an
 * operator mends its record or moves it away (G3.5).
 */
import * as Effect from "effect/Effect"
import { Identity, type Ref, slug as slugOf } from "../domain/Ref.ts"
import { EventLog } from "../state/EventLog.ts"
import { type Entry, Ledger } from "../state/Ledger.ts"

/** An item as whoever met it knows it. */
interface Met {
  readonly ref: Ref
  /** Empty where nobody knows. */
  readonly source: string
  readonly why: string
}

const nobody = Identity.make("unknown:nobody")

/** The frozen item whose file is named as this ref's would be, though nobody can read in it whose it is. */
export const namedAs = (entries: ReadonlyArray<Entry>, ref: Ref): Entry | undefined => {
  const readable = (slug: string) => slug.slice(0, -16)
  return entries.find(
    ({ frozen, slug }) => frozen !== undefined && readable(slug) === readable(slugOf(ref, nobody))
  )
}

/** Which file freezes an item, why, and the mend. */
export const frozenText = ({ frozen = "", slug }: Pick<Entry, "frozen" | "slug">): string =>
  `items/${slug}.json is frozen: ${frozen}. Mend the file, or move it out of the folder to begin anew`

/** Needs the ledger and the event log; never fails. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const log = yield* EventLog
  /** Why each was said to be frozen, by the name of its file: one that is mended and freezes again is said again. */
  const told = new Map<string, string>()

  const say = (key: string, frozen: string, { ref, source, why }: Met) =>
    Effect.suspend(() => {
      if (told.get(key) === frozen) return Effect.void
      told.set(key, frozen)
      return log.append({
        event: "poll.item_frozen",
        level: "error",
        ...(source === "" ? {} : { source }),
        ref,
        reason: "Frozen",
        why
      })
    })

  /** Says that an item which a listing shows is frozen, unless that was said. */
  const tell = Effect.fn("Frozen.tell")(function* (identity: Identity, met: Met) {
    const entry = yield* ledger.entry(identity)
    yield* say(entry?.slug ?? identity, entry?.frozen ?? met.why, met)
  })

  /** Says which items are frozen now, those included that no listing shows, and answers with how many there are. */
  const report = Effect.gen(function* () {
    const now = new Set<string>()
    for (const { frozen, ref, slug, source } of yield* ledger.entries) {
      if (frozen === undefined) continue
      now.add(slug)
      yield* say(slug, frozen, { ref, source, why: frozen })
    }
    for (const slug of told.keys()) if (!now.has(slug)) told.delete(slug)
    return now.size
  }).pipe(Effect.withSpan("Frozen.report"))

  return { tell, report }
})
export type Frozen = Effect.Success<typeof make>
