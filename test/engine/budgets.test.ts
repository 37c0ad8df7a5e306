/** Attempts are what an agent has failed: no restart, failing tracker or full disk spends one (G3.4, G3.6). */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as TestClock from "effect/testing/TestClock"
import { Dispatcher, type Result } from "../../src/index.ts"
import * as FaultyFileSystem from "../disk/FaultyFileSystem.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const one = { number: 1 }
const attempts = (w: MemoryWorld) =>
  Effect.map(w.record(1), (record) => record?.waiting.map((entry) => entry.attempts))
/** The attempts as which the words were handed over. */
const givenAs = (w: MemoryWorld) =>
  Effect.map(w.received, (received) =>
    received.filter(({ kind }) => kind === "words").map(({ attempt }) => attempt)
  )

describe("a budget of one attempt", () => {
  for (const reason of ["Limited", "Unauthorized", "Forbidden", "Network", "Unavailable"] as const) {
    it.effect(`outlives restarts while the tracker fails: ${reason}`, () =>
      Effect.gen(function* () {
        const agent: { how: Result } = { how: { _tag: "Done" } }
        const w = yield* memoryWorld({ attempts: 1, answer: () => agent.how })
        yield* w.hands.open({})
        yield* w.once()
        agent.how = { _tag: "NotNow", why: "busy" }
        yield* w.hands.comment(one, { body: "a word" })
        yield* w.once()
        w.faults.list.set("acme/app", reason)
        w.faults.observe.set(1, reason)
        for (let n = 0; n < 10; n += 1) yield* w.once()
        assert.deepStrictEqual(yield* attempts(w), [0])
        assert.deepStrictEqual(yield* givenAs(w), [1])
        w.faults.list.clear()
        w.faults.observe.clear()
        agent.how = { _tag: "Done" }
        yield* w.once()
        assert.deepStrictEqual(yield* attempts(w), [])
        assert.deepStrictEqual(yield* givenAs(w), [1, 1])
        assert.deepStrictEqual((yield* w.record(1))?.gaveUp, [])
      })
    )
  }

  it.effect("is what a newer heed gives again to what an older one gave up, by its next sweep", () =>
    Effect.gen(function* () {
      const agent: { how: Result } = { how: { _tag: "Done" } }
      const w = yield* memoryWorld({ attempts: 1, answer: () => agent.how })
      yield* w.hands.open({})
      yield* w.once({ version: "1.9.0" })
      agent.how = { _tag: "Failed", why: "exit 3" }
      yield* w.hands.comment(one, { body: "a word" })
      yield* w.once({ version: "1.9.0" })
      agent.how = { _tag: "Done" }
      for (let minutes = 0; minutes < 20; minutes += 1) yield* w.once({ version: "1.9.0" })
      assert.deepStrictEqual(yield* givenAs(w), [1])
      for (let minutes = 0; minutes < 20; minutes += 1) yield* w.once({ version: "1.10.0" })
      assert.deepStrictEqual(yield* givenAs(w), [1, 1])
      assert.strictEqual((yield* w.events("poll.rearmed")).length, 1)
    })
  )
})

const disks: ReadonlyArray<NonNullable<FaultyFileSystem.Faults["now"]>> = [
  { step: "write", code: "ENOSPC" },
  { step: "open", code: "EROFS" },
  { step: "rename", code: "EIO" }
]

describe("a disk that cannot be written", () => {
  for (const fault of disks) {
    const onDisk = Effect.fnUntraced(function* (agent: { how: Result; sent?: () => void }) {
      const faults: FaultyFileSystem.Faults = { now: undefined }
      const files = yield* FileSystem.FileSystem
      const w = yield* memoryWorld({
        attempts: 2,
        root: `${yield* files.makeTempDirectoryScoped()}/root`,
        files: FaultyFileSystem.layer(faults),
        answer: () => {
          agent.sent?.()
          return agent.how
        }
      })
      yield* w.hands.open({})
      yield* w.once()
      return { w, faults }
    })

    it.effect(`${fault.step} ${fault.code}: nothing is handed over, nothing is spent, and it goes on`, () =>
      Effect.gen(function* () {
        const { faults, w } = yield* onDisk({ how: { _tag: "Done" } })
        yield* w.living(
          Effect.gen(function* () {
            yield* w.cycle
            faults.now = fault
            yield* w.hands.comment(one, { body: "a word" })
            for (let n = 0; n < 3; n += 1) yield* w.cycle
            assert.deepStrictEqual(yield* givenAs(w), [])
            faults.now = undefined
            yield* w.cycle
          })
        )
        assert.deepStrictEqual(yield* givenAs(w), [1])
        assert.deepStrictEqual(yield* attempts(w), [])
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )

    it.effect(
      `${fault.step} ${fault.code} while a run fails: that spends one attempt, however often it is tried`,
      () =>
        Effect.gen(function* () {
          const agent: { how: Result; sent?: () => void } = { how: { _tag: "Done" } }
          const { faults, w } = yield* onDisk(agent)
          agent.how = { _tag: "Failed", why: "exit 3" }
          agent.sent = () => {
            faults.now = fault
          }
          yield* w.hands.comment(one, { body: "a word" })
          yield* w.living(
            Effect.gen(function* () {
              yield* w.cycle
              for (let n = 0; n < 5; n += 1) {
                yield* TestClock.adjust("6 seconds")
                yield* (yield* Dispatcher).settled
              }
              agent.sent = () => undefined
              faults.now = undefined
              yield* TestClock.adjust("6 seconds")
              yield* (yield* Dispatcher).settled
            })
          )
          assert.deepStrictEqual(yield* attempts(w), [1])
          assert.deepStrictEqual(yield* givenAs(w), [1])
        }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
    )
  }
})
