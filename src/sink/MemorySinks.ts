/**
 * Sinks without processes, for tests and embedders: what is handed over lands in an inbox, and the test decides how
 * each hand-over ends.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Stream from "effect/Stream"
import type { HandOver, HandOverTry } from "../domain/HandOver.ts"
import { type Evidence, type Liveness, type Result, type Sink, SinkError, Sinks } from "./Sink.ts"

/** How the memory sink takes and ends what it is given. */
export interface MemorySinksOptions {
  /** Characters of one hand-over's prompt. Default: a million. */
  readonly capacity?: number
  /** How a hand-over ends as soon as it is sent; undefined keeps it running until `settle`. Default: Done. */
  readonly answer?: (handOver: HandOver) => Result | undefined
}

/** What the memory sink received, and the say over how it ends. */
export class SinkInbox extends Context.Service<
  SinkInbox,
  {
    /** Everything that reached an agent, in order. */
    readonly received: Effect.Effect<ReadonlyArray<HandOver>>
    /** Waits until at least so many have reached an agent, and answers with all of them. */
    readonly arrived: (count: number) => Effect.Effect<ReadonlyArray<HandOver>>
    /** Ends a hand-over that runs. Only the first end counts. */
    readonly settle: (which: HandOverTry, result: Result) => Effect.Effect<void>
  }
>()("heed/sink/SinkInbox") {}

interface Kept {
  readonly handOver: HandOver | undefined
  readonly state: "prepared" | "void" | "handed over"
  readonly result: Deferred.Deferred<Result>
}

const keyOf = (which: HandOverTry) => `${which.id}/${which.try}`

/** The sink, and its inbox; whoever keeps them can rebuild an engine over them, as after a crash. */
export const make = Effect.fnUntraced(function* (name: string, options: MemorySinksOptions = {}) {
  const kept = new Map<string, Kept>()
  const inbox = yield* SubscriptionRef.make<ReadonlyArray<HandOver>>([])
  const answer = options.answer ?? ((): Result => ({ _tag: "Done" }))

  const keep = (which: HandOverTry, state: Kept["state"], handOver?: HandOver) => {
    const result = kept.get(keyOf(which))?.result ?? Deferred.makeUnsafe<Result>()
    kept.set(keyOf(which), { handOver, state, result })
  }
  const evidence = (which: HandOverTry) =>
    Effect.sync((): Evidence => ({
      _tag: kept.get(keyOf(which))?.state === "handed over" ? "HandedOver" : "None"
    }))
  const settle = (which: HandOverTry, result: Result) => {
    const run = kept.get(keyOf(which))
    return run === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(run.result, result))
  }
  const isRunning = (which: HandOverTry) => {
    const run = kept.get(keyOf(which))
    return run?.state === "handed over" && !Deferred.isDoneUnsafe(run.result)
  }

  const sink: Sink = {
    name,
    capacity: options.capacity ?? 1_000_000,
    ready: () => Effect.void,
    prepare: (handOver) =>
      Effect.sync(() => {
        const state = kept.get(keyOf(handOver))?.state
        if (state === undefined || state === "prepared") keep(handOver, "prepared", handOver)
      }),
    send: Effect.fn("MemorySink.send")(function* (which) {
      const run = kept.get(keyOf(which))
      if (run?.state === "handed over") return
      if (run?.state === "void") {
        return yield* new SinkError({ reason: "Withdrawn", message: `${keyOf(which)} was withdrawn` })
      }
      if (run?.handOver === undefined) {
        return yield* new SinkError({ reason: "NotReady", message: `${keyOf(which)} was not prepared` })
      }
      const { handOver } = run
      keep(which, "handed over", handOver)
      const result = answer(handOver)
      if (result !== undefined) yield* settle(which, result)
      yield* SubscriptionRef.update(inbox, (before) => [...before, handOver])
    }),
    evidence,
    withdraw: (which) =>
      Effect.suspend(() => {
        if (kept.get(keyOf(which))?.state !== "handed over") keep(which, "void")
        return evidence(which)
      }),
    result: (which) =>
      Effect.suspend(() => {
        const run = kept.get(keyOf(which))
        return run?.state === "handed over"
          ? Deferred.await(run.result)
          : Effect.succeed<Result>({ _tag: "Failed", why: `${keyOf(which)} was never handed over` })
      }),
    probe: ({ newest }) =>
      Effect.sync((): Liveness => ({ _tag: newest !== undefined && isRunning(newest) ? "Live" : "Absent" })),
    end: ({ newest }) =>
      newest === undefined ? Effect.void : settle(newest, { _tag: "Failed", why: "it was ended" })
  }

  const received = SubscriptionRef.get(inbox)
  return {
    sink,
    inbox: SinkInbox.of({
      received,
      arrived: (count) =>
        SubscriptionRef.changes(inbox).pipe(
          Stream.filter((all) => all.length >= count),
          Stream.runHead,
          Effect.andThen(received)
        ),
      settle
    })
  }
})

/** One memory sink under whatever name an agent's entry says. */
export const layerMemory = (options: MemorySinksOptions = {}): Layer.Layer<Sinks | SinkInbox> =>
  Layer.effectContext(
    Effect.map(make("memory", options), ({ sink, inbox }) =>
      Context.make(Sinks, Sinks.of({ get: () => sink, tidy: () => Effect.void })).pipe(
        Context.add(SinkInbox, inbox)
      )
    )
  )
