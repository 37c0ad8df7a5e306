/** Chances that a seed repeats: the same seed, the same sequence, on every machine. */

export interface Random {
  /** Begins anew, for a part of the whole: what chance does there depends on nothing before it. */
  readonly begin: (part: number) => void
  /** At least 0, and below 1. */
  readonly fraction: () => number
  /** A whole number, at least 0, and below the bound. */
  readonly below: (bound: number) => number
  readonly chance: (probability: number) => boolean
  /** One of a list; undefined only where it is empty. */
  readonly pick: <A>(list: ReadonlyArray<A>) => A | undefined
}

/** Mulberry32: 32 bits of state, which is plenty for choosing where to cut. */
export const make = (seed: number): Random => {
  let state = 0
  const begin = (part: number) => {
    state = (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b)) >>> 0
  }
  begin(0)
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (bound: number) => Math.floor(fraction() * bound)
  return {
    begin,
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: (list) => list[below(list.length)]
  }
}
