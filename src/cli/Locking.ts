/**
 * Taking the lock of a root for a command or the daemon, with a refusal that says who has it and what to do.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { Plan } from "../config/Plan.ts"
import { type Role, RunLock, type RunLockError } from "../disk/RunLock.ts"
import { refused } from "./Failure.ts"
import { House } from "./House.ts"

/** A command holds the lock for moments: it is waited for this long. */
const commandPatience = Schedule.max([Schedule.spaced("100 millis"), Schedule.recurs(50)])

const isCommand = (error: { readonly _tag: string } & Partial<RunLockError>) =>
  error._tag === "RunLockError" && error.reason === "Held" && error.holder?.role === "command"

/** What is said of a lock that another heed holds. */
export const heldBy = (error: RunLockError): string => {
  const who = error.holder === undefined ? "" : ` (pid ${error.holder.pid}, ${error.holder.role})`
  return `another heed${who} holds ${error.pidfile}; stop it with "heed stop", or give this one a state.root of its own`
}

/** Takes the lock for the scope's life, or fails as the lock does; a command at work is waited for. */
export const tryAcquire = Effect.fn("cli.tryAcquire")(function* (role: Role, which: Plan) {
  const house = yield* House
  const lock = Context.get(yield* Layer.build(house.lock(which)), RunLock)
  return yield* Effect.retry(lock.acquire(role), {
    schedule: commandPatience,
    while: isCommand
  })
})

/** Takes the lock for the scope's life, or refuses. */
export const acquire = (role: Role, which: Plan) =>
  tryAcquire(role, which).pipe(
    Effect.catchTag("RunLockError", (error) =>
      Effect.fail(refused(error.reason === "Held" ? heldBy(error) : error.message))
    )
  )
