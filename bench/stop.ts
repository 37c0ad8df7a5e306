/**
 * stop: how long a stop takes while a listing does not answer.
 */
import * as Effect from "effect/Effect"
import * as Rig from "./rig.ts"
import { type Row } from "./row.ts"

const limit = 500

export const stop = Effect.gen(function* () {
  const api = yield* Rig.forge
  const repos = yield* Rig.repositories(api, 5, 20)
  const where = yield* Rig.place
  Rig.configure(where, { url: api.url, repos, interval: "500ms" })
  yield* Rig.once(where)
  yield* api.configure({ delay: 10_000 })
  yield* api.resetLog({})
  const daemon = yield* Rig.heed(where, "start")
  yield* api.waitFor((log) => log.some(({ state }) => state === "open"))
  const start = performance.now()
  daemon.kill("SIGTERM")
  yield* daemon.ended
  const ms = performance.now() - start
  const row: Row = {
    what: "stop during a listing of 10 s",
    measured: `${ms.toFixed(0)} ms`,
    budget: `< ${limit} ms`,
    holds: ms < limit
  }
  return { rows: [row] }
})
