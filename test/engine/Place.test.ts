/** From where an item is looked at, and whose settings hold there. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Plan } from "../../src/index.ts"
import { situationOf } from "../../src/engine/Place.ts"
import type { Provider } from "../../src/tracker/Provider.ts"
import { after, at, observation, policy } from "../domain/story.ts"

const provider = (source: string): Provider => ({
  source,
  tracker: "github",
  scopes: ["acme/app"],
  host: "github.com",
  ready: Effect.void,
  covers: () => true,
  list: () => Effect.never,
  observe: () => Effect.never,
  check: () => Effect.never,
  post: () => Effect.never,
  self: Effect.never,
  principal: (name) => name,
  resolve: () => [],
  usage: Effect.never
})

describe("an item in two sources", () => {
  it("keeps the label's meaning of the source that had it first, whichever one looks", () => {
    const [first, second] = [provider("first"), provider("second")]
    const plan = Plan.make({
      sources: [
        { provider: "github", name: "first", settings: {}, onUnlabel: "stop" },
        { provider: "github", name: "second", settings: {}, onUnlabel: "keep" }
      ],
      agents: {}
    })
    const inForce = { plan, policy: policy(), providers: [first, second] }
    const record = { ...after(undefined), source: "first", scope: "acme/app" }
    for (const looking of [first, second]) {
      const place = { provider: looking, scope: "acme/app", listed: "listed" } as const
      const { onUnlabel, source } = situationOf(place, record, observation([]), inForce, at(0))
      assert.deepStrictEqual([source, onUnlabel], ["first", "stop"])
    }
  })
})
