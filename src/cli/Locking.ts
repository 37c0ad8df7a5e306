/**
 * Taking the lock of a root. A command at work is waited for by the lock itself; its refusals name the holder, the
 * pidfile and the remedy.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Plan } from "../config/Plan.ts"
import { type Role, RunLock } from "../disk/RunLock.ts"
import { House } from "./House.ts"

/** Takes the lock for the scope's life, or fails as the lock does. */
export const acquire = Effect.fn("cli.acquire")(function* (role: Role, which: Plan) {
  const house = yield* House
  const lock = Context.get(yield* Layer.build(house.lock(which.state)), RunLock)
  return yield* lock.acquire(role)
})
