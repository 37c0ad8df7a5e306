/**
 * KeyedTurns: effects under one key take turns, under different keys they do not wait for one another.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

export interface KeyedTurns {
  readonly take: (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (): KeyedTurns => {
  const turns = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return {
    take: (key) => (effect) =>
      Effect.suspend(() => {
        const turn = turns.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        turns.set(key, turn)
        turn.users += 1
        return Semaphore.withPermit(turn.semaphore, effect).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              turn.users -= 1
              if (turn.users === 0) turns.delete(key)
            })
          )
        )
      })
  }
}
