/**
 * What a command does that changes something: the running daemon does it; without one the command takes the lock and
 * does it itself.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Plan } from "../config/Plan.ts"
import { act } from "../control/Answering.ts"
import * as ControlClient from "../control/ControlClient.ts"
import { protocolVersion, type Request, type SessionAction } from "../control/Protocol.ts"
import { refused } from "./Failure.ts"
import { House } from "./House.ts"
import { acquire } from "./Locking.ts"
import { reach } from "./Reach.ts"
import { oneLine } from "./Text.ts"

/** How long the daemon may take to do it. */
const patience = "30 seconds"

const byDaemon = Effect.fn("cli.byDaemon")(function* (socket: string, request: Request) {
  const answer = yield* ControlClient.ask(socket, request, patience).pipe(
    Effect.catchTag("ControlError", (error) =>
      error.reason === "Absent" ? Effect.succeed(undefined) : Effect.fail(refused(error.message))
    )
  )
  if (answer === undefined) return undefined
  if (answer._tag === "Done") return answer.message
  return yield* refused(answer._tag === "Refused" ? answer.message : "the daemon answered something else")
})

const bySelf = Effect.fn("cli.bySelf")(function* (
  which: Plan,
  action: "retry" | SessionAction,
  item: string
) {
  const house = yield* House
  yield* acquire("command", which).pipe(
    Effect.catchTag("RunLockError", (error) => Effect.fail(refused(error.message)))
  )
  return yield* act(action, item).pipe(
    Effect.catchTag("OperatorError", (error) => Effect.fail(refused(error.message))),
    Effect.provide(house.operator(which))
  )
}, Effect.scoped)

/** Does it and prints what was done. */
export const change = Effect.fn("cli.change")(function* (action: "retry" | SessionAction, item: string) {
  const house = yield* House
  const reached = yield* reach
  const socket = yield* house.socket(reached.state)
  const request: Request =
    action === "retry"
      ? { version: protocolVersion, request: "retry", item }
      : { version: protocolVersion, request: "sessions", action, item }
  const done = socket === undefined ? undefined : yield* byDaemon(socket, request)
  if (done === undefined && reached._tag === "Astray") return yield* reached.failure
  yield* Console.log(
    oneLine(done ?? (reached._tag === "Planned" ? yield* bySelf(reached.plan, action, item) : ""))
  )
})
