/**
 * ConfigReloader: the running plan, and the check before every cycle whether its file says something new.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Plan } from "./Plan.ts"

/** One thing that is wrong with a configuration, and what to write instead. */
export interface Problem {
  /** `agents.default.command[0]`; empty for the file as a whole. */
  readonly path: string
  /** 1-based; absent when the file has no such place. */
  readonly line?: number
  readonly message: string
}

/** What a check found. `Rejected` is said once per content; the running plan stays. */
export type Reload =
  | { readonly _tag: "Unchanged" }
  | { readonly _tag: "Reloaded"; readonly plan: Plan; readonly needRestart: ReadonlyArray<string> }
  | { readonly _tag: "Rejected"; readonly problems: ReadonlyArray<Problem>; readonly first: boolean }

export class ConfigReloader extends Context.Service<
  ConfigReloader,
  {
    readonly current: Effect.Effect<Plan>
    readonly check: Effect.Effect<Reload>
  }
>()("heed/config/ConfigReloader") {}
