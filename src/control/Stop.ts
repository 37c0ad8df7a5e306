/**
 * Stop: asks the daemon to end and is true when it returns: nobody holds the lock any more (G2.1, G2.2).
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Holder, type Probe, RunLock } from "../disk/RunLock.ts"
import { monotonicMillis } from "../net/Monotonic.ts"
import * as ControlClient from "./ControlClient.ts"
import { protocolVersion } from "./Protocol.ts"
import { terminate } from "./Terminate.ts"

export class StopError extends Schema.TaggedError<StopError>()("StopError", {
  /**
   * Nothing: nobody holds the root. Stale: only a dead daemon's pidfile was there, and is removed now. Unreadable: it is
   * held, by whom cannot be told. Refused: it cannot be asked or signalled. TimedOut: it was asked and is still there.
   */
  reason: Schema.Literals(["Nothing", "Stale", "Unreadable", "Refused", "TimedOut"]),
  message: Schema.String
}) {}

export interface StopOptions {
  /** The daemon's socket; undefined when the root has none. */
  readonly socket: string | undefined
  /** Of the pidfile, for people. */
  readonly pidfile: string
  readonly timeout: Duration.Duration
}

/** Between two looks at the lock. */
const pause = "50 millis"
/** How long a holder may leave the socket's question alone before it is signalled. */
const patience = Duration.seconds(5)

/** Nothing at all is written with its unit as well. */
const spanOf = (timeout: Duration.Duration) => (Duration.isZero(timeout) ? "0s" : Duration.format(timeout))

const sameHolder = (a: Holder | undefined, b: Holder | undefined) =>
  a === undefined ||
  b === undefined ||
  (a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId)

/** Whether the one that was asked to end is gone: the lock is free, or another has it since. */
const isGone = (asked: Holder | undefined, probe: Probe) =>
  probe._tag === "Free" || !sameHolder(asked, probe.holder)

const nothing = Effect.fn("Stop.nothing")(function* (options: StopOptions, leftover: boolean) {
  const lock = yield* RunLock
  if (!leftover)
    return yield* new StopError({
      reason: "Nothing",
      message: `nothing to stop: no heed holds ${options.pidfile}`
    })
  // A start may have taken the lock since; then the file is its own.
  const removed = yield* lock.clean
  return yield* new StopError({
    reason: "Stale",
    message: `nothing to stop: ${options.pidfile} was stale${removed ? " and is removed" : ""}; no process was signalled`
  })
})

const request = (options: StopOptions, holder: Holder | undefined) =>
  Effect.gen(function* () {
    if (options.socket === undefined) return false
    const answer = yield* ControlClient.ask(
      options.socket,
      { version: protocolVersion, request: "stop" },
      Duration.min(patience, options.timeout)
    ).pipe(Effect.catchTag("ControlError", () => Effect.succeed(undefined)))
    return answer?._tag === "Done"
  }).pipe(
    Effect.flatMap((asked) =>
      asked
        ? Effect.void
        : holder === undefined
          ? Effect.fail(
              new StopError({
                reason: "Unreadable",
                message: `${options.pidfile} is locked, but does not say by whom, and its holder does not answer; find it with "fuser ${options.pidfile}" and end it yourself`
              })
            )
          : terminate(holder).pipe(
              Effect.mapError(
                (error) =>
                  new StopError({
                    reason: "Refused",
                    message: `${options.pidfile} is locked, but ${error.message}; nothing was signalled. Find the holder with "fuser ${options.pidfile}"`
                  })
              )
            )
    )
  )

/**
 * Ends whoever holds the root, in the order: ask over the socket; signal the very process that holds the lock. A
 * command at work is waited for and not disturbed. Answers with the pid of what ended, if it was known.
 */
export const stop = Effect.fn("Stop.stop")(function* (options: StopOptions) {
  const lock = yield* RunLock
  const first = yield* lock.probe
  if (first._tag === "Free") return yield* nothing(options, first.leftover)
  const started = yield* monotonicMillis
  const holder = first.holder
  if (holder?.role !== "command") yield* request(options, holder)
  while (!isGone(holder, yield* lock.probe)) {
    if ((yield* monotonicMillis) - started >= Duration.toMillis(options.timeout))
      return yield* new StopError({
        reason: "TimedOut",
        message: `heed${holder === undefined ? "" : ` (pid ${holder.pid})`} was asked to stop and still holds ${options.pidfile} after ${spanOf(options.timeout)}; give it more time with --timeout, or end it yourself`
      })
    yield* Effect.sleep(pause)
  }
  return holder?.pid
})
