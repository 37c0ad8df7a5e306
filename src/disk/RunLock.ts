/**
 * RunLock: at most one heed works on a state root. A kernel lock (`flock`) on `<root>/heed.pid`, gone with the process
 * however it dies; never a guess about liveness, never a weaker lock (G1.1 to G1.4).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { mkdirSync, statfs } from "node:fs"
import { dirname, join } from "node:path"
import { type Instant, instant } from "../domain/Item.ts"
import * as Flock from "./Flock.ts"
import { fileSystemType } from "./LockableFileSystem.ts"
import * as LockFile from "./LockFile.ts"
import { exclusiveHolder } from "./LockTable.ts"
import { Holder, Role } from "./Pidfile.ts"
import { identify, isAlive } from "./ProcessIdentity.ts"

export { Holder, Role }

/** What a look at the lock shows, without taking it from anyone. */
export type Probe =
  | { readonly _tag: "Free"; readonly leftover: boolean }
  | { readonly _tag: "Held"; readonly holder: Holder | undefined; readonly why?: string }

export class RunLockError extends Schema.TaggedError<RunLockError>()("RunLockError", {
  /**
   * Held: another heed has the root. Unavailable: such a lock cannot be had here (no binding, a network or unknown
   * file system). Refused: the pidfile is a link or no plain file, or cannot be opened.
   */
  reason: Schema.Literals(["Held", "Unavailable", "Refused"]),
  pidfile: Schema.String,
  holder: Schema.optionalKey(Holder),
  /** What happened, where, and the mend. */
  message: Schema.String
}) {}

export interface HeldLock {
  readonly pidfile: string
  readonly since: Instant
}

/** The pidfile's name in a state root. */
export const pidfileName = "heed.pid"

export interface Options {
  /** The state root, absolute. Made (0700) when missing, but only once a lock can be had there. */
  readonly root: string
  /** Whether a network or unknown file system is accepted. The lock stays the same kind. Default: false. */
  readonly allowNetworkFs?: boolean
}

/** Between two tries, in milliseconds. */
const pause = 25
/** How long a taker waits for whoever only looks, and for a command, which is soon done: in tries. */
const patience = { other: 40, command: 200 }

export class RunLock extends Context.Service<
  RunLock,
  {
    /** Takes the lock for the scope's life. Retries for a moment, so that no probe makes a start fail. */
    readonly acquire: (role: Role) => Effect.Effect<HeldLock, RunLockError, Scope.Scope>
    readonly probe: Effect.Effect<Probe, RunLockError>
    /** Removes a leftover pidfile, under the lock; false when somebody holds it. */
    readonly clean: Effect.Effect<boolean, RunLockError>
  }
>()("heed/disk/RunLock") {
  /** The kernel's lock. Building the layer touches nothing and loads nothing. */
  static readonly layer = (options: Options): Layer.Layer<RunLock> =>
    Layer.sync(RunLock, () => RunLock.of(live(options)))

  /** One lock in memory, for tests and embedders: it excludes only inside one build of the layer. */
  static readonly layerMemory: Layer.Layer<RunLock> = Layer.sync(RunLock, () => RunLock.of(memory()))
}

