/**
 * The folder of one try, `runs/<hand-over>/<try>/`: what lies in it, how it is written durably, and what it proves.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { PlatformError } from "effect/PlatformError"
import * as AtomicFile from "../disk/AtomicFile.ts"
import { diskError } from "../disk/DiskError.ts"
import * as ExclusiveClaim from "../disk/ExclusiveClaim.ts"
import type { Written } from "../disk/KillPoint.ts"
import type { ProcessIdentity } from "../disk/ProcessIdentity.ts"
import { HandOver, HandOverId, type HandOverTry, Try } from "../domain/HandOver.ts"
import { SinkError } from "./Sink.ts"

/** Who took a try: a process that carries it out (a run's wrapper), or a heed that made sure that nobody ever will. */
export const ClaimRecord = Schema.Union([
  Schema.Struct({
    version: Schema.Literal(1),
    pid: Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))),
    startTime: Schema.String,
    bootId: Schema.String
  }),
  Schema.Struct({ version: Schema.Literal(1), void: Schema.Literal(true), at: Schema.String })
])
export type ClaimRecord = typeof ClaimRecord.Type
/** The claim of a process, as against one that makes a try void. */
export type WrapperClaim = Extract<ClaimRecord, ProcessIdentity>

/** Whether a try is claimed, and by whom. Unreadable is neither free nor taken. */
export type ClaimState =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Taken"; readonly by: WrapperClaim }
  | { readonly _tag: "Void" }
  | { readonly _tag: "Unreadable"; readonly why: string }

/** How the agent left, and after how many milliseconds. */
export interface Exit {
  readonly code: number
  readonly took: number
}

/** What a sink says where a run's folder takes nothing now: it waits, and nothing is spent (G3.6). */
export const diskUnwritable = (error: { readonly message: string }): SinkError =>
  new SinkError({
    reason: "DiskUnwritable",
    message: `the run's folder cannot be written: ${error.message}. Free the disk or mend its permissions; nothing is lost`
  })

const decodeClaim = Schema.decodeResult(Schema.fromJsonString(ClaimRecord))
const HandOverJson = Schema.fromJsonString(HandOver)
const decodeHandOver = Schema.decodeEffect(HandOverJson)
const encodeHandOver = Schema.encodeSync(HandOver)

const isId = Schema.is(HandOverId)
const isTry = Schema.is(Try)

