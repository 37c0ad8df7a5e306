/**
 * Forge: a stateful fake GitHub over loopback HTTP, for the demo, the tests and the tests of those who embed heed. Its
 * replies have GitHub's published shapes; what GitHub does wrong now and then it does on request.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import { Drawings } from "./Answer.ts"
import { control, controlPrefix } from "./ControlSurface.ts"
import { type Controls, controls } from "./Controls.ts"
import { Faults } from "./Faults.ts"
import { type LoggedRequest, Meter } from "./Meter.ts"
import { operations, perform, run } from "./Operations.ts"
import { defaults } from "./Settings.ts"
import { type Forgery, serve } from "./Wire.ts"
import { World } from "./World.ts"

export interface Options {
  /** Any free one when absent. */
  readonly port?: number
  readonly host?: "127.0.0.1"
  /** What addresses of web pages begin with; `https://github.com` when absent. */
  readonly web?: string
}

export interface Interface extends Controls {
  /** The API's address, `http://127.0.0.1:1234`. */
  readonly url: string
  /** Waits, in real time, until the request log satisfies a predicate. It waits for ever: bound it where it is used. */
  readonly waitFor: (
    predicate: (log: ReadonlyArray<LoggedRequest>) => boolean
  ) => Effect.Effect<ReadonlyArray<LoggedRequest>>
}

const answerTo = (forgery: Forgery): http.RequestListener => {
  const doOperation = (name: string, input: unknown) => perform(forgery, name, input)
  return (request, response) => {
    const answered = request.url?.startsWith(controlPrefix)
      ? control(forgery, request, response)
      : serve(forgery, doOperation, request, response)
    answered.catch((defect: unknown) => {
      // A client that went away while it sent is no defect of the forge, and there is nobody left to answer.
      if (response.destroyed || response.headersSent) return response.destroy()
      response.writeHead(500, { "content-type": "text/plain" })
      return response.end(defect instanceof Error ? defect.message : String(defect))
    })
  }
}

const listen = (server: http.Server, { host = "127.0.0.1", port = 0 }: Options) =>
  Effect.callback<string>((resume) => {
    server.once("error", (cause) => resume(Effect.die(cause)))
    server.listen(port, host, () => {
      const address = server.address()
      resume(
        typeof address === "object" && address !== null
          ? Effect.succeed(`http://${host}:${address.port}`)
          : Effect.die(new Error("The forge listens nowhere."))
      )
    })
  })

const stop = (server: http.Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const make = Effect.fn("Forge.make")(function* (
  options: Options = {}
): Effect.fn.Return<Interface, never, Scope.Scope> {
  const world = new World()
  const meter = new Meter(world.clock)
  const web = options.web ?? "https://github.com"
  const forgery: Forgery = {
    stage: { world, drawings: new Drawings(), places: { api: "", web }, settings: defaults },
    meter,
    faults: new Faults()
  }
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => http.createServer({ keepAliveTimeout: 60_000 }, answerTo(forgery))),
    stop
  )
  const url = yield* listen(server, options)
  forgery.stage.places = { api: url, web }
  return {
    ...controls((name) => (input) => Effect.sync(() => run(forgery, name, input))),
    url,
    waitFor: (predicate) =>
      Effect.callback((resume) => {
        const unwatch = meter.watch(look)
        function look() {
          if (!predicate(meter.log)) return
          unwatch()
          resume(Effect.succeed([...meter.log]))
        }
        look()
        return Effect.sync(unwatch)
      })
  }
})

const Changes = Schema.Struct({ changes: Schema.Int })

/** A forge that runs in another process, by its address. */
const connect = (url: string): Interface => {
  const ask = (path: string, input: string | undefined) =>
    Effect.promise(async (signal): Promise<unknown> => {
      const init = input === undefined ? {} : { method: "POST", body: input }
      const response = await fetch(`${url}${controlPrefix}${path}`, { ...init, signal })
      const answer: unknown = await response.json()
      if (!response.ok) throw new Error(`forge ${path}: ${JSON.stringify(answer)}`)
      return answer
    })
  const remote = controls((name) => (input) => {
    const { input: In, output: Out } = operations[name]
    return ask(name, JSON.stringify(Schema.encodeSync(In)(input))).pipe(
      Effect.map((answer) => Schema.decodeUnknownSync(Out)(answer))
    )
  })
  return {
    ...remote,
    url,
    waitFor: (predicate) =>
      Effect.gen(function* () {
        let seen = -1
        while (true) {
          seen = Schema.decodeUnknownSync(Changes)(yield* ask(`changes?seen=${seen}`, undefined)).changes
          const log = yield* remote.log({})
          if (predicate(log)) return log
        }
      })
  }
}

export class Forge extends Context.Service<Forge, Interface>()("heed/forge/Forge") {
  /** Starts a forge; closing the scope stops it and drops what is still connected. */
  static readonly make = make
  static readonly layer = (options: Options = {}) => Layer.effect(Forge, make(options))
  /** Drives a forge of another process (`src/forge/main.ts`), by the address that it printed. */
  static readonly connect = connect
}
