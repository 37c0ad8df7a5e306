/**
 * Plan: a configuration file after parsing, validation and cross-checks: what the engine runs on. All durations are
 * milliseconds, all paths absolute, all prompts read.
 */
import type * as Schema from "effect/Schema"
import type { AgentPlan } from "../domain/Agent.ts"
import type { OnUnlabel } from "../domain/Policy.ts"

export interface Prompts {
  /** Liquid templates; built-in ones where the configuration names none. */
  readonly start: string
  readonly comment: string
  readonly resume: string
}

export interface Plan {
  /** The file it was read from. */
  readonly file: string
  /** A hash of the file and of every prompt file: changes exactly when the content does. */
  readonly hash: string
  readonly state: {
    readonly root: string
    readonly keep: number
    readonly runs: { readonly keep: number; readonly maxPerRun: number; readonly maxTotal: number }
    readonly events: { readonly maxSize: number; readonly files: number }
    readonly allowNetworkFs: boolean
  }
  readonly polling: {
    readonly interval: number
    readonly concurrency: number
    readonly sweepEvery: number
    readonly attempts: number
    readonly retryAfter: ReadonlyArray<number>
    readonly firstRun: { readonly max: number }
  }
  readonly sources: ReadonlyArray<{
    readonly provider: string
    readonly name: string
    readonly settings: Schema.Json
    /** Default: `keep`. */
    readonly onUnlabel?: OnUnlabel
  }>
  /** Entries of `access.users`; `tracker` where one was bound (`github:alice`). */
  readonly access: { readonly users: ReadonlyArray<{ readonly tracker?: string; readonly name: string }> }
  readonly control: { readonly prefix: string; readonly requireStart: boolean }
  readonly agents: {
    readonly [name: string]: {
      readonly plan: AgentPlan
      readonly prompts: Prompts
      /** The keys that only its sink has, as that sink's schema decoded them; absent when it has none. */
      readonly settings?: Schema.Json
    }
  }
  readonly limits: {
    readonly handOvers: number
    readonly sessions: number
    readonly perItemPerHour: number
    readonly drain: number
  }
  readonly log: {
    readonly level: "debug" | "info" | "warn" | "error"
    readonly format: "pretty" | "json"
  }
  /** Things that are valid and yet deserve a loud word, such as an empty `access`. */
  readonly warnings: ReadonlyArray<string>
}
