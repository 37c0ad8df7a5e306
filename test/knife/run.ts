/** A run: as many chapters as its rounds fill, two at a time, and what they came to. */
import * as Effect from "effect/Effect"
import { type KillPoint, killPoints } from "../../src/disk/KillPoint.ts"
import { isClean, type Outcome, run as chapter } from "./chapter.ts"
import { type Fault, faults } from "./compare.ts"
import type { KnifeSink } from "./sinks.ts"

export interface RunOptions {
  readonly sink: KnifeSink
  readonly rounds: number
  /** The first chapter's; each further one has the next number. */
  readonly seed: number
  readonly heed: string
  readonly cache: string
  /** Called after each chapter. */
  readonly told?: (outcome: Outcome) => void
}

/** Rounds on one root: long enough for generations and long threads, short enough to find a failure's story. */
export const perChapter = 50

export const run = Effect.fn("knife.run")(function* ({ rounds, seed, told, ...options }: RunOptions) {
  // Compiled code is kept by a heed that ends well, and the killed ones of the first rounds would go without.
  yield* chapter({ ...options, seed, rounds: 0 })
  const chapters = Array.from({ length: Math.ceil(rounds / perChapter) }, (_, index) => ({
    ...options,
    seed: seed + index,
    rounds: Math.min(perChapter, rounds - index * perChapter)
  }))
  return yield* Effect.forEach(
    chapters,
    (one) => Effect.tap(chapter(one), (outcome) => Effect.sync(() => told?.(outcome))),
    { concurrency: 2 }
  )
})

const sum = (outcomes: ReadonlyArray<Outcome>, of: (outcome: Outcome) => number) =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0)

const countOf = (fault: Fault) => (outcome: Outcome) =>
  outcome.comparison.findings.filter((finding) => finding.fault === fault).length

/** `process: 1000 rounds, 0 lost, 0 doubled, 0 out of order (seed 12345)`, and what else there was. */
export const summary = (
  { seed, sink }: Pick<RunOptions, "seed" | "sink">,
  outcomes: ReadonlyArray<Outcome>
): string => {
  const counts = faults.map((fault) => [fault, sum(outcomes, countOf(fault))] as const)
  const rest = [
    ["announced as repeated", sum(outcomes, ({ comparison }) => comparison.repeated)] as const,
    ["other troubles", sum(outcomes, ({ troubles }) => troubles.length)] as const
  ]
  const shown = [...counts, ...rest].filter(
    ([what, count]) => count > 0 || what === "lost" || what === "doubled" || what === "out of order"
  )
  const parts = [
    `${sum(outcomes, ({ rounds }) => rounds)} rounds`,
    ...shown.map(([what, count]) => `${count} ${what}`)
  ]
  return `${sink.name}: ${parts.join(", ")} (seed ${seed})`
}

/** How often heed died, and where; which points of this sink's way it never died at. */
export const deaths = (sink: KnifeSink, outcomes: ReadonlyArray<Outcome>) => {
  const at = (point: KillPoint) => sum(outcomes, ({ struck }) => struck.get(point) ?? 0)
  const points = killPoints.filter(sink.passes)
  return {
    struck: points.reduce((total, point) => total + at(point), 0),
    instants: sum(outcomes, ({ instants }) => instants),
    missed: points.filter((point) => at(point) === 0)
  }
}

/** Everything that tells what went wrong in a chapter; undefined where nothing did. */
export const explain = (sink: KnifeSink, outcome: Outcome): string | undefined => {
  if (isClean(outcome)) return undefined
  const { comparison, folder, rounds, seed, story, suite, troubles } = outcome
  const again =
    suite === "short"
      ? `npx vitest run test/knife -t ${sink.name}`
      : `npm run knife -- --sink ${sink.name} --rounds ${rounds} --seed ${seed}`
  const rows = comparison.findings.map(({ fault, item, round, token }) => {
    const during = story.find((told) => told.round === round)?.what
    return `  ${fault}: ${token} on ${item}${round === undefined ? "" : `, written in round ${round} (${during ?? "before it"})`}`
  })
  return [
    `${sink.name}, seed ${seed}: ${rows.length} findings, ${comparison.repeated} announced as repeated, ${troubles.length} other troubles`,
    ...rows,
    ...troubles.map((trouble) => `  ${trouble}`),
    `  what was written and received: ${folder}/sides.json; its root, inbox and configuration are beside it`,
    `  again: ${again}`
  ].join("\n")
}
