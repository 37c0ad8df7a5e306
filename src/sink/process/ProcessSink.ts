/**
 * The `process` sink: a hand-over is one run of the agent's command, under a wrapper that outlives heed. Its folder is
 * the evidence: the claim says that it began, the exit file how it ended (G3.2).
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { randomUUID } from "node:crypto"
import { killPoint } from "../../disk/KillPoint.ts"
import type { HandOver, HandOverTry } from "../../domain/HandOver.ts"
import { instant } from "../../domain/Item.ts"
import { type Evidence, type Liveness, type SessionAt, type Sink, SinkError } from "../Sink.ts"
import { type EnvironmentOptions, standardPath } from "../AgentEnvironment.ts"
import * as AgentStart from "../AgentStart.ts"
import * as RunFolder from "../RunFolder.ts"
import * as RunLiveness from "./RunLiveness.ts"
import * as RunResult from "./RunResult.ts"
import { wrapperArguments } from "./Wrapper.ts"

/** Where the sink's runs lie, and how they are bounded. */
export interface ProcessSinkOptions extends EnvironmentOptions {
  /** Absolute: `<root>/runs`. */
  readonly runs: string
  /** Bytes of a run's stdout and stderr that are kept, half for each (`state.runs.maxPerRun`). */
  readonly maxPerRun: number
  /** Milliseconds between TERM and KILL, for a time-out and for `end`. Default 10 seconds. */
  readonly grace?: number
}

/** A prompt travels on stdin and in a file, so this only bounds what one agent should be asked to read. */
const capacity = 8_000_000

/** How often a try is looked at when nothing in its folder tells of a change. */
const slowTick = "1 second"
/** The files whose appearance may change the answer. */
const telling = new Set(["claim", "exit"])

