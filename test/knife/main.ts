/** `npm run knife -- [--sink NAME|both] [--rounds N] [--seed N]`: the long run, on the built command. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { isClean } from "./chapter.ts"
import { deaths, explain, run, summary } from "./run.ts"
import { sinks } from "./sinks.ts"

const home = join(import.meta.dirname, "../..")

const { values } = parseArgs({
  options: {
    sink: { type: "string", default: "both" },
    rounds: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) }
  }
})

const whole = (name: string, text: string) => {
  if (!/^\d+$/u.test(text)) throw new Error(`--${name} is a whole number, not ${JSON.stringify(text)}`)
  return Number(text)
}
const rounds = whole("rounds", values.rounds)
const seed = whole("seed", values.seed)
const chosen = Object.values(sinks).filter(({ name }) => values.sink === "both" || values.sink === name)
if (chosen.length === 0) {
  throw new Error(
    `--sink is one of ${Object.keys(sinks).join(", ")} or both, not ${JSON.stringify(values.sink)}`
  )
}

execFileSync("npm", ["run", "--silent", "build:bin"], { cwd: home, stdio: "inherit" })

const say = (text: string) => process.stdout.write(`${text}\n`)

const program = Effect.gen(function* () {
  const cache = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "heed-knife-cache-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  let clean = true
  for (const sink of chosen) {
    const began = performance.now()
    let done = 0
    const outcomes = yield* run({
      sink,
      rounds,
      seed,
      heed: join(home, "dist/heed.mjs"),
      cache,
      told: (outcome) => {
        done += outcome.rounds
        const failed = explain(sink, outcome)
        if (failed !== undefined) say(failed)
        if (outcome.rounds > 0)
          say(
            `${sink.name}: ${done} of ${rounds} rounds, ${Math.round((performance.now() - began) / 1000)} s`
          )
      }
    })
    const { instants, missed, struck } = deaths(sink, outcomes)
    const total = (of: (outcome: (typeof outcomes)[number]) => number) =>
      outcomes.reduce((all, one) => all + of(one), 0)
    say(
      `${sink.name}: died ${struck} times at kill points, ${instants} times at other instants; ` +
        `${total(({ words }) => words)} words, ${total(({ handOvers }) => handOvers)} hand-overs` +
        (missed.length === 0 ? "" : `; never died at ${missed.join(", ")}`)
    )
    say(summary({ seed, sink }, outcomes))
    clean &&= outcomes.every(isClean)
  }
  if (!clean) process.exitCode = 1
})

NodeRuntime.runMain(Effect.scoped(program))
