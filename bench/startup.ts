/**
 * startup: commands that only look, and the daemon's memory, each against a bare Node.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as Rig from "./rig.ts"
import { ratio } from "./row.ts"

const rounds = 15

/** The median of each command's time in milliseconds; they take turns, so that a busy machine is busy for all. */
const times = (cwd: string, commands: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> => {
  const taken = commands.map((): Array<number> => [])
  for (let round = -1; round < rounds; round++)
    commands.forEach((args, at) => {
      const start = performance.now()
      const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" })
      if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
      // The first round fills the caches.
      if (round >= 0) taken[at]?.push(performance.now() - start)
    })
  return taken.map(Rig.median)
}

export const startup = Effect.gen(function* () {
  const api = yield* Rig.forge
  const repos = yield* Rig.repositories(api, 5, 10)
  const where = yield* Rig.place
  Rig.configure(where, { url: api.url, repos, interval: "2s" })
  yield* Rig.once(where)
  yield* Rig.once(where)
  const [stopped = Number.NaN, bareThen = Number.NaN] = times(where.folder, [
    [Rig.heedFile, "status"],
    ["-e", "0"]
  ])

  const daemon = yield* Rig.heed(where, "start")
  const waiting = yield* Rig.started(process.execPath, ["-e", "setInterval(() => {}, 1e9)"], where.folder)
  yield* Rig.cycles(where, 2)
  const [bare = Number.NaN, help = Number.NaN, status = Number.NaN] = times(where.folder, [
    ["-e", "0"],
    [Rig.heedFile, "--help"],
    [Rig.heedFile, "status"]
  ])
  yield* Rig.cycles(where, 4)
  const memory = Rig.resident(daemon.pid)
  const bareMemory = Rig.resident(waiting.pid)
  return {
    rows: [
      ratio("heed --help to a bare node -e 0", help / bare, 2, ms(help, bare)),
      ratio("heed status to a bare node -e 0", status / bare, 2, ms(status, bare)),
      ratio("  while no daemon runs: from disk", stopped / bareThen, 2, ms(stopped, bareThen)),
      ratio(
        "memory of an idle daemon to a waiting node",
        memory / bareMemory,
        1.5,
        `${memory.toFixed(0)} MB to ${bareMemory.toFixed(0)} MB`
      )
    ]
  }
})

const ms = (one: number, other: number) => `${one.toFixed(0)} ms to ${other.toFixed(0)} ms`
