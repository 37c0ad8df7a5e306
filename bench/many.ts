/**
 * many: 100 idle repositories with one item each, and with a hundred each: what heed knows must cost neither time nor
 * memory in a cycle, only what it watches.
 */
import * as Effect from "effect/Effect"
import * as Rig from "./rig.ts"
import { exactly, ratio } from "./row.ts"
import { seed } from "./seed.ts"

const repositories = 100

/** The idle daemon's cycle and memory. */
const measure = (where: Rig.Place) =>
  Effect.scoped(
    Effect.gen(function* () {
      const daemon = yield* Rig.heed(where, "start")
      yield* Rig.cycles(where, 3)
      const beats = yield* Rig.cycles(where, 9)
      return {
        ms: Rig.median(beats.map(({ lastCycle }) => lastCycle.ms)),
        requests: Math.max(...beats.map(({ lastCycle }) => lastCycle.requests)),
        notModified: Math.min(...beats.map(({ lastCycle }) => lastCycle.notModified)),
        memory: Rig.resident(daemon.pid)
      }
    })
  )

export const many = Effect.gen(function* () {
  const api = yield* Rig.forge
  const repos = yield* Rig.repositories(api, repositories, 1)
  const where = yield* Rig.place
  Rig.configure(where, { url: api.url, repos, interval: "500ms" })
  yield* Rig.once(where)
  yield* Rig.once(where)
  yield* api.configure({ delay: 20 })
  const few = yield* measure(where)
  yield* api.configure({ delay: 0 })
  yield* Rig.issuesIn(api, repos, 99)
  yield* seed(where)
  yield* api.configure({ delay: 20 })
  const all = yield* measure(where)
  return {
    rows: [
      exactly(
        "10,000 known items, 100 repositories, idle: requests",
        `${all.requests}, ${all.notModified} not modified`,
        `${few.requests}, ${few.notModified} not modified`
      ),
      ratio(
        "  time to that with 100 items",
        all.ms / few.ms,
        1.5,
        `${all.ms.toFixed(0)} ms to ${few.ms.toFixed(0)} ms`
      ),
      ratio(
        "  memory to that with 100 items",
        all.memory / few.memory,
        1.5,
        `${all.memory.toFixed(0)} MB to ${few.memory.toFixed(0)} MB`
      )
    ]
  }
})
