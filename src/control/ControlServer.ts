/**
 * ControlServer: the daemon's socket. Whoever may open it owns the state root; a client that hangs, floods or goes
 * away holds nothing but its own connection.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { createServer, type Server, type Socket } from "node:net"
import type { Role } from "../disk/RunLock.ts"
import { type Answering, answering } from "./Answering.ts"
import * as Line from "./Line.ts"
import { Answer, protocolVersion, Request, requestLimit } from "./Protocol.ts"

export class ControlServerError extends Schema.TaggedError<ControlServerError>()("ControlServerError", {
  /** What happened, where, and the mend. */
  message: Schema.String
}) {}

/** How long a client may take to ask, and to take its answer. */
const patience = "5 seconds"
/** More clients than any number of people: beyond, the kernel's queue is the answer. */
const clients = 64

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Request))
const encode = Schema.encodeEffect(Schema.fromJsonString(Answer))

const refusal = (message: string): Answer => ({ _tag: "Refused", version: protocolVersion, message })

const serve = Effect.fn("ControlServer.serve")(function* (
  socket: Socket,
  answer: (request: Request) => Effect.Effect<Answer>
) {
  const request = yield* Line.read(socket, requestLimit).pipe(
    Effect.flatMap(decode),
    Effect.timeout(patience)
  )
  const line = yield* Effect.orDie(encode(yield* answer(request)))
  yield* Line.write(socket, line).pipe(Effect.timeout(patience))
})

const listening = (server: Server, path: string): Effect.Effect<void, ControlServerError> =>
  Effect.callback((resume) => {
    server.once("error", (error) =>
      resume(Effect.fail(new ControlServerError({ message: `cannot listen at ${path}: ${error.message}` })))
    )
    server.listen(path, () => resume(Effect.void))
  })

/**
 * Listens at `path` for the scope's life. Call it only under the lock of the root: whatever lies at `path` is a dead
 * daemon's and is replaced.
 */
export const listen: (
  path: string,
  answer: (request: Request) => Effect.Effect<Answer>
) => Effect.Effect<
  void,
  ControlServerError | PlatformError.PlatformError,
  FileSystem.FileSystem | Scope.Scope
> = Effect.fn("ControlServer.listen")(function* (path, answer) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(path, { force: true })

  const served = yield* FiberSet.make<void>()
  const run = yield* FiberSet.runtime(served)<never>()
  const open = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    // A client that went away: reading or writing it fails too, and there it is dealt with.
    socket.on("error", () => {})
    run(
      serve(socket, answer).pipe(
        Effect.catchTag(["LineError", "SchemaError", "TimeoutError"], (error) =>
          // Nobody may be there any more to hear why.
          Effect.ignore(
            Effect.flatMap(
              Effect.orDie(
                encode(refusal(`that is no request of version ${protocolVersion}: ${error._tag}`))
              ),
              (line) => Effect.timeout(Line.write(socket, line), patience)
            )
          )
        ),
        Effect.ensuring(Effect.sync(() => socket.destroySoon()))
      )
    )
  })
  server.maxConnections = clients

  yield* Effect.acquireRelease(listening(server, path), () =>
    Effect.gen(function* () {
      server.close()
      // Whoever asked to stop is still to hear the answer.
      yield* FiberSet.awaitEmpty(served).pipe(Effect.timeoutOption("1 second"))
      for (const socket of open) socket.destroy()
    })
  )
  yield* fs.chmod(path, 0o600)
})

/** The daemon's socket with heed's answers; `stop` is what ends the daemon. */
export const layer = (options: {
  readonly path: string
  readonly root: string
  readonly role: Role
  readonly stop: Effect.Effect<void>
}): Layer.Layer<never, ControlServerError | PlatformError.PlatformError, FileSystem.FileSystem | Answering> =>
  Layer.effectDiscard(Effect.flatMap(answering(options), (answer) => listen(options.path, answer)))
