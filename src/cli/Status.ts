/**
 * `heed status`: told by the running daemon, or read from what the last one left on disk.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { Plan } from "../config/Plan.ts"
import * as ControlClient from "../control/ControlClient.ts"
import * as Protocol from "../control/Protocol.ts"
import { RunLock } from "../disk/RunLock.ts"
import { Inspector } from "../engine/Inspector.ts"
import { Heartbeat } from "../state/Heartbeat.ts"
import { type Failure, refused } from "./Failure.ts"
import { House } from "./House.ts"
import * as Render from "./Render.ts"
import { type Reached, reach } from "./Reach.ts"
import { json, print } from "./Root.ts"

/** How long a daemon may take to tell its state. */
const patience = "3 seconds"

const fromDaemon = Effect.fn("status.fromDaemon")(function* (socket: string) {
  const answer = yield* ControlClient.ask(
    socket,
    { version: Protocol.protocolVersion, request: "status" },
    patience
  )
  return answer._tag === "Status" ? answer.status : undefined
})

const fromDisk = Effect.fn("status.fromDisk")(function* (which: Plan, warnings: ReadonlyArray<string>) {
  const house = yield* House
  const probe = yield* Effect.flatMap(RunLock, (lock) => lock.probe).pipe(
    Effect.provide(house.lock(which.state)),
    Effect.catchTag("RunLockError", (error) => Effect.succeed(error))
  )
  const beat = yield* Effect.flatMap(Heartbeat, (heartbeat) => heartbeat.read).pipe(
    Effect.provide(house.records(which.state))
  )
  const { pauses, sessions } = yield* Effect.flatMap(Inspector, ({ pauses, sessions }) =>
    Effect.all({ pauses, sessions })
  ).pipe(Effect.provide(house.inspector(which)))
  const holder = probe._tag === "Held" ? probe.holder : undefined
  const status: Protocol.Status = {
    version: 1,
    running: probe._tag === "Held",
    from: "disk",
    root: which.state.root,
    ...(holder === undefined ? {} : { pid: holder.pid, role: holder.role }),
    ...(beat === undefined ? {} : { beat }),
    sessions,
    warnings: [
      ...warnings,
      ...pauses,
      ...(probe._tag === "RunLockError" ? [probe.message] : []),
      ...(probe._tag === "Held" && probe.why !== undefined ? [probe.why] : [])
    ]
  }
  return status
})

/** What the daemon of a root tells, where one does. */
export const heard = Effect.fn("status.heard")(function* (state: Plan["state"]) {
  const socket = yield* (yield* House).socket(state)
  if (socket === undefined) return undefined
  // Whoever does not answer tells nothing, and what lies on disk has to do.
  return yield* Effect.orElseSucceed(fromDaemon(socket), () => undefined)
})

/** The state of a root, from the daemon if it answers. Never takes the lock. */
export const look: (reached: Reached) => Effect.Effect<Protocol.Status, Failure, House> = Effect.fn(
  "status.look"
)(function* (reached) {
  const house = yield* House
  const socket = yield* house.socket(reached.state)
  const told =
    socket === undefined
      ? undefined
      : yield* fromDaemon(socket).pipe(
          Effect.catchTag("ControlError", (error) =>
            error.reason === "Absent"
              ? Effect.succeed(undefined)
              : error.reason === "Denied"
                ? Effect.fail(refused(error.message))
                : Effect.succeed(error)
          )
        )
  if (reached._tag === "Astray") {
    // What lies on disk is not to be understood without the plan.
    if (told === undefined || told instanceof ControlClient.ControlError) return yield* reached.failure
    return told
  }
  const which = reached.plan
  if (told === undefined) return yield* fromDisk(which, which.warnings)
  if (told instanceof ControlClient.ControlError)
    return yield* fromDisk(which, [told.message, ...which.warnings])
  return { ...told, warnings: [...told.warnings, ...which.warnings] }
})

export const status = Command.make("status", { json }, (input) =>
  Effect.flatMap(Effect.flatMap(reach, look), (value) =>
    print(input.json, Protocol.Status, value, Render.status)
  )
).pipe(
  Command.withDescription("Shows whether heed runs, its sources and sessions, and what waits."),
  Command.withShortDescription("running? sources, sessions, what waits and why"),
  Command.withExamples([
    { command: "heed status" },
    { command: "heed status --json | jq .beat.lastCycle", description: "for scripts" }
  ])
)