const live = ({ root, allowNetworkFs = false }: Options): RunLock["Service"] => {
  const pidfile = join(root, pidfileName)

  const failure = (reason: RunLockError["reason"], message: string) =>
    new RunLockError({ reason, pidfile, message })

  const refused = (cause: unknown) =>
    failure(
      "Refused",
      `heed does not use the pidfile ${pidfile}: ${LockFile.explain(cause)}. ${refusalMend(cause)}`
    )

  const call = <A>(body: () => A): Effect.Effect<A, RunLockError> =>
    Effect.try({ try: body, catch: (cause) => (cause instanceof RunLockError ? cause : refused(cause)) })

  const binding = Flock.load.pipe(
    Effect.mapError(({ message }) =>
      failure(
        "Unavailable",
        `heed cannot lock ${pidfile}: ${message}. heed never runs without the lock: install heed again on this machine ` +
          `(npm install), so that koffi's prebuilt binding for ${process.platform}-${process.arch} is there`
      )
    )
  )

  /** A file system that is known to lock: asked before anything is made, and not for ever (traps B74). */
  const lockable = Effect.gen(function* () {
    if (allowNetworkFs) return
    const type = yield* typeOfNearest(root).pipe(
      Effect.mapError((message) => failure("Refused", message)),
      Effect.timeoutOrElse({
        duration: "5 seconds",
        orElse: () =>
          Effect.fail(
            failure(
              "Unavailable",
              `the file system at ${root} does not answer: is it a mount whose server is gone? Put state.root on a local disk`
            )
          )
      })
    )
    const { name, lockable } = fileSystemType(type, process.platform)
    if (lockable) return
    return yield* failure(
      "Unavailable",
      `${root} is on a file system (${name}) whose locks may not exclude other machines. Put state.root on a local disk; ` +
        `or, if no other machine ever uses this root, set state.allowNetworkFs: true`
    )
  })

  const unlockable = (why: string) =>
    failure("Unavailable", `${pidfile} cannot be locked (${why}). Put state.root on a local disk`)

  const release = (file: LockFile.OpenFile) =>
    Effect.try({
      try: () => LockFile.giveBack(pidfile, file),
      catch: LockFile.explain
    }).pipe(
      // The name may stay (a read-only disk): the lock is gone with the descriptor, and the next holder signs anew.
      Effect.catch((why) => Effect.logWarning(`${pidfile} could not be removed: ${why}`))
    )

  const look: Effect.Effect<Probe, RunLockError> = Effect.acquireUseRelease(
    call(() => LockFile.openToLook(pidfile)),
    (file) => (file === undefined ? Effect.succeed<Probe>({ _tag: "Free", leftover: false }) : lookAt(file)),
    (file) => Effect.sync(() => (file === undefined ? undefined : LockFile.close(file)))
  )

  const lookAt = Effect.fnUntraced(function* (file: LockFile.OpenFile) {
    const listed = exclusiveHolder(file.stat)
    if (listed._tag === "Holder") return heldBy(yield* call(() => LockFile.signature(file)), listed.pid)
    // Only a lock whose holder is not listed is touched, and only by a shared one: it refuses no other look, and a
    // taker tries again.
    const flock = yield* binding
    const asked = flock.take(file.descriptor, "shared")
    if (asked._tag === "Failed") return yield* unlockable(asked.code)
    if (asked._tag === "Busy") return yield* heldUnlisted(yield* call(() => LockFile.signature(file)))
    return yield* call((): Probe => ({ _tag: "Free", leftover: LockFile.isInPlace(pidfile, file) }))
  })

  const acquire = Effect.fn("RunLock.acquire")(function* (role: Role) {
    yield* lockable
    const flock = yield* binding
    yield* makeRoot(root).pipe(Effect.mapError((message) => failure("Refused", message)))
    const self = yield* identify(process.pid)
    const holder = {
      pid: process.pid,
      startTime: self?.startTime ?? "unknown",
      bootId: self?.bootId ?? "unknown",
      role
    }
    const scope = yield* Effect.scope
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        for (let tries = 1; ; tries++) {
          const tried = yield* call(() => LockFile.tryTake(pidfile, flock, holder))
          if (tried._tag === "Unlockable") return yield* unlockable(tried.why)
          if (tried._tag === "Taken") {
            yield* Scope.addFinalizer(scope, release(tried.file))
            return { pidfile, since: instant(yield* Clock.currentTimeMillis) }
          }
          if (tries >= patience.other) {
            const seen = yield* look
            const role = seen._tag === "Held" ? seen.holder?.role : "command"
            if (role !== "command" || tries >= patience.command) return yield* refusal(pidfile, seen)
          }
          yield* restore(Effect.sleep(pause))
        }
      })
    )
  })

  const clean = Effect.gen(function* () {
    const flock = yield* binding
    return yield* call(() => {
      const file = LockFile.openToLook(pidfile)
      if (file === undefined) return true
      try {
        const taken = flock.take(file.descriptor, "exclusive")
        if (taken._tag === "Failed") throw unlockable(taken.code)
        if (taken._tag === "Busy") return false
        LockFile.unname(pidfile, file)
        return true
      } finally {
        LockFile.close(file)
      }
    })
  }).pipe(Effect.withSpan("RunLock.clean"))

  return { acquire, probe: look.pipe(Effect.withSpan("RunLock.probe")), clean }
}

