/** `heed explain` beside a running heed: it says why words wait as that one knows it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Panes from "../support/panes.ts"
import { repo, world } from "../support/world.ts"

describe("heed explain", () => {
  it.live("says that an agent is not ready, as the heed that waits for it knows", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const { section } = Panes.make(w.folder)
      yield* w.configure({
        agent: { ...section, ready: { delay: "10ms", pattern: "never", timeout: "100ms" } }
      })
      yield* Panes.server(w)
      const one = yield* w.issue("say-start")
      const heed = yield* w.start("start")
      yield* w.untilEvent("session.waiting")
      const { out } = yield* w.run("explain", `${repo}#${one}`, "--json")
      assert.include(JSON.parse(out).sessions[0].waitingFor, "the agent is not ready for words")
      yield* heed.stop
    }).pipe(Effect.scoped)
  )
})
