/**
 * The knife, short: heed dies at every kill point of a sink's way, and at some instants between them; what agents received
 * is held against what people wrote. `npm run knife` is the long run.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import { type KillPoint, killPoints } from "../../src/disk/KillPoint.ts"
import { early, run as chapter } from "./chapter.ts"
import * as RandomOf from "./random.ts"
import { deaths, explain } from "./run.ts"
import { type KnifeSink, sinks } from "./sinks.ts"

/** Two roots, since each writes its `root.json` once; the first file of all is its `.gitignore`, a later one its listings. */
const halves = (sink: KnifeSink): readonly [ReadonlyArray<KillPoint>, ReadonlyArray<KillPoint>] => {
  const late = killPoints.filter((point) => sink.passes(point) && !early.includes(point))
  const first = early.filter((point) => point.startsWith("file.") && point !== "file.durable")
  const second = early.filter((point) => point.startsWith("root.") && point !== "root.durable")
  return [
    [...first, ...second, "file.durable", ...late.filter((_, index) => index % 3 === 0)],
    ["root.durable", ...late.filter((_, index) => index % 3 !== 0)]
  ]
}

/** Rounds at other instants, after the points. */
const instants = 10

describe("the knife", () => {
  for (const [index, sink] of Object.values(sinks).entries()) {
    it.live(
      `${sink.name}: killed at every point, nothing is lost, doubled or out of order`,
      () =>
        Effect.gen(function* () {
          const heed = inject("heed")
          const outcomes = yield* Effect.forEach(
            halves(sink),
            (wanted, half) =>
              chapter({
                sink,
                seed: 1 + 2 * index + half,
                rounds: wanted.length + instants,
                heed,
                cache: join(dirname(heed), "cache"),
                wanted
              }),
            { concurrency: 2 }
          )
          assert.deepStrictEqual(
            outcomes.flatMap((outcome) => explain(sink, outcome) ?? []),
            []
          )
          // A point that is never reached proves nothing.
          assert.deepStrictEqual(deaths(sink, outcomes).missed, [])
        }),
      240_000
    )
  }

  it("every kill point lies on some sink's way", () => {
    const all = Object.values(sinks)
    assert.deepStrictEqual(
      killPoints.filter((point) => !all.some((sink) => sink.passes(point))),
      []
    )
  })

  it("a seed repeats what it chose, whatever came before in another part", () => {
    const drawn = (before: number) => {
      const random = RandomOf.make(7)
      for (let count = 0; count < before; count++) random.fraction()
      random.begin(3)
      return Array.from({ length: 5 }, () => random.below(1000))
    }
    assert.deepStrictEqual(drawn(0), drawn(9))
    assert.isAbove(new Set(drawn(0)).size, 1)
  })
})
