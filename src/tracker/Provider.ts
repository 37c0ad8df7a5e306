/**
 * Provider: the code that speaks one tracker. It turns the tracker's answers into values and knows nothing of ledgers
 * or agents. Adding a tracker is one folder beside this file and one line in `Providers`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Check, Instant, Observation, Row, Target, WorkItem } from "../domain/Item.ts"
import type { Ref } from "../domain/Ref.ts"

export type { Target }

/**
 * Why a source could not be asked. None of these says anything about an item (G4.1), and none spends an attempt.
 * `Missing` is about the scope (repository or project) itself.
 */
export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  reason: Schema.Literals([
    "Network",
    "Unauthorized",
    "Forbidden",
    "Limited",
    "Missing",
    "Moved",
    "BadAnswer",
    "Unavailable"
  ]),
  /** What happened, where, and the mend; never a secret. */
  message: Schema.String,
  /** `Limited`: milliseconds from now before which asking again is wrong. */
  retryAfter: Schema.optionalKey(Schema.Finite)
}) {}

/** Whether a failure concerns the whole source, whatever was asked. */
export const isOfSource = ({ reason }: SourceError): boolean =>
  reason === "Network" || reason === "Unauthorized" || reason === "Limited"

/** What vouches for a page of a listing: sent back, an unchanged page costs nothing. */
export const PageValidator = Schema.Struct({ url: Schema.String, etag: Schema.String })
export type PageValidator = typeof PageValidator.Type

/** The answer to a listing. `Unchanged`: every page answered that nothing changed since `validators` were stored. */
export type Listing =
  | { readonly _tag: "Unchanged" }
  | {
      readonly _tag: "Listed"
      readonly rows: ReadonlyArray<Row>
      /** False when the walk was capped or its first page changed under it: rows are true, absences are not. */
      readonly complete: boolean
      /** To be stored once all rows are durably dealt with; empty when some page cannot be vouched for. */
      readonly validators: ReadonlyArray<PageValidator>
    }

/** How to look at an item. */
export interface Look {
  /** Where each stream was last completely read; a stream that is not named is read from its beginning. */
  readonly since: { readonly [stream: string]: Instant }
  /** Ask who put the source's label on. */
  readonly labelling: boolean
}

/** What was asked since the process began, which a cycle's summary reports, and what may still be asked. */
export interface Usage {
  readonly requests: number
  /** Answers "not modified", which cost no budget. */
  readonly notModified: number
  /** As the last answer told it; absent where the tracker does not say. */
  readonly budget?: { readonly remaining: number; readonly limit: number; readonly resetAt: Instant }
}

export interface Provider {
  /** The source's name, unique in the configuration. */
  readonly source: string
  readonly tracker: WorkItem["tracker"]
  /** What is listed one by one, each failing alone: `acme/app`. */
  readonly scopes: ReadonlyArray<string>
  /** Sources with the same key share host and credential, and so share waiting. */
  readonly host: string
  /** Fails when it cannot ask at all on this machine, such as without a token. It asks the tracker nothing. */
  readonly ready: Effect.Effect<void, SourceError>
  /** Lists the open items in scope, all pages, conditionally unless there are no validators. */
  readonly list: (
    scope: string,
    validators: ReadonlyArray<PageValidator>
  ) => Effect.Effect<Listing, SourceError>
  /**
   * Whether an item, as a direct answer shows it, is one that this source lists: open, of a kind it monitors, and
   * labelled. A listing may lag behind, and starts nothing on its own (traps B05).
   */
  readonly covers: (item: WorkItem) => boolean
  readonly observe: (target: Target, look: Look) => Effect.Effect<Observation, SourceError>
  /** Asks about one item directly. `validator` as a former answer gave it. */
  readonly check: (target: Target, validator: string | undefined) => Effect.Effect<Check, SourceError>
  /** Posts a comment and returns its word key. The text is plain and already carries its mark. */
  readonly post: (target: Target, text: string) => Effect.Effect<string, SourceError>
  /** The account heed speaks as, as `access` would name it; undefined where the tracker does not tell (B20). */
  readonly self: Effect.Effect<string | undefined, SourceError>
  /** Folds a name from `access` as this tracker folds logins. */
  readonly principal: (name: string) => string
  /** The refs that a text on the command line may mean in this source; empty when none. */
  readonly resolve: (text: string) => ReadonlyArray<Ref>
  readonly usage: Effect.Effect<Usage>
}

/** One entry of `sources`, validated against its provider's schema; only that provider reads `settings`. */
export interface SourcePlan {
  readonly provider: string
  /** Unique in the configuration. */
  readonly name: string
  readonly settings: Schema.Json
}

/** The providers of the running plan, in the order of `sources`. */
export class Providers extends Context.Service<
  Providers,
  {
    /** Makes the providers of a plan; one whose entry did not change is the same as before, with its memory. */
    readonly forSources: (sources: ReadonlyArray<SourcePlan>) => Effect.Effect<ReadonlyArray<Provider>>
  }
>()("heed/tracker/Providers") {}
