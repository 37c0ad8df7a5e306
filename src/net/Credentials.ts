/**
 * Credentials: where a tracker's token comes from (the user's `gh` login, a variable, a file), resolved when first
 * needed, kept in memory only, and asked for again when a server refuses it. Logs and keys carry its fingerprint.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { createHash } from "node:crypto"
import { required, withDefault } from "../domain/Key.ts"
import { Environment } from "./Environment.ts"
import { ghToken, type GhAnswer } from "./GhToken.ts"
import { monotonicMillis } from "./Monotonic.ts"
import { Secrets } from "./Secrets.ts"

/** `auth` of a source: never a secret itself. */
export const Auth = Schema.Union([
  Schema.Struct({
    from: required(Schema.Literal("gh"), "The login of the GitHub CLI, asked for when it is needed."),
    binary: withDefault(Schema.NonEmptyString, "gh", "The GitHub CLI to ask.")
  }),
  Schema.Struct({
    env: required(
      Schema.String.pipe(
        Schema.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]*$/u, { expected: "the name of a variable" }))
      ),
      "The variable of heed's environment that holds the token."
    )
  }),
  Schema.Struct({ file: required(Schema.NonEmptyString, "The file that holds the token, and nothing else.") })
])
export type Auth = typeof Auth.Type

export interface Credential {
  readonly token: Redacted.Redacted
  /** The first 12 hex digits of the token's SHA-256: names the credential, and tells nothing of it. */
  readonly fingerprint: string
  /** Grows each time it is asked for, even when the answer is the same token. */
  readonly serial: number
}

export class CredentialError extends Schema.TaggedError<CredentialError>()("CredentialError", {
  /** What is missing, where it was looked for, and the mend. */
  message: Schema.String
}) {}

const seconds = 1000

const mends: {
  readonly [Tag in GhAnswer["_tag"]]: (answer: GhAnswer, binary: string, host: string) => string
} = {
  Printed: (_, binary, host) =>
    `\`${binary} auth token --hostname ${host}\` printed no token. Log in with \`gh auth login --hostname ${host}\`.`,
  Refused: (_, binary, host) =>
    `${binary} has no login for ${host}. Log in with \`gh auth login --hostname ${host}\`, or name a variable that holds a token: auth: { env: NAME }.` +
    (host === "github.com"
      ? ""
      : ` (For ${host}, gh reads GH_ENTERPRISE_TOKEN, and never GH_TOKEN or GITHUB_TOKEN.)`),
  NotFound: (_, binary) =>
    `The command ${binary} was not found in PATH. Install the GitHub CLI, give its path as auth.binary, or name a variable that holds a token: auth: { env: NAME }.`,
  NotStarted: (answer, binary) =>
    `The command ${binary} could not be started (${answer._tag === "NotStarted" ? answer.why : ""}). Give the path of the GitHub CLI as auth.binary.`,
  TimedOut: (_, binary, host) =>
    `\`${binary} auth token --hostname ${host}\` did not answer within 10 seconds and was killed. Run it by hand to see what it waits for.`
}

const credential = (text: string, missing: string) => {
  const token = text.trim()
  if (token === "") return Effect.fail(new CredentialError({ message: missing }))
  // A header cannot carry it, and the platform's refusal would print it.
  if (!/^[\u0021-\u007e]+$/u.test(token)) {
    return Effect.fail(
      new CredentialError({ message: `${missing} What is there holds characters that no token has.` })
    )
  }
  const fingerprint = createHash("sha256").update(token, "utf8").digest("hex").slice(0, 12)
  return Effect.succeed({ token: Redacted.make(token), fingerprint })
}

