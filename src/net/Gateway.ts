/**
 * Gateway: the one way by which trackers are asked. It adds the credential, renews it once when it is refused, keeps
 * to the shared waiting, paces writes, bounds time and size, and tells what an answer means.
 */
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import { version } from "../domain/Version.ts"
import { AskError, concernsHost } from "./AskError.ts"
import { Breaker, type Left } from "./Breaker.ts"
import { Credentials, renewalPause, type Auth, type Credential } from "./Credentials.ts"
import { links } from "./Links.ts"
import { networkFailure } from "./NetworkFailure.ts"
import { budgetOf, serverTime, verdict, words, type Budget, type Headers } from "./Verdict.ts"

/** A 2xx or a 304. */
export interface Answer {
  /** 304: `body` is null, and nothing changed. */
  readonly status: number
  readonly body: Schema.Json
  readonly etag?: string
  /** Path and query by relation of the `Link` header. */
  readonly links: { readonly [relation: string]: string }
  /** The server's clock, in epoch milliseconds. */
  readonly date: number
  /** Of the credential that was used: an ETag is worth nothing with another one (traps B29). */
  readonly fingerprint: string
}

export interface Ask {
  readonly method: "GET" | "POST"
  /** Path and query below the base, or an absolute address whose path and query are asked of the base's origin. */
  readonly path: string
  readonly etag?: string | undefined
  readonly body?: Schema.Json
}

/** One tracker on one host, asked with one credential. */
export interface Door {
  readonly ask: (ask: Ask) => Effect.Effect<Answer, AskError>
  /** The fingerprint of the credential in use. */
  readonly fingerprint: Effect.Effect<string, AskError>
  readonly usage: Effect.Effect<{
    readonly requests: number
    readonly notModified: number
    readonly budget?: Budget
  }>
}

export interface DoorOptions {
  readonly auth: Auth
  /** What `gh` and people call it; the address may be another one. */
  readonly host: string
  /** Without a slash at the end: `https://api.github.com`. */
  readonly base: string
  /** How a token becomes the `authorization` header. */
  readonly scheme: "Bearer"
  /** Beside authorization: `accept`, versions. */
  readonly headers: { readonly [name: string]: string }
}

/** What is asked at once with one credential; writes go one by one, a second apart. */
const reads = 8
const writePause = 1000
const largest = ByteSize.mebibytes(64)
const patience = "30 seconds"
const limitFloor = 60_000

interface Lane {
  readonly reading: Semaphore.Semaphore
  readonly writing: Semaphore.Semaphore
  /** Monotonic milliseconds. */
  wroteAt: number
}

const monotonic = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** Whatever a link says, the token goes nowhere but to the configured origin. */
const address = (base: string, path: string): string => {
  if (path.startsWith("/")) return base + path
  const target = new URL(path, `${base}/`)
  return new URL(base).origin + target.pathname + target.search
}

/** Addresses in errors have no query: it is long, and people look for the place. */
const place = (url: string) => url.split("?")[0] ?? url

const saidOf = (body: string): string => {
  try {
    const parsed: Schema.Json = JSON.parse(body)
    if (parsed !== null && typeof parsed === "object" && "message" in parsed) {
      return typeof parsed.message === "string" ? parsed.message : ""
    }
  } catch {
    // A proxy's page is nothing to quote; its status says enough.
    return ""
  }
  return ""
}

const meaning: { readonly [reason: string]: string } = {
  Unauthorized: "the token was refused; it may be expired or revoked",
  Forbidden: "the token may not do this",
  Limited: "a rate limit was reached",
  Missing: "there is nothing, or nothing that this token may see",
  Gone: "it was deleted or switched off",
  Moved: "it has moved",
  Refused: "the request was refused",
  Unavailable: "the server has trouble"
}

export class Gateway extends Context.Service<
  Gateway,
  {
    readonly open: (options: DoorOptions) => Door
  }