/** A sink over `options.runs`. Needs Linux's `/proc` and the usual POSIX tools. */
export const make = Effect.fn("ProcessSink.make")(function* (options: ProcessSinkOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const folder = yield* RunFolder.make(options.runs)
  const liveness = yield* RunLiveness.make
  const start = yield* AgentStart.make(folder, options)
  const lookForResult = RunResult.make(folder, liveness)
  const grace = options.grace ?? 10_000
  const tools = `${options.variables["PATH"] ?? standardPath}:${standardPath}`

  /** Succeeds with the first answer of `look`: asked at once, at each change in the folder, and each second. */
  const firstAnswer = Effect.fnUntraced(function* <A>(
    which: HandOverTry,
    look: Effect.Effect<A | undefined>
  ) {
    const watching = yield* Deferred.make<void>()
    const changes = fs
      .watch(folder.folderOf(which), { onReady: () => Deferred.doneUnsafe(watching, Exit.void) })
      .pipe(
        // The outputs are written beside them, and say nothing.
        Stream.filter(({ path: name }) => telling.has(path.basename(name))),
        // No watch to be had (the system's limit, a folder that was removed): the slow tick sees everything too.
        Stream.catch(() => Stream.never)
      )
    const occasions: ReadonlyArray<Stream.Stream<unknown>> = [
      Stream.tick(slowTick),
      // What came between the first look and the watch would have to wait for the second tick.
      Stream.fromEffect(Deferred.await(watching)),
      changes
    ]
    return yield* Stream.mergeAll(occasions, { concurrency: "unbounded" }).pipe(
      Stream.mapEffect(() => look),
      Stream.filter((answer) => answer !== undefined),
      Stream.runHead,
      Effect.flatMap(Effect.fromOption),
      Effect.orDie
    )
  })

  const evidence = Effect.fn("ProcessSink.evidence")(function* (which: HandOverTry) {
    const claim = yield* folder.claimState(which)
    switch (claim._tag) {
      case "Taken":
        return { _tag: "HandedOver" } as const satisfies Evidence
      case "Unreadable":
        return { _tag: "Unknown", why: claim.why } as const satisfies Evidence
      default:
        return { _tag: "None" } as const satisfies Evidence
    }
  })

  const prepare = Effect.fn("ProcessSink.prepare")(function* (handOver: HandOver) {
    yield* folder.write(handOver).pipe(Effect.mapError(RunFolder.diskUnwritable))
  })

  const send = Effect.fn("ProcessSink.send")(function* (which: HandOverTry) {
    const before = yield* folder.claimState(which)
    if (before._tag === "Taken") return
    if (before._tag === "Void") return yield* withdrawn(which)
    const handOver = yield* folder.read(which).pipe(Effect.mapError(RunFolder.diskUnwritable))
    if (handOver === undefined) {
      return yield* new SinkError({
        reason: "NotReady",
        message: `nothing was prepared in ${folder.folderOf(which)}`
      })
    }
    const run = yield* start.commandOf(handOver)
    const claim = yield* Effect.scoped(
      Effect.gen(function* () {
        const wrapper = yield* startWrapper(handOver, run)
        // A wrapper that has gone without a claim lost it to another, or could not write.
        const gone = wrapper.exitCode.pipe(
          Effect.ignore, // how it went does not matter: the claim alone tells
          Effect.andThen(folder.claimState(which))
        )
        const claimed = firstAnswer(
          which,
          folder.claimState(which).pipe(Effect.map((state) => (state._tag === "Free" ? undefined : state)))
        )
        return yield* Effect.raceFirst(claimed, gone)
      })
    ).pipe(
      Effect.mapError(
        (error) =>
          new SinkError({
            reason: "NotReady",
            message: `/bin/sh could not be started: ${error.reason._tag}`
          })
      ),
      Effect.timeoutOrElse({
        duration: "5 seconds",
        orElse: () =>
          Effect.fail(
            new SinkError({ reason: "NotReady", message: "the run's wrapper took no claim within 5 seconds" })
          )
      })
    )
    yield* killPoint("run.claimed")
    switch (claim._tag) {
      case "Taken":
        return
      case "Void":
        return yield* withdrawn(which)
      case "Unreadable":
        return yield* new SinkError({ reason: "NotReady", message: claim.why })
      case "Free":
        return yield* new SinkError({
          reason: "DiskUnwritable",
          message: `the run's wrapper could take no claim in ${folder.folderOf(which)}: is the disk full? Nothing is lost`
        })
    }
  })

  const withdrawn = (which: HandOverTry) =>
    new SinkError({
      reason: "Withdrawn",
      message: `try ${which.try} of hand-over ${which.id} was withdrawn and never will be sent`
    })

  /** Started and let go in one breath: from here on it does not end with this scope, nor with this heed. */
  const startWrapper = Effect.fnUntraced(function* (handOver: HandOver, run: AgentStart.Startable) {
    yield* killPoint("run.spawning")
    const handle = yield* spawner.spawn(
      ChildProcess.make(
        "/bin/sh",
        wrapperArguments({
          folder: folder.folderOf(handOver),
          nonce: randomUUID(),
          tools,
          timeout: handOver.plan.timeout,
          grace,
          cap: options.maxPerRun / 2,
          cwd: run.cwd,
          command: run.command,
          args: run.args
        }),
        { env: run.environment, detached: true, stdin: "ignore", stdout: "ignore", stderr: "ignore" }
      )
    )
    yield* killPoint("run.spawned")
    yield* handle.unref
    return handle
  }, Effect.uninterruptible)

  const withdraw = Effect.fn("ProcessSink.withdraw")(function* (which: HandOverTry) {
    const now = yield* Clock.currentTimeMillis
    return yield* folder.makeVoid(which, instant(now)).pipe(
      Effect.flatMap((won) => (won ? Effect.succeed<Evidence>({ _tag: "None" }) : evidence(which))),
      Effect.catch((error) =>
        Effect.succeed<Evidence>({ _tag: "Unknown", why: `cannot withdraw: ${error.message}` })
      )
    )
  })

  const result = Effect.fn("ProcessSink.result")((which: HandOverTry) =>
    firstAnswer(which, lookForResult(which))
  )

  const probe = Effect.fn("ProcessSink.probe")(function* ({ newest }: SessionAt): Effect.fn.Return<Liveness> {
    if (newest === undefined) return { _tag: "Absent" }
    const claim = yield* folder.claimState(newest)
    if (claim._tag === "Unreadable") return { _tag: "Unknown", why: claim.why }
    if (claim._tag !== "Taken") return { _tag: "Absent" }
    const over = yield* lookForResult(newest)
    return { _tag: over === undefined ? "Live" : "Absent" }
  })

  const end = Effect.fn("ProcessSink.end")(function* ({ newest: which }: SessionAt) {
    if (which === undefined) return
    const claim = yield* folder.claimState(which)
    if (claim._tag !== "Taken") return
    const leader = claim.by
    const signal = Effect.fnUntraced(function* (name: "SIGTERM" | "SIGKILL") {
      if (yield* liveness.hasMembers(which, leader)) yield* liveness.signal(leader, name)
    })
    const gone = liveness
      .isPresent(which, leader)
      .pipe(Effect.repeat({ while: (present) => present, schedule: Schedule.spaced("50 millis") }))
    if (!(yield* liveness.isPresent(which, leader))) return
    // A note for people alone: a disk that does not take it keeps nobody from ending the run.
    yield* Effect.ignore(folder.noteEnd(which))
    yield* signal("SIGTERM")
    const left = yield* Effect.timeoutOption(gone, grace)
    if (left._tag === "Some") return
    yield* signal("SIGKILL")
    yield* gone
  })

  return {
    name: "process",
    capacity,
    ready: Effect.fn("ProcessSink.ready")(start.ready),
    prepare,
    send,
    evidence,
    withdraw,
    result,
    probe,
    end
  } satisfies Sink
})
