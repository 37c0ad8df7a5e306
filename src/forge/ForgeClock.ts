/** The forge's own clock: real until it is set, so that a test can put it apart from everybody else's. */

export class ForgeClock {
  #offset = 0
  #stopped: number | undefined

  /** Epoch milliseconds. */
  now(): number {
    return this.#stopped ?? Date.now() + this.#offset
  }

  /** Stops the clock at `at`; it moves by `advance` alone. */
  set(at: number): void {
    this.#stopped = at
  }

  /** Moves the clock, stopped or running, by `by` milliseconds. */
  advance(by: number): void {
    if (this.#stopped === undefined) this.#offset += by
    else this.#stopped += by
  }

  /** The present moment as GitHub writes it, in whole seconds. */
  stamp(): string {
    return stampOf(this.now())
  }
}

/** `2026-11-30T12:00:00Z`: GitHub has no finer grain. */
export const stampOf = (millis: number): string => new Date(millis).toISOString().replace(/\.\d{3}Z$/u, "Z")