const refusalMend = (cause: unknown): string =>
  cause instanceof LockFile.Unacceptable || /link|plain/u.test(LockFile.explain(cause))
    ? "Remove it, then start again"
    : "Make the state root writable for this user, or name another one in state.root"

const unnamed = (why: string): Probe => ({ _tag: "Held", holder: undefined, why })

/** The holder that the kernel names, if the file says the same. */
const heldBy = (signature: Result.Result<Holder, string>, listed: number): Probe =>
  Result.isFailure(signature)
    ? unnamed(`${signature.failure}; the lock is process ${listed}'s`)
    : listed === signature.success.pid
      ? { _tag: "Held", holder: signature.success }
      : unnamed(`the pidfile names process ${signature.success.pid}, but the lock is process ${listed}'s`)

/** The holder that signed, if it can be seen from here; a holder in another container cannot. */
const heldUnlisted = Effect.fnUntraced(function* (signature: Result.Result<Holder, string>) {
  if (Result.isFailure(signature)) return unnamed(signature.failure)
  const holder = signature.success
  return (yield* isAlive(holder))
    ? ({ _tag: "Held", holder } satisfies Probe)
    : unnamed(
        `the pidfile names process ${holder.pid}, which is not to be seen from here: in another container?`
      )
})

const refusal = (pidfile: string, seen: Probe): RunLockError => {
  const holder = seen._tag === "Held" ? seen.holder : undefined
  const who =
    holder === undefined
      ? `somebody who cannot be named (${(seen._tag === "Held" ? seen.why : undefined) ?? "the lock changes hands"})`
      : `heed, process ${holder.pid} (${holder.role})`
  return new RunLockError({
    reason: "Held",
    pidfile,
    ...(holder === undefined ? {} : { holder }),
    message: `this root is held by ${who}: ${pidfile}. Ask it to stop with "heed stop", or use another state.root`
  })
}

/** The `statfs` type of the root, or of the nearest folder above it that exists. */
const typeOfNearest = (path: string): Effect.Effect<number, string> =>
  Effect.callback<number, string>((resume) => {
    statfs(path, (failure, stats) => {
      if (failure === null) return resume(Effect.succeed(stats.type))
      const above = dirname(path)
      return resume(
        failure.code === "ENOENT" && above !== path
          ? typeOfNearest(above)
          : Effect.fail(`the state root ${path} cannot be reached: ${LockFile.explain(failure)}`)
      )
    })
  })

const makeRoot = (root: string): Effect.Effect<void, string> =>
  Effect.try({
    try: () => {
      mkdirSync(root, { recursive: true, mode: 0o700 })
    },
    catch: (cause) =>
      `the state root ${root} cannot be made: ${LockFile.explain(cause)}. Make it writable for this user, or name another one in state.root`
  })

const memory = (): RunLock["Service"] => {
  const pidfile = "memory:heed.pid"
  let holder: Holder | undefined
  return {
    acquire: (role) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (holder !== undefined) return Effect.fail(refusal(pidfile, { _tag: "Held", holder }))
          holder = { pid: process.pid, startTime: "memory", bootId: "memory", role }
          return Effect.map(Clock.currentTimeMillis, (now) => ({ pidfile, since: instant(now) }))
        }),
        () =>
          Effect.sync(() => {
            holder = undefined
          })
      ),
    probe: Effect.sync((): Probe =>
      holder === undefined ? { _tag: "Free", leftover: false } : { _tag: "Held", holder }
    ),
    clean: Effect.sync(() => holder === undefined)
  }
}