>()("heed/net/Gateway") {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const credentials = yield* Credentials
      const breaker = yield* Breaker
      const lanes = new Map<string, Lane>()
      const laneOf = (key: string): Lane => {
        const lane = lanes.get(key) ?? {
          reading: Semaphore.makeUnsafe(reads),
          writing: Semaphore.makeUnsafe(1),
          wroteAt: Number.NEGATIVE_INFINITY
        }
        lanes.set(key, lane)
        return lane
      }

      const open = (options: DoorOptions): Door => {
        const origin = new URL(options.base).origin
        const count = { requests: 0, notModified: 0 }
        let budget: Budget | undefined
        const keyOf = (credential: Credential) => `${origin} ${credential.fingerprint}`
        const unresolved = `${origin} ${JSON.stringify(options.auth)}`

        const held = (left: Left) =>
          new AskError({
            reason: left.reason === "Limited" || left.reason === "Network" ? left.reason : "Unauthorized",
            message: `${left.message} Asked again in ${Math.ceil(left.left / 1000)}s.`,
            said: "",
            retryAfter: left.left
          })

        const resolved = Effect.fnUntraced(function* (get: Effect.Effect<Credential, { message: string }>) {
          const wait = yield* breaker.waiting(unresolved)
          if (wait !== undefined) return yield* held(wait)
          const credential = yield* get.pipe(
            Effect.catch(({ message }) =>
              Effect.andThen(
                breaker.failed(unresolved, { reason: "Unauthorized", message }),
                new AskError({ reason: "Unauthorized", message, said: "" })
              )
            )
          )
          yield* breaker.succeeded(unresolved)
          return credential
        })

        /** The credential to ask with; while its host waits because it was refused, a newer one is looked for. */
        const usable = Effect.gen(function* () {
          const first = yield* resolved(credentials.current(options.auth, options.host))
          const wait = yield* breaker.waiting(keyOf(first))
          if (wait === undefined) return first
          if (wait.reason !== "Unauthorized") return yield* held(wait)
          const other = yield* resolved(credentials.renewed(options.auth, options.host, first, renewalPause))
          const still = yield* breaker.waiting(keyOf(other))
          return still === undefined ? other : yield* held(still)
        })

        const send = Effect.fnUntraced(function* (ask: Ask, url: string, credential: Credential) {
          count.requests += 1
          const request = HttpClientRequest.make(ask.method)(url, {
            headers: {
              "user-agent": `heed/${version}`,
              ...options.headers,
              ...(ask.etag === undefined ? {} : { "if-none-match": ask.etag }),
              authorization: `${options.scheme} ${Redacted.value(credential.token)}`
            },
            body: ask.body === undefined ? HttpBody.empty : HttpBody.jsonUnsafe(ask.body)
          })
          const response = yield* client.execute(request)
          return { status: response.status, headers: response.headers, text: yield* response.text }
        })

        const lost = (url: string) => (error: HttpClientError) => {
          const { reason, message } = networkFailure(error, url)
          return new AskError({ reason, message, said: "" })
        }

        const exchange = Effect.fnUntraced(function* (ask: Ask, url: string, credential: Credential) {
          const once = send(ask, url, credential)
          // A kept-alive connection may close just as it is used; a read may simply be sent again.
          const twice = once.pipe(
            Effect.catch((error) =>
              ask.method === "GET" && networkFailure(error, url).closed ? once : Effect.fail(error)
            )
          )
          return yield* twice.pipe(
            Effect.provideService(MaxBodySize, largest),
            Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
            Effect.mapError(lost(url)),
            Effect.timeoutOrElse({
              duration: patience,
              orElse: () =>
                Effect.fail(
                  new AskError({
                    reason: "Unavailable",
                    message: `${place(url)} did not answer within 30 seconds.`,
                    said: ""
                  })
                )
            })
          )
        })

        const judged = Effect.fnUntraced(function* (
          url: string,
          { status, headers, text }: { status: number; headers: Headers; text: string },
          credential: Credential
        ) {
          const now = yield* Clock.currentTimeMillis
          budget = budgetOf(headers, now) ?? budget
          const common = {
            links: links(headers["link"]),
            date: serverTime(headers, now),
            fingerprint: credential.fingerprint
          }
          if (status === 304) {
            count.notModified += 1
            return { ...common, status, body: null } satisfies Answer
          }
          if (status >= 200 && status < 300) {
            const body = yield* Effect.try({
              try: (): Schema.Json => JSON.parse(text),
              catch: () =>
                new AskError({
                  reason: "BadAnswer",
                  message: `${place(url)} answered ${status} with something that is no JSON (${words(headers["content-type"] ?? "no content type", Redacted.value(credential.token))}). Does the address lead to the tracker's API?`,
                  said: ""
                })
            })
            const etag = headers["etag"]
            return { ...common, status, body, ...(etag === undefined ? {} : { etag }) } satisfies Answer
          }
          const raw = saidOf(text)
          const said = words(raw, Redacted.value(credential.token))
          const { reason, retryAfter } = verdict(status, headers, raw === "" ? text : raw, now)
          const location = headers["location"]
          return yield* new AskError({
            reason,
            message: `${place(url)} answered ${status}: ${meaning[reason] ?? ""}${said === "" ? "" : ` ("${said}")`}.`,
            said,
            ...(retryAfter === undefined ? {} : { retryAfter }),
            ...(location === undefined ? {} : { location })
          })
        })

        const attempt = Effect.fnUntraced(function* (ask: Ask, credential: Credential) {
          const url = address(options.base, ask.path)
          return yield* judged(url, yield* exchange(ask, url, credential), credential)
        })

        const tell = (credential: Credential) => (error: AskError) =>
          concernsHost(error.reason) && !(error.reason === "Unauthorized" && error.retryAfter !== undefined)
            ? breaker
                .failed(keyOf(credential), {
                  reason: error.reason,
                  message: error.message,
                  retryAfter: error.retryAfter,
                  floor: error.reason === "Limited" ? limitFloor : undefined
                })
                .pipe(
                  Effect.flatMap((wait) =>
                    Effect.fail(
                      new AskError({
                        reason: error.reason,
                        message: error.message,
                        said: error.said,
                        retryAfter: wait
                      })
                    )
                  )
                )
            : Effect.fail(error)

        const admitted = Effect.fnUntraced(function* (ask: Ask, credential: Credential) {
          // Those who queued while another one failed must not go ahead.
          const wait = yield* breaker.waiting(keyOf(credential))
          if (wait !== undefined) return yield* held(wait)
          const answer = yield* attempt(ask, credential).pipe(
            Effect.catchIf(
              (error) => error.reason === "Unauthorized",
              (error) =>
                Effect.gen(function* () {
                  const newer = yield* resolved(
                    credentials.renewed(options.auth, options.host, credential, 0)
                  )
                  if (newer.fingerprint === credential.fingerprint) return yield* error
                  return yield* attempt({ ...ask, etag: undefined }, newer).pipe(
                    Effect.catch(tell(newer)),
                    Effect.tap(breaker.succeeded(keyOf(newer)))
                  )
                })
            ),
            Effect.catch(tell(credential))
          )
          yield* breaker.succeeded(keyOf(credential))
          return answer
        })

        const paced = Effect.fnUntraced(function* (lane: Lane, ask: Ask, credential: Credential) {
          yield* Effect.sleep(Math.max(0, lane.wroteAt + writePause - (yield* monotonic)))
          return yield* admitted(ask, credential).pipe(
            Effect.ensuring(
              Effect.map(monotonic, (now) => {
                lane.wroteAt = now
              })
            )
          )
        })

        const ask = Effect.fn("Gateway.ask")(function* (ask: Ask) {
          const credential = yield* usable
          const lane = laneOf(keyOf(credential))
          return yield* ask.method === "GET"
            ? Semaphore.withPermit(lane.reading, admitted(ask, credential))
            : Semaphore.withPermit(lane.writing, paced(lane, ask, credential))
        })

        return {
          ask,
          fingerprint: Effect.map(usable, (credential) => credential.fingerprint),
          usage: Effect.sync(() => ({ ...count, ...(budget === undefined ? {} : { budget }) }))
        }
      }
      return Gateway.of({ open })
    })
  )
}
