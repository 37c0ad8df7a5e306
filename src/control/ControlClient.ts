/**
 * ControlClient: asks the running daemon one thing over its socket.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createConnection, type Socket } from "node:net"
import * as Line from "./Line.ts"
import { Answer, protocolVersion, Request } from "./Protocol.ts"

export class ControlError extends Schema.TaggedError<ControlError>()("ControlError", {
  /**
   * Absent: nobody listens there. Denied: this user may not speak to it. Silent: it took the question and gave no
   * answer in time, or ended. Garbled: what it answers is not for this version of heed.
   */
  reason: Schema.Literals(["Absent", "Denied", "Silent", "Garbled"]),
  message: Schema.String
}) {}

const encode = Schema.encodeEffect(Schema.fromJsonString(Request))
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))

/** An answer holds every session of a daemon; more than this is no heed. */
const answerLimit = 64 * 1024 * 1024

const reasons: { readonly [code: string]: ControlError["reason"] | undefined } = {
  ENOENT: "Absent",
  ECONNREFUSED: "Absent",
  ENOTSOCK: "Absent",
  EACCES: "Denied",
  EPERM: "Denied"
}

const connect = (path: string): Effect.Effect<Socket, ControlError> =>
  Effect.callback((resume) => {
    const socket = createConnection(path)
    const onError = (error: NodeJS.ErrnoException) =>
      resume(
        Effect.fail(
          new ControlError({
            reason: reasons[error.code ?? ""] ?? "Silent",
            message: `cannot reach heed at ${path}: ${error.code ?? error.message}`
          })
        )
      )
    socket.once("error", onError)
    socket.once("connect", () => {
      socket.off("error", onError)
      // Errors from here on are read with the line; without a listener a late one would end the process.
      socket.on("error", () => {})
      resume(Effect.succeed(socket))
    })
    return Effect.sync(() => socket.destroy())
  })

const exchange = Effect.fnUntraced(function* (path: string, request: Request) {
  const socket = yield* Effect.acquireRelease(
    connect(path),
    (socket) => Effect.sync(() => socket.destroy()),
    { interruptible: true }
  )
  const line = yield* Effect.orDie(encode(request))
  const text = yield* Line.write(socket, line).pipe(
    Effect.andThen(Line.read(socket, answerLimit)),
    Effect.mapError(
      (error) =>
        new ControlError({ reason: "Silent", message: `heed at ${path} gave no answer: ${error.message}` })
    )
  )
  return yield* decode(text).pipe(
    Effect.mapError(
      () =>
        new ControlError({
          reason: "Garbled",
          message: `heed at ${path} answers in another way than version ${protocolVersion}: stop it and start this heed`
        })
    )
  )
}, Effect.scoped)

/** Asks and waits for the answer, at most `timeout` in all. */
export const ask = Effect.fn("ControlClient.ask")(function* (
  path: string,
  request: Request,
  timeout: Duration.Input
) {
  return yield* Effect.timeoutOrElse(exchange(path, request), {
    duration: timeout,
    orElse: () =>
      Effect.fail(new ControlError({ reason: "Silent", message: `heed at ${path} did not answer in time` }))
  })
})
