/**
 * Gateway: the one way by which trackers are asked. It finds the credential, renews it once when it is refused, keeps
 * to the waiting that all who use it share, and paces writes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as HttpClient from "effect/http/HttpClient"
import { AskError, concernsHost } from "./AskError.ts"
import { Breaker, type Left } from "./Breaker.ts"
import { exchanger, type Answer, type Ask, type Destination, type Usage } from "./Exchange.ts"
import { Credentials, renewalPause, type Auth, type Credential } from "./Credentials.ts"
import { monotonicMillis } from "./Monotonic.ts"
import type { Budget } from "./Verdict.ts"

export interface DoorOptions extends Destination {
  readonly auth: Auth
  /** What `gh` and people call it; the address may be another one. */
  readonly host: string
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

/** What is asked at once with one credential; writes go one by one, a second apart. */
const reads = 8
const writePause = 1000
const limitFloor = 60_000

interface Lane {
  readonly reading: Semaphore.Semaphore
  readonly writing: Semaphore.Semaphore
  /** Monotonic milliseconds. */
  wroteAt: number
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
        const usage: Usage = { requests: 0, notModified: 0, budget: undefined }
        const exchange = exchanger(client, options, usage)
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
          const answer = yield* exchange(ask, credential).pipe(
            Effect.catchIf(
              (error) => error.reason === "Unauthorized",
              (error) =>
                Effect.gen(function* () {
                  const newer = yield* resolved(
                    credentials.renewed(options.auth, options.host, credential, 0)
                  )
                  if (newer.fingerprint === credential.fingerprint) return yield* error
                  return yield* exchange({ ...ask, etag: undefined }, newer).pipe(
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
          yield* Effect.sleep(Math.max(0, lane.wroteAt + writePause - (yield* monotonicMillis)))
          return yield* admitted(ask, credential).pipe(
            Effect.ensuring(
              Effect.map(monotonicMillis, (now) => {
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
          usage: Effect.sync(() => {
            const { budget, ...counts } = usage
            return budget === undefined ? counts : { ...counts, budget }
          })
        }
      }
      return Gateway.of({ open })
    })
  )
}
