/**
 * What the configuration has to know of the providers and sinks that this heed has. They hand their own schemas over;
 * the loader knows none of them by name.
 */
import type * as Schema from "effect/Schema"

/** A problem that a kind found in its own settings, at a path below its entry. */
export interface SettingsProblem {
  readonly path: ReadonlyArray<string | number>
  /** What is wrong and what to write instead. */
  readonly message: string
}

/** Keys that decode without services. */
export interface KindFields {
  readonly [key: PropertyKey]: Schema.ConstraintCodec<unknown, unknown>
}

export interface ProviderKind {
  /** As `provider:` names it. */
  readonly name: string
  /**
   * The keys of its entry beside `provider` and `name`. They decode to JSON values with defaults filled in, so that
   * the plan can be shown, compared and sent.
   */
  readonly fields: KindFields
  /** What no schema says: a label that this tracker cannot express, an address that is no loopback. */
  readonly check: (settings: Schema.Json) => ReadonlyArray<SettingsProblem>
  /** Checked settings with every path in them made absolute by `resolve`; absent where there is none. */
  readonly rooted?: (settings: Schema.Json, resolve: (path: string) => string) => Schema.Json
}

export interface SinkKind {
  /** As `agents.<name>.sink` names it. */
  readonly name: string
  /** Keys of an agent that only this sink has. */
  readonly fields: KindFields
  /** Present on a sink that starts no program itself, whose agents therefore need no `command`. */
  readonly commandless?: true
}

/** Everything a configuration may name. What only a later heed has is answered with "not yet". */
export interface Kinds {
  readonly providers: ReadonlyArray<ProviderKind>
  readonly sinks: ReadonlyArray<SinkKind>
  readonly notYet: { readonly providers: ReadonlyArray<string>; readonly sinks: ReadonlyArray<string> }
}
