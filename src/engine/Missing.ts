/**
 * Missing: what it means that a complete listing does not show a known item. Another listing may hold it; otherwise its
 * own answer decides, and any doubt leaves it as it is (G4.1).
 */
import * as Effect from "effect/Effect"
import type { Check, Gone } from "../domain/Item.ts"
import type { Identity } from "../domain/Ref.ts"
import type { Entry } from "../state/Ledger.ts"
import { Validators } from "../state/Validators.ts"
import type { Provider } from "../tracker/Provider.ts"
import type { Asked } from "./Agenda.ts"
import { Running } from "./Running.ts"

/** A listing of the plan. */
export interface ListingName {
  readonly source: string
  readonly scope: string
}

/** What a direct answer about a missing item comes to. */
export type Finding =
  /** Nothing follows from it. */
  | { readonly _tag: "Doubt" }
  | { readonly _tag: "Gone"; readonly how: Gone }
  /** It is to be looked at, as one that the listing does not show. */
  | { readonly _tag: "Look" }
  /** It really left the listing, and nothing of it is at work: a label that comes back is an edge (G4.2). */
  | { readonly _tag: "Absent" }

/**
 * What an answer comes to. A listing may lag (traps B05): that an item without a session left it counts only if the
 * item's own answer says so.
 */
export const findingOf = (entry: Entry, check: Check, provider: Provider): Finding => {
  switch (check._tag) {
    case "Unchanged":
    case "Unknown":
      return { _tag: "Doubt" }
    case "Gone":
      return check
    case "Present":
      if (entry.busy || entry.look || check.item.state !== "open") return { _tag: "Look" }
      return { _tag: provider.covers(check.item) ? "Doubt" : "Absent" }
  }
}

/** Answers with the other listings of the plan that hold these items, by their last answers. */
export const make = Effect.gen(function* () {
  const validators = yield* Validators
  const running = yield* Running

  return Effect.fn("Missing.elsewhere")(function* (
    asked: Pick<Asked, "provider" | "scope">,
    entries: ReadonlyArray<Pick<Entry, "identity">>
  ) {
    const found = new Map<Identity, ListingName>()
    if (entries.length === 0) return found
    const { providers } = yield* running.get
    for (const { scopes, source } of providers) {
      for (const scope of scopes) {
        if (source === asked.provider.source && scope === asked.scope) continue
        const { rows } = yield* validators.get(`${source}/${scope}`)
        for (const { identity } of entries) {
          if (rows[identity] !== undefined) found.set(identity, { source, scope })
        }
      }
    }
    return found
  })
})
