/** Races that no process can be made to lose on purpose: here the ledger says when what happens. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { rooms } from "../../src/live/Rooms.ts"
import { ConfigReloader } from "../../src/config/ConfigReloader.ts"
import { load } from "../../src/config/load.ts"
import type { ItemRecord } from "../../src/domain/Record.ts"
import * as Engine from "../../src/engine/Engine.ts"
import { Poller } from "../../src/engine/Poller.ts"
import { SinkInbox, layerMemory as layerSinks } from "../../src/sink/MemorySinks.ts"
import { Agents } from "../../src/state/Agents.ts"
import { Backlog } from "../../src/state/Backlog.ts"
import { EventLog } from "../../src/state/EventLog.ts"
import { Heartbeat } from "../../src/state/Heartbeat.ts"
import { Ledger } from "../../src/state/Ledger.ts"
import { Validators } from "../../src/state/Validators.ts"
import * as Memory from "../../src/tracker/Memory.ts"
import * as Providers from "../../src/tracker/Providers.ts"

/** What happens after a read or a change of the ledger, before whoever asked goes on. */
interface Meanwhile {
  read: (record: ItemRecord | undefined) => Effect.Effect<void>
  changed: Effect.Effect<void>
}

const yaml = `sources: [{ provider: github, repos: [acme/app] }]
access: { users: [alice] }
agents: { default: { sink: process, command: [agent] } }
`

const engine = Effect.fnUntraced(function* (meanwhile: Meanwhile) {
  const files = yield* FileSystem.FileSystem
  const file = `${yield* files.makeTempDirectoryScoped()}/heed.yaml`
  yield* files.writeFileString(file, yaml)
  const { plan } = yield* load(file, rooms)
  const { hands, provider } = yield* Memory.make({ source: "github" })
  const ledger = Layer.effect(
    Ledger,
    Effect.map(Ledger, (inner) =>
      Ledger.of({
        ...inner,
        get: (identity) => Effect.tap(inner.get(identity), (record) => meanwhile.read(record)),
        modify: (identity, f) => Effect.tap(inner.modify(identity, f), () => meanwhile.changed)
      })
    )
  ).pipe(Layer.provide(Ledger.layerMemory))
  const layer = Engine.layer({ version: "0.0.0", markKey: "key" }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ledger,
        EventLog.layerMemory,
        Heartbeat.layerMemory,
        Validators.layerMemory,
        Agents.layerMemory,
        Backlog.layerMemory,
        ConfigReloader.layerMemory(plan),
        Providers.layerMemory([provider]),
        layerSinks({ answer: () => undefined })
      )
    )
  )
  return { hands, layer }
})

const nothing: Meanwhile = { read: () => Effect.void, changed: Effect.void }

describe("races", () => {
  it.live("a word that comes while its attendant leaves is handed over all the same", () =>
    Effect.gen(function* () {
      const meanwhile = { ...nothing }
      const { hands, layer } = yield* engine(meanwhile)
      yield* Effect.gen(function* () {
        const poller = yield* Poller
        const inbox = yield* SinkInbox
        const number = yield* hands.open({ author: "alice" })
        yield* poller.cycle
        const [start] = yield* inbox.arrived(1)
        assert.isDefined(start)
        // Once the attendant has seen that nothing waits any more, and before it has left.
        meanwhile.read = (record) => {
          const session = record?.sessions["default"]
          if (session?.state !== "live" || session.claim !== undefined) return Effect.void
          meanwhile.read = nothing.read
          return hands
            .comment({ number }, { by: "alice", body: "wait!" })
            .pipe(Effect.andThen(poller.cycle), Effect.asVoid)
        }
        yield* inbox.settle(start, { _tag: "Done" })
        const [, word] = yield* inbox.arrived(2)
        assert.include(word?.prompt, "wait!")
      }).pipe(Effect.provide(layer), Effect.timeout("10 seconds"))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("a stop right after a decision is durable: it is still said and handed over (G2.3)", () =>
    Effect.gen(function* () {
      const meanwhile = { ...nothing }
      const { hands, layer } = yield* engine(meanwhile)
      yield* Effect.gen(function* () {
        const poller = yield* Poller
        const inbox = yield* SinkInbox
        const log = yield* EventLog
        yield* poller.cycle
        yield* hands.open({ author: "alice" })
        const durable = yield* Deferred.make<void>()
        meanwhile.changed = Effect.andThen(Deferred.succeed(durable, undefined), Effect.sleep("50 millis"))
        const cycle = yield* Effect.forkChild(poller.cycle)
        yield* Deferred.await(durable)
        yield* Fiber.interrupt(cycle)
        meanwhile.changed = Effect.void
        const lines = yield* log.read
        assert.isTrue(lines.some(({ event }) => event === "dispatch.queued"))
        assert.strictEqual((yield* inbox.arrived(1)).length, 1)
      }).pipe(Effect.provide(layer), Effect.timeout("10 seconds"))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
