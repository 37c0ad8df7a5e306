import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer, sinkKinds } from "../../src/sink/LiveSinks.ts"
import { Sinks } from "../../src/sink/Sink.ts"

it.effect("every sink that a configuration may name is there, and no other", () =>
  Effect.gen(function* () {
    const sinks = yield* Sinks
    for (const { name } of sinkKinds) assert.strictEqual(sinks.get(name)?.name, name)
    assert.isUndefined(sinks.get("github-actions"))
  }).pipe(
    Effect.provide(
      layer({
        runs: "/nowhere/runs",
        tmuxSocket: "/nowhere/tmux.sock",
        config: "heed.yaml",
        heedFolder: "/opt/heed",
        variables: {},
        maxPerRun: 1
      }).pipe(Layer.provide(NodeServices.layer))
    )
  )
)
