import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { HandOver } from "../../src/domain/HandOver.ts"
import * as MemorySinks from "../../src/sink/MemorySinks.ts"
import { type Result, Sinks } from "../../src/sink/Sink.ts"
import { type Behaviour, sinkContract } from "./contract.ts"
import { handOver } from "./handOver.ts"

const ends: { readonly [behaviour in Behaviour]: Result | undefined } = {
  succeeds: { _tag: "Done" },
  fails: { _tag: "Failed", why: "it broke" },
  "says not now": { _tag: "NotNow", why: "busy" },
  waits: undefined
}

const world = Effect.gen(function* () {
  const id = handOver().id
  const answers = new Map<string, Result | undefined>()
  const answer = (one: HandOver) => answers.get(`${one.try}`)
  const { sink, inbox } = yield* MemorySinks.make("memory", { answer })
  return {
    sink,
    agent: (behaviour: Behaviour, changes: Partial<HandOver> = {}) => {
      const one = handOver({}, { id, ...changes })
      answers.set(`${one.try}`, ends[behaviour])
      return one
    },
    inbox: Effect.map(inbox.received, (all) => all.map(({ prompt }) => prompt)),
    release: (one: HandOver) => inbox.settle(one, { _tag: "Done" })
  }
})

sinkContract("memory", world, ["succeeds", "fails", "says not now", "waits"])

describe("the memory layer", () => {
  it.effect("answers to every name and shows what arrived", () =>
    Effect.gen(function* () {
      const sink = (yield* Sinks).get("process")
      const one = handOver({}, { prompt: "hi" })
      if (sink === undefined) return assert.fail("no sink")
      yield* sink.prepare(one)
      yield* sink.send(one)
      const arrived = yield* (yield* MemorySinks.SinkInbox).arrived(1)
      assert.deepStrictEqual(arrived, [one])
    }).pipe(Effect.provide(MemorySinks.layerMemory()))
  )
})