const resolve = Effect.fnUntraced(function* (auth: Auth, host: string) {
  if ("env" in auth) {
    const text = (yield* Environment)()[auth.env] ?? ""
    return yield* credential(
      text,
      `The variable ${auth.env} is not set or empty: it should hold a token for ${host}.`
    )
  }
  if ("file" in auth) {
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(auth.file).pipe(
      Effect.catchTag("PlatformError", (error) =>
        Effect.gen(function* () {
          const info = yield* Effect.option(fs.stat(auth.file))
          const mode = Option.match(info, {
            onNone: () => "",
            onSome: ({ mode, uid }) =>
              `, mode ${(mode & 0o777).toString(8).padStart(4, "0")}, owner ${Option.getOrElse(uid, () => "unknown")}`
          })
          return yield* new CredentialError({
            message: `The token file ${auth.file} cannot be read (${error.reason._tag}${mode}): it should hold a token for ${host} and be readable by you alone (mode 0600).`
          })
        })
      )
    )
    return yield* credential(
      text,
      `The token file ${auth.file} is empty: it should hold a token for ${host}.`
    )
  }
  const answer = yield* ghToken(auth.binary, host)
  const mend = mends[answer._tag](answer, auth.binary, host)
  if (answer._tag === "Printed") return yield* credential(answer.text, mend)
  return yield* new CredentialError({ message: mend })
})

interface Slot {
  readonly turn: Semaphore.Semaphore
  held?: { readonly credential: Credential; readonly askedAt: number }
}

export class Credentials extends Context.Service<
  Credentials,
  {
    /** The credential for a host; resolved at the first call, then kept. */
    readonly current: (auth: Auth, host: string) => Effect.Effect<Credential, CredentialError>
    /**
     * The credential after this one was refused: another one if by now there is one. It asks again unless that was
     * done since, or within the last `notWithin` milliseconds.
     */
    readonly renewed: (
      auth: Auth,
      host: string,
      refused: Credential,
      notWithin: number
    ) => Effect.Effect<Credential, CredentialError>
  }
>()("heed/net/Credentials") {
  /** Needs the file system for `file` and processes for `gh`. */
  static readonly layer = Layer.effect(
    Credentials,
    Effect.gen(function* () {
      const context = yield* Effect.context<FileSystem.FileSystem | ChildProcessSpawner>()
      const secrets = yield* Secrets
      const slots = new Map<string, Slot>()
      const slot = (auth: Auth, host: string): Slot => {
        const key = JSON.stringify([auth, host])
        const found = slots.get(key) ?? { turn: Semaphore.makeUnsafe(1) }
        slots.set(key, found)
        return found
      }
      const ask = Effect.fnUntraced(function* (slot: Slot, auth: Auth, host: string) {
        const resolved = yield* resolve(auth, host).pipe(Effect.provideContext(context))
        secrets.learn(Redacted.value(resolved.token))
        const credential = { ...resolved, serial: (slot.held?.credential.serial ?? 0) + 1 }
        slot.held = { credential, askedAt: yield* monotonicMillis }
        return credential
      })

      const current = Effect.fn("Credentials.current")(function* (auth: Auth, host: string) {
        const here = slot(auth, host)
        if (here.held !== undefined) return here.held.credential
        return yield* Semaphore.withPermit(
          here.turn,
          Effect.suspend(() =>
            here.held === undefined ? ask(here, auth, host) : Effect.succeed(here.held.credential)
          )
        )
      })

      const renewed = Effect.fn("Credentials.renewed")(function* (
        auth: Auth,
        host: string,
        refused: Credential,
        notWithin: number
      ) {
        const here = slot(auth, host)
        const again = Effect.gen(function* () {
          const { held } = here
          const now = yield* monotonicMillis
          const newEnough =
            held !== undefined && (held.credential.serial > refused.serial || now - held.askedAt < notWithin)
          return newEnough ? held.credential : yield* ask(here, auth, host)
        })
        return yield* Semaphore.withPermit(here.turn, again)
      })
      return Credentials.of({ current, renewed })
    })
  )

  /** The same token for every host. */
  static readonly layerMemory = (token: string) =>
    Layer.effect(
      Credentials,
      Effect.map(credential(token, "No token was given.").pipe(Effect.orDie), (resolved) => {
        const only = { ...resolved, serial: 1 }
        return Credentials.of({ current: () => Effect.succeed(only), renewed: () => Effect.succeed(only) })
      })
    )
}

/** How long a refused credential is believed to be the newest one while its host waits. */
export const renewalPause = 30 * seconds
