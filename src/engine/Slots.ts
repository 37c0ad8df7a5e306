/**
 * Slots: how many may do something at once, first come first served: be at work (`limits.sessions`), be sent to
 * (`limits.handOvers`). Unlike a semaphore's permits, a slot can be taken beyond the limit: a run that is adopted after a
 * restart is at work already.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Taken slots are counted, not known: whoever takes one gives one back. */
export interface Slots {
  /** Waits for a free slot; interruptible, and then nothing was taken. */
  readonly take: Effect.Effect<void>
  /** Takes a slot at once, beyond the limit if need be. */
  readonly seize: Effect.Effect<void>
  /** Gives a slot back, to whoever waited longest. */
  readonly free: Effect.Effect<void>
  /** Changes the limit; those at work beyond it stay. */
  readonly resize: (limit: number) => Effect.Effect<void>
  /** From now on nobody gets a slot: those at work leave, and nobody takes their place. */
  readonly close: Effect.Effect<void>
}

/** So many slots as `limit` says, all free. */
export const make = (limit: number): Slots => {
  let allowed = limit
  let taken = 0
  const queue: Array<Deferred.Deferred<void>> = []

  const admit = Effect.sync(() => {
    while (taken < allowed) {
      const first = queue.shift()
      if (first === undefined) return
      taken += 1
      Deferred.doneUnsafe(first, Effect.void)
    }
  })

  const seize = Effect.sync(() => {
    taken += 1
  })

  const free = Effect.suspend(() => {
    taken -= 1
    return admit
  })

  const take = Effect.suspend(() => {
    if (taken < allowed && queue.length === 0) return seize
    const turn = Deferred.makeUnsafe<void>()
    queue.push(turn)
    const leave = Effect.suspend(() => {
      const place = queue.indexOf(turn)
      if (place === -1) return free
      queue.splice(place, 1)
      return Effect.void
    })
    return Deferred.await(turn).pipe(Effect.onInterrupt(() => leave))
  })

  const resize = (next: number) =>
    Effect.suspend(() => {
      if (allowed > 0) allowed = next
      return admit
    })

  const close = Effect.sync(() => {
    allowed = 0
  })

  return { take, seize, free, resize, close }
}
