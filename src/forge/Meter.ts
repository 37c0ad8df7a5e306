/** What was asked and what it cost: the request log, the counters, and each account's rate budget. */
import * as Schema from "effect/Schema"
import type { ForgeClock } from "./ForgeClock.ts"
import type { RateShape } from "./Shapes.ts"
import type { Account } from "./World.ts"

/** One request, without its credential. */
export const LoggedRequest = Schema.Struct({
  /** Counts from 1 in the order of arrival. */
  id: Schema.Int,
  /** Arrival by the real clock, epoch milliseconds. */
  at: Schema.Finite,
  method: Schema.String,
  /** Without the query. */
  path: Schema.String,
  query: Schema.Record(Schema.String, Schema.String),
  /** Whose token came along; absent when none that is known did. */
  login: Schema.optionalKey(Schema.String),
  /** Those worth seeing: `if-none-match`, `accept`, `user-agent`, `x-github-api-version`, `content-type`. */
  headers: Schema.Record(Schema.String, Schema.String),
  state: Schema.Literals(["open", "answered", "dropped"]),
  /** Once it is answered. */
  status: Schema.optionalKey(Schema.Int)
})
export type LoggedRequest = typeof LoggedRequest.Type

export const Usage = Schema.Struct({
  requests: Schema.Int,
  notModified: Schema.Int,
  /** Primary rate points spent by all accounts: a 304 costs none. */
  points: Schema.Int,
  /** The most requests that were open at once. */
  maxConcurrency: Schema.Int
})
export type Usage = typeof Usage.Type

const noUsage: Usage = { requests: 0, notModified: 0, points: 0, maxConcurrency: 0 }

interface Budget {
  limit: number
  used: number
  resetAt: number
}

const hour = 3_600_000

/** @internal */
export class Meter {
  readonly log: Array<LoggedRequest> = []
  usage: Usage = noUsage
  /** How often the log has changed: what a watcher far away compares. */
  changes = 0
  readonly #clock: ForgeClock
  readonly #budgets = new Map<Account, Budget>()
  readonly #watchers = new Set<() => void>()
  #arrived = 0
  #open = 0

  constructor(clock: ForgeClock) {
    this.#clock = clock
  }

  #budget(account: Account): Budget {
    const now = this.#clock.now()
    const known = this.#budgets.get(account)
    if (known !== undefined && known.resetAt > now) return known
    const fresh = { limit: known?.limit ?? 5000, used: 0, resetAt: now + hour }
    this.#budgets.set(account, fresh)
    return fresh
  }

  rate(account: Account): RateShape {
    const { limit, used, resetAt } = this.#budget(account)
    return { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(resetAt / 1000) }
  }

  /** `resetIn` is in milliseconds of the forge's clock. */
  setRate(account: Account, remaining: number, resetIn: number): void {
    const budget = this.#budget(account)
    budget.limit = Math.max(budget.limit, remaining)
    budget.used = budget.limit - remaining
    budget.resetAt = this.#clock.now() + resetIn
  }

  spend(account: Account): void {
    this.#budget(account).used += 1
    this.usage = { ...this.usage, points: this.usage.points + 1 }
  }

  arrive(request: Omit<LoggedRequest, "id" | "state">): number {
    this.#arrived += 1
    this.#open += 1
    this.usage = {
      ...this.usage,
      requests: this.usage.requests + 1,
      maxConcurrency: Math.max(this.usage.maxConcurrency, this.#open)
    }
    this.log.push({ ...request, id: this.#arrived, state: "open" })
    this.#tell()
    return this.#arrived
  }

  #finish(id: number, change: (line: LoggedRequest) => LoggedRequest): void {
    this.#open -= 1
    const index = this.log.findLastIndex((line) => line.id === id)
    const line = this.log[index]
    if (line !== undefined) this.log[index] = change(line)
    this.#tell()
  }

  answered(id: number, status: number): void {
    if (status === 304) this.usage = { ...this.usage, notModified: this.usage.notModified + 1 }
    this.#finish(id, (line) => ({ ...line, state: "answered", status }))
  }

  dropped(id: number): void {
    this.#finish(id, (line) => ({ ...line, state: "dropped" }))
  }

  /** Forgets the log and the counters; budgets stay. */
  reset(): void {
    this.log.length = 0
    this.usage = { ...noUsage, maxConcurrency: this.#open }
    this.#tell()
  }

  #tell(): void {
    this.changes += 1
    for (const watcher of this.#watchers) watcher()
  }

  /** Calls back at every change of the log until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }
}
