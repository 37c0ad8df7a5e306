/** Waiting for a state, instead of for a time. */
import * as Effect from "effect/Effect"

/** Far longer than anything here takes on a busy machine: who waits this long waits for what never comes. */
const patience = "25 seconds"

/** Looks until there is an answer, and gives it back. The failure says what was waited for, and what is there instead. */
export const until = <A>(
  what: string,
  look: () => A | undefined | false,
  instead: () => string = () => ""
): Effect.Effect<A> =>
  Effect.gen(function* () {
    while (true) {
      const found = look()
      if (found !== undefined && found !== false) return found
      yield* Effect.sleep("10 millis")
    }
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.die(new Error(`waited in vain until ${what}\n${instead()}`))
    })
  )
