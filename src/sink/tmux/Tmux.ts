/**
 * Tmux: asks heed's own tmux server something, within a bounded time. A list of commands is one invocation: the server
 * carries it out in one go, and what it has set outlives the client. Nothing goes through a shell, and no text of a
 * tracker's is an argument.
 */
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { oneLine } from "../../domain/PlainText.ts"
import { standardPath, type Variables } from "../AgentEnvironment.ts"

/** Where the server is to be found. */
export interface TmuxOptions {
  /** Absolute: the server's socket. */
  readonly socket: string
  /** heed's own environment: only what tmux itself needs is taken from it. */
  readonly variables: Variables
}

/** `Refused`: a command of the list failed, and none after it was carried out. `NoServer`: nobody listens. `Silent`: it cannot be known now. */
export type Answer =
  | { readonly _tag: "Answered"; readonly text: string }
  | { readonly _tag: "Refused"; readonly why: string; readonly text: string }
  | { readonly _tag: "NoServer"; readonly why: string }
  | { readonly _tag: "Silent"; readonly why: string }

/** One tmux command and its arguments, each taken as it is. */
export type TmuxCommand = ReadonlyArray<string>

export interface Asking {
  /** What `load-buffer -` reads. */
  readonly input?: string
  /** The environment of the client, which `update-environment` may take over into a new session. */
  readonly environment?: { readonly [name: string]: string }
  /** Starts the server when there is none. Nothing else ever does. */
  readonly starts?: true
}

/** How long one invocation may take. */
const patience = "5 seconds"

/** More characters than any answer has. */
const longest = 16_000_000

/** Clients at once: more would only wait for each other. */
const clients = 8

const passed = ["PATH", "HOME", "LANG", "TERM"]

/** tmux takes a `;` at the end of an argument for the end of a command. */
const literal = (argument: string) => (argument.endsWith(";") ? `${argument.slice(0, -1)}\\;` : argument)

/** Several commands as the arguments of one invocation. */
const inOneList = (commands: ReadonlyArray<TmuxCommand>): ReadonlyArray<string> =>
  commands.flatMap((command, index) => [...(index === 0 ? [] : [";"]), ...command.map(literal)])

const nobodyListens =
  /^(?:no server running on |error connecting to .* \((?:No such file or directory|Connection refused)\)$|server exited|lost server)/u

const read = (code: number, text: string, complaint: string): Answer => {
  if (code === 0) return { _tag: "Answered", text }
  const why = oneLine(complaint)
  if (nobodyListens.test(why)) return { _tag: "NoServer", why }
  return why.startsWith("error connecting to ") ? { _tag: "Silent", why } : { _tag: "Refused", why, text }
}

const whyOf = (error: PlatformError): string =>
  error.reason._tag === "NotFound" ? "tmux was not found" : `tmux did not answer (${error.reason._tag})`

export const make = Effect.fnUntraced(function* ({ socket, variables }: TmuxOptions) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const turns = yield* Semaphore.make(clients)
  const own: { [name: string]: string } = { PATH: standardPath }
  for (const name of passed) {
    const value = variables[name]
    if (value !== undefined) own[name] = value
  }

  const run = Effect.fnUntraced(function* (
    program: string,
    commands: ReadonlyArray<TmuxCommand>,
    asking: Asking
  ) {
    const handle = yield* spawner.spawn(
      ChildProcess.make(
        program,
        ["-u", ...(asking.starts ? [] : ["-N"]), "-S", socket, "-f", "/dev/null", ...inOneList(commands)],
        {
          env: asking.environment ?? own,
          stdin: asking.input === undefined ? "ignore" : Stream.make(new TextEncoder().encode(asking.input)),
          killSignal: "SIGKILL"
        }
      )
    )
    // A program that prints without end is read to its end, and not kept.
    const text = (stream: Stream.Stream<Uint8Array, PlatformError>) =>
      stream.pipe(
        Stream.decodeText(),
        Stream.runFold(
          () => "",
          (all, part) => (all.length > longest ? all : all + part)
        )
      )
    const [out, complaint, code] = yield* Effect.all(
      [text(handle.stdout), text(handle.stderr), handle.exitCode],
      { concurrency: "unbounded" }
    )
    return read(code, out, complaint)
  }, Effect.scoped)

  /** Carries out a list of commands. Never fails: what it could not do is its answer. */
  const ask = Effect.fn("Tmux.ask")(
    (commands: ReadonlyArray<TmuxCommand>, asking: Asking = {}): Effect.Effect<Answer> =>
      Semaphore.withPermit(turns, run("tmux", commands, asking)).pipe(
        Effect.catch((error) => Effect.succeed<Answer>({ _tag: "Silent", why: whyOf(error) })),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () =>
            Effect.succeed<Answer>({ _tag: "Silent", why: "tmux did not answer within 5 seconds" })
        })
      )
  )
  return { socket, ask } as const
})

/** What `make` answers with. */
export type Tmux = Effect.Success<ReturnType<typeof make>>