/** The folders of all tries under `root`, which is made absolute. */
export const make = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // Agents get these paths, and work elsewhere.
  const runs = path.resolve(root)

  /** Ids are hashes of ours; one that is no plain name would be a way out of the root (traps B100). */
  const folderOf = (which: HandOverTry): string => {
    if (!isId(which.id) || !isTry(which.try)) {
      throw new Error(`not a hand-over's name: ${JSON.stringify(which.id)}/${which.try}`)
    }
    return path.join(runs, which.id, String(which.try))
  }
  const fileOf = (which: HandOverTry, name: string) => path.join(folderOf(which), name)

  /** Undefined where there is no such file. */
  const readOptional = (file: string) =>
    fs
      .readFileString(file)
      .pipe(
        Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed<string | undefined>(undefined))
      )

  const disk = Effect.provideService(FileSystem.FileSystem, fs)

  const makeFolder = Effect.fnUntraced(function* (which: HandOverTry) {
    yield* fs
      .makeDirectory(folderOf(which), { recursive: true, mode: 0o700 })
      .pipe(Effect.mapError(diskError("make", folderOf(which))))
    for (const folder of [path.dirname(runs), runs, path.join(runs, which.id)]) {
      yield* disk(AtomicFile.syncFolder(folder))
    }
  })

  const claimState = (which: HandOverTry): Effect.Effect<ClaimState> =>
    readOptional(fileOf(which, ExclusiveClaim.claimName)).pipe(
      Effect.map((text): ClaimState => {
        if (text === undefined) return { _tag: "Free" }
        const claim = decodeClaim(text)
        if (Result.isFailure(claim)) {
          return {
            _tag: "Unreadable",
            why: `${fileOf(which, ExclusiveClaim.claimName)} is no claim of heed's`
          }
        }
        return "void" in claim.success ? { _tag: "Void" } : { _tag: "Taken", by: claim.success }
      }),
      Effect.catch((error) => Effect.succeed<ClaimState>({ _tag: "Unreadable", why: error.message }))
    )

  const claim = Effect.fnUntraced(function* (which: HandOverTry, record: ClaimRecord) {
    yield* makeFolder(which)
    const text = `${JSON.stringify(record)}\n`
    return (yield* disk(ExclusiveClaim.claim(folderOf(which), text)))._tag === "Won"
  })

  return {
    folderOf,
    fileOf,
    claimState,

    /** Writes the content; `hand-over.json` comes last, so that where it stands everything stands. */
    write: Effect.fnUntraced(function* (handOver: HandOver) {
      const text = `${JSON.stringify(encodeHandOver(handOver), undefined, 2)}\n`
      if ((yield* readOptional(fileOf(handOver, "hand-over.json"))) === text) return
      // Once somebody runs with it, or has made it void, it is evidence and stays.
      if ((yield* claimState(handOver))._tag !== "Free") return
      yield* makeFolder(handOver)
      const write = (name: string, content: string, what: Written) =>
        disk(AtomicFile.write(fileOf(handOver, name), content, what))
      yield* write("prompt", handOver.prompt.toWellFormed(), "prompt")
      yield* write("events.json", `${JSON.stringify(handOver.events, undefined, 2)}\n`, "events")
      yield* write("hand-over.json", text, "hand-over")
    }),

    /** What was prepared; undefined when nothing was, or it cannot be understood. */
    read: (which: HandOverTry): Effect.Effect<HandOver | undefined, PlatformError> =>
      readOptional(fileOf(which, "hand-over.json")).pipe(
        Effect.flatMap((text) =>
          text === undefined
            ? Effect.succeed(undefined)
            : decodeHandOver(text).pipe(Effect.orElseSucceed(() => undefined))
        )
      ),

    /** Makes sure that nobody runs a try, against every wrapper; false when one was first. */
    makeVoid: (which: HandOverTry, at: string) => claim(which, { version: 1, void: true, at }),

    /** Claims a try for a process that has no wrapper; false when somebody was first. */
    take: (which: HandOverTry, by: ProcessIdentity) => claim(which, { version: 1, ...by }),

    /** Writes the exit file, where no wrapper does. */
    leave: (which: HandOverTry, { code, took }: Exit) =>
      disk(AtomicFile.write(fileOf(which, "exit"), `${code} ${took}\n`)),

    /** The exit file's content; undefined while there is none. */
    exit: (which: HandOverTry): Effect.Effect<Exit | undefined, PlatformError> =>
      readOptional(fileOf(which, "exit")).pipe(
        Effect.map((text) => {
          const match = /^(\d+) (\d+)\n/u.exec(text ?? "")
          return match === null ? undefined : { code: Number(match[1]), took: Number(match[2]) }
        })
      ),

    /** Whether the wrapper ended the run at its time-out. */
    timedOut: (which: HandOverTry) => fs.exists(fileOf(which, "timeout")),

    /** Notes, for whoever asks how the run ended, that heed is about to end it. */
    noteEnd: (which: HandOverTry) => disk(AtomicFile.write(fileOf(which, "ended"), "")),

    wasEnded: (which: HandOverTry) => fs.exists(fileOf(which, "ended")),

    /** Notes, before anything of a try is sent that leaves no evidence of its own here, where it goes. */
    noteSending: (which: HandOverTry, where: string) =>
      disk(AtomicFile.write(fileOf(which, "sending"), `${where}\n`)),

    /** What `noteSending` noted; undefined where nothing was sent. */
    sending: (which: HandOverTry) =>
      readOptional(fileOf(which, "sending")).pipe(Effect.map((text) => text?.trimEnd())),

    /** Takes the note back: it is certain that nothing was sent. */
    forgetSending: (which: HandOverTry) => fs.remove(fileOf(which, "sending"), { force: true }),

    /** The last `bytes` of a file, as text; empty when there is no such file. */
    tail: (which: HandOverTry, name: "stdout" | "stderr", bytes: number) =>
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* fs.open(fileOf(which, name), { flag: "r" })
          const { size } = yield* file.stat
          const buffer = new Uint8Array(bytes)
          const position = Math.max(0, Number(ByteSize.toBigInt(size)) - bytes)
          const read = yield* file.read(buffer, { position: BigInt(position) })
          return new TextDecoder().decode(buffer.subarray(0, read))
        })
      ).pipe(Effect.orElseSucceed(() => ""))
  } as const
})

/** What `make` answers with. */
export type RunFolder = Effect.Success<ReturnType<typeof make>>
