/**
 * GhToken: the token that the user's own `gh` login holds for a host, asked of `gh auth token`, which uses no network.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { Environment, type Variables } from "./Environment.ts"

/** How a call of gh may end: it printed something, or it is known why not. */
export type GhAnswer =
  | { readonly _tag: "Printed"; readonly text: string }
  | { readonly _tag: "Refused"; readonly exitCode: number }
  | { readonly _tag: "NotFound" }
  | { readonly _tag: "NotStarted"; readonly why: string }
  | { readonly _tag: "TimedOut" }

const kept = ["HOME", "PATH", "XDG_CONFIG_HOME", "GH_CONFIG_DIR", "DBUS_SESSION_BUS_ADDRESS"] as const
const always = ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"] as const
const cloudOnly = ["GH_TOKEN", "GITHUB_TOKEN"] as const

/** A token for github.com is no business of another host (traps B47). */
const isCloud = (host: string) => host === "github.com" || host.endsWith(".ghe.com")

/** What gh gets: an allow-list, so that no variable can colour its answer, page it, or print headers (traps B45). */
export const ghEnvironment = (variables: Variables, host: string): { readonly [name: string]: string } => {
  const names = [...kept, ...(isCloud(host) ? cloudOnly : always)]
  return {
    ...Object.fromEntries(names.flatMap((name) => (variables[name] ? [[name, variables[name]]] : []))),
    CLICOLOR_FORCE: "0",
    NO_COLOR: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GH_PROMPT_DISABLED: "1",
    LC_ALL: "C"
  }
}

/** A token has a few hundred bytes; whatever prints more is no gh. */
const longest = ByteSize.kibibytes(16)

/** Asks once, for at most 10 seconds; then the whole process group is killed. */
export const ghToken = Effect.fn("GhToken.ghToken")(function* (binary: string, host: string) {
  const spawner = yield* ChildProcessSpawner
  const variables = (yield* Environment)()
  const call = Effect.gen(function* () {
    const handle = yield* spawner.spawn(
      ChildProcess.make(binary, ["auth", "token", "--hostname", host], {
        env: ghEnvironment(variables, host),
        extendEnv: false,
        stdin: "ignore",
        killSignal: "SIGTERM",
        forceKillAfter: "500 millis"
      })
    )
    const [text, exitCode] = yield* Effect.all(
      [
        handle.stdout.pipe(
          Stream.decodeText(),
          Stream.runFold(
            () => "",
            (text, piece) => (text + piece).slice(0, Number(longest))
          )
        ),
        handle.exitCode,
        Stream.runDrain(handle.stderr)
      ],
      { concurrency: "unbounded" }
    )
    return exitCode === 0
      ? ({ _tag: "Printed", text } satisfies GhAnswer)
      : ({ _tag: "Refused", exitCode } satisfies GhAnswer)
  })
  const notStarted = (error: PlatformError): GhAnswer =>
    error.reason._tag === "NotFound"
      ? { _tag: "NotFound" }
      : { _tag: "NotStarted", why: `${error.reason._tag}` }
  return yield* call.pipe(
    Effect.scoped,
    Effect.map((answer): GhAnswer => answer),
    Effect.catchTag("PlatformError", (error) => Effect.succeed(notStarted(error))),
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.succeed<GhAnswer>({ _tag: "TimedOut" })
    })
  )
})
