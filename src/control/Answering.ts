/**
 * What the daemon answers to each request of a command.
 */
import * as Effect from "effect/Effect"
import type { Role } from "../disk/RunLock.ts"
import { Inspector } from "../engine/Inspector.ts"
import { Naming } from "../engine/Naming.ts"
import { Operator } from "../engine/Operator.ts"
import { Poller } from "../engine/Poller.ts"
import { EventLog } from "../state/EventLog.ts"
import { Heartbeat } from "../state/Heartbeat.ts"
import { type Answer, protocolVersion, type Request, type Status } from "./Protocol.ts"

/** What answering needs of the engine. */
export type Answering = Operator | Inspector | Naming | Heartbeat | EventLog | Poller

/** Acts on the item that a text means, as `retry` and `sessions` ask. */
export const act = Effect.fn("control.act")(function* (
  action: "retry" | "stop" | "pause" | "resume",
  item: string
) {
  const operator = yield* Operator
  const naming = yield* Naming
  return yield* operator[action](yield* naming.resolve(item))
})

/** The state of a running daemon, told by itself. */
const statusOf = Effect.fn("control.status")(function* (root: string, role: Role) {
  const inspector = yield* Inspector
  const heartbeat = yield* Heartbeat
  const beat = yield* heartbeat.read
  const status: Status = {
    version: 1,
    running: true,
    from: "daemon",
    root,
    pid: process.pid,
    role,
    ...(beat === undefined ? {} : { beat }),
    sessions: yield* inspector.sessions,
    warnings: yield* inspector.pauses
  }
  return status
})

/** The daemon's answers. What was refused is told to the event log here, what was done by whoever did it. */
export const answering: (options: {
  readonly root: string
  readonly role: Role
  readonly stop: Effect.Effect<void>
}) => Effect.Effect<(request: Request) => Effect.Effect<Answer>, never, Answering> = Effect.fn(
  "control.answering"
)(function* (options) {
  const context = yield* Effect.context<Answering>()
  const log = yield* EventLog
  const poller = yield* Poller

  const acted = (action: "retry" | "stop" | "pause" | "resume", item: string) =>
    act(action, item).pipe(
      Effect.provideContext(context),
      // What an item needs looking at for is looked at now.
      Effect.tap(() => poller.nudge),
      Effect.matchEffect({
        // Whoever did it has told the event log.
        onSuccess: (message) => Effect.succeed<Answer>({ _tag: "Done", version: protocolVersion, message }),
        onFailure: ({ message }) =>
          Effect.as(
            log.append({
              event: "control.refused",
              level: "info",
              command: action,
              by: "operator",
              item,
              why: message
            }),
            { _tag: "Refused", version: protocolVersion, message } as const
          )
      })
    )

  return (request) => {
    switch (request.request) {
      case "status":
        return statusOf(options.root, options.role).pipe(
          Effect.provideContext(context),
          Effect.map((status): Answer => ({ _tag: "Status", version: protocolVersion, status }))
        )
      case "stop":
        return log
          .append({ event: "control.command", level: "info", command: "stop", by: "operator" })
          .pipe(
            Effect.andThen(options.stop),
            Effect.as<Answer>({ _tag: "Done", version: protocolVersion, message: "stopping" })
          )
      case "retry":
        return acted("retry", request.item)
      case "sessions":
        return acted(request.action, request.item)
    }
  }
})
