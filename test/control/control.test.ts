/** The daemon's socket over real sockets: who hangs, floods or talks nonsense disturbs nobody. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Scope from "effect/Scope"
import { createConnection, createServer, type Socket } from "node:net"
import * as ControlClient from "../../src/control/ControlClient.ts"
import * as ControlServer from "../../src/control/ControlServer.ts"
import { type Answer, type Request, requestLimit } from "../../src/control/Protocol.ts"

const status: Request = { version: 1, request: "status" }
const done: Answer = { _tag: "Done", version: 1, message: "done" }

const path = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return `${yield* fs.makeTempDirectoryScoped({ prefix: "heed-sock-" })}/heed.sock`
})

const connected = (at: string): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = createConnection(at, () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Everything the other side sends until it ends. */
const heard = (socket: Socket): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let text = ""
    socket.on("data", (chunk) => {
      text += String(chunk)
    })
    socket.on("close", () => resume(Effect.succeed(text)))
  })

const scoped = <A, E>(effect: Effect.Effect<A, E, Scope.Scope | NodeServices.NodeServices>) =>
  effect.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("the control socket", () => {
  it.live("answers each request, is for its owner alone, and replaces a dead daemon's socket", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const at = yield* path
      yield* fs.writeFileString(at, "left over")
      const asked: Array<Request> = []
      yield* ControlServer.listen(at, (request) => Effect.sync(() => (asked.push(request), done)))
      assert.deepStrictEqual(yield* ControlClient.ask(at, status, "5 seconds"), done)
      const pause: Request = { version: 1, request: "sessions", action: "pause", item: "acme/app#12" }
      assert.deepStrictEqual(yield* ControlClient.ask(at, pause, "5 seconds"), done)
      assert.deepStrictEqual(asked, [status, pause])
      assert.strictEqual((yield* fs.stat(at)).mode & 0o777, 0o600)
    }).pipe(scoped)
  )

  it.live("a client that hangs holds nobody else up, and not the end either", () =>
    Effect.gen(function* () {
      const at = yield* path
      const scope = yield* Scope.make()
      yield* ControlServer.listen(at, () => Effect.succeed(done)).pipe(Scope.provide(scope))
      const hanging = yield* Effect.forEach(Array.from({ length: 20 }), () => connected(at))
      assert.deepStrictEqual(yield* ControlClient.ask(at, status, "5 seconds"), done)
      yield* Scope.close(scope, Exit.void).pipe(Effect.timeout("10 seconds"))
      for (const socket of hanging) socket.destroy()
      const gone = yield* Effect.flip(ControlClient.ask(at, status, "5 seconds"))
      assert.strictEqual(gone.reason, "Absent")
    }).pipe(scoped)
  )

  it.live.each([
    ["no JSON", "hello\n"],
    ["another version", '{"version":2,"request":"status"}\n'],
    ["no such request", '{"version":1,"request":"shout"}\n'],
    ["a line without end", "x".repeat(requestLimit + 1)]
  ])("refuses %s and goes on", ([, line = ""]) =>
    Effect.gen(function* () {
      const at = yield* path
      const asked: Array<Request> = []
      yield* ControlServer.listen(at, (request) => Effect.sync(() => (asked.push(request), done)))
      const socket = yield* connected(at)
      socket.write(line)
      assert.match(yield* heard(socket), /^\{"_tag":"Refused"/u)
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(yield* ControlClient.ask(at, status, "5 seconds"), done)
    }).pipe(scoped)
  )

  it.live("who asks to stop hears the answer, though the daemon ends with it", () =>
    Effect.gen(function* () {
      const at = yield* path
      const stopping = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      yield* ControlServer.listen(at, () => Effect.as(Deferred.succeed(stopping, undefined), done)).pipe(
        Scope.provide(scope)
      )
      yield* Effect.forkChild(Effect.andThen(Deferred.await(stopping), Scope.close(scope, Exit.void)))
      assert.deepStrictEqual(yield* ControlClient.ask(at, { version: 1, request: "stop" }, "5 seconds"), done)
    }).pipe(scoped)
  )

  it.live("a client knows nobody, somebody silent and somebody else apart", () =>
    Effect.gen(function* () {
      const at = yield* path
      const reason = Effect.map(
        Effect.flip(ControlClient.ask(at, status, "1 second")),
        (error) => error.reason
      )
      assert.strictEqual(yield* reason, "Absent")
      const fake = (onConnection: (socket: Socket) => void) =>
        Effect.acquireRelease(
          Effect.callback<ReturnType<typeof createServer>>((resume) => {
            const server = createServer((socket) => {
              socket.on("error", () => {}).resume()
              onConnection(socket)
            }).listen(at, () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
        )
      const against = (onConnection: (socket: Socket) => void) =>
        Effect.scoped(Effect.andThen(fake(onConnection), reason))
      assert.strictEqual(yield* against((socket) => void socket.destroy()), "Silent")
      assert.strictEqual(yield* against((socket) => void socket.end('{"ok":true}\n')), "Garbled")
      assert.strictEqual(yield* against(() => {}), "Silent")
    }).pipe(scoped)
  )
})
