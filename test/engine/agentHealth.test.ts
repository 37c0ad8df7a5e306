/** An agent that fails everywhere is paused and tried now and then, and no other item pays for it. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  Dispatcher,
  Identity,
  Inspector,
  type ItemRecord,
  Operator,
  Plan,
  Ref,
  type Result
} from "../../src/index.ts"
import { AgentHealth } from "../../src/engine/AgentHealth.ts"
import type { Conclusion } from "../../src/engine/Conclusion.ts"
import { Running } from "../../src/engine/Running.ts"
import * as Testing from "../../src/testing.ts"
import { after, claim, plan, policy } from "../domain/story.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

/** A world whose agent does what `how` says, and so many items that it has not begun on. */
const failingWorld = Effect.fnUntraced(function* (
  items: number,
  options: { readonly root?: string; readonly attempts?: number } = {}
) {
  const agent: { how: Result } = { how: { _tag: "Failed", why: "exit 3" } }
  const w = yield* memoryWorld({ attempts: 9, ...options, answer: () => agent.how })
  yield* w.once()
  for (let n = 0; n < items; n += 1) yield* w.hands.open({})
  return { w, agent, given: Effect.map(w.received, (received) => received.length) }
})

const names = (w: MemoryWorld) =>
  Effect.zipWith(w.events("agent.paused"), w.events("agent.resumed"), (paused, resumed) => ({
    paused: paused.length,
    resumed: resumed.map(({ why }) => why)
  }))

const spent = (w: MemoryWorld, items: number) =>
  Effect.forEach(
    Array.from({ length: items }, (_, index) => index + 1),
    (number) => Effect.map(w.record(number), (record) => record?.waiting[0]?.attempts)
  )

/** So many cycles, a minute each, every one in a process of its own. */
const minutes = (w: MemoryWorld, count: number) => Effect.forEach(Array(count), () => w.once())

const ref = (number: number) => Ref.make(`github:memory.test/acme/app#${number}`)

/** The service alone, told of ends one by one: each of another item, whose record a change makes special. */
const service = Effect.gen(function* () {
  const made = Plan.make({ agents: { default: { sink: "process" } } })
  const entry = made.agents["default"]
  const inForce = {
    plan: { ...made, agents: entry === undefined ? {} : { default: { ...entry, plan: plan() } } },
    providers: [],
    policy: policy()
  }
  const running = Running.of({
    get: Effect.succeed(inForce),
    put: () => Effect.succeed(inForce),
    policyFor: () => Effect.succeed(inForce.policy),
    identification: { version: "1", markKey: "any" }
  })
  const health = yield* Effect.provide(
    AgentHealth,
    Layer.provide(
      AgentHealth.layer,
      Layer.mergeAll(Testing.layerAgents, Testing.layerEventLog, Layer.succeed(Running, running))
    )
  )
  const concluded = Effect.fnUntraced(function* (
    ended: Conclusion["ended"],
    change: (record: ItemRecord) => ItemRecord = (record) => record
  ) {
    for (const letter of ["a", "b", "c", "d", "e", "f"]) {
      const record = change({ ...claim(after(undefined)), identity: Identity.make(`github:x/${letter}`) })
      const taken = record.sessions["default"]?.claim
      if (taken === undefined) return
      const own = { ...taken, id: letter.repeat(32) }
      const session = record.sessions["default"]
      const claimed = session && { ...record, sessions: { default: { ...session, claim: own } } }
      if (claimed !== undefined) yield* health.concluded(claimed, "default", { claim: own, ended })
    }
    return (yield* health.paused).size > 0
  })
  return { health, concluded }
})

const broken = { _tag: "Failed", why: "exit 3" } as const

describe("what counts against an agent", () => {
  const cases: ReadonlyArray<readonly [string, boolean, Conclusion["ended"], (r: ItemRecord) => ItemRecord]> =
    [
      ["a failure", true, broken, (record) => record],
      ["a run that said not now", false, { _tag: "NotNow", why: "busy" }, (record) => record],
      ["a conversation that is lost", false, { _tag: "ConversationLost", why: "x" }, (record) => record],
      ["a run that vanished with its machine", false, { ...broken, vanished: true }, (record) => record],
      ["one in doubt", false, { _tag: "InDoubt", why: "x" }, (record) => record],
      ["one whose item ended, and killed it", false, broken, (record) => ended(record)],
      ["one with commands that are no longer the agent's", false, broken, (record) => withPlan(record)]
    ]
  const withPlan = (record: ItemRecord): ItemRecord => {
    const session = record.sessions["default"]
    return session === undefined
      ? record
      : { ...record, sessions: { default: { ...session, plan: plan({ command: ["old"] }) } } }
  }
  const ended = (record: ItemRecord): ItemRecord => after(record, { item: { state: "closed" } })

  for (const [what, counts, end, change] of cases) {
    it.effect(`${what} ${counts ? "does" : "does not"}`, () =>
      Effect.gen(function* () {
        const { concluded } = yield* service
        assert.strictEqual(yield* concluded(end, change), counts)
      })
    )
  }

  it.effect("a probe that fails is over: its item waits like all the others", () =>
    Effect.gen(function* () {
      const { concluded, health } = yield* service
      yield* concluded(broken)
      const record = { ...claim(after(undefined)), identity: Identity.make("github:x/a") }
      assert.isDefined(yield* health.mayGive(record, "default"))
      assert.deepStrictEqual(yield* health.choose(record), ["default"])
      assert.isUndefined(yield* health.mayGive(record, "default"))
      assert.isUndefined(yield* health.mayGive(record, "default"), "until it has ended")
      const taken = record.sessions["default"]?.claim
      assert.isDefined(taken)
      if (taken !== undefined) yield* health.concluded(record, "default", { claim: taken, ended: broken })
      assert.isDefined(yield* health.mayGive(record, "default"))
    })
  )

  it.effect("the end of a try that the record has no claim of any more does not", () =>
    Effect.gen(function* () {
      const { health } = yield* service
      for (const letter of ["a", "b"]) {
        const record = { ...claim(after(undefined)), identity: Identity.make(`github:x/${letter}`) }
        const taken = record.sessions["default"]?.claim
        if (taken === undefined) continue
        for (let n = 1; n < 5; n += 1) {
          const former = { ...taken, id: letter.repeat(32), try: taken.try + n }
          yield* health.concluded(record, "default", { claim: former, ended: broken })
        }
      }
      assert.strictEqual((yield* health.paused).size, 0)
    })
  )

  it.effect("one failure that is told again and again, as over a full disk, counts once", () =>
    Effect.gen(function* () {
      const { health } = yield* service
      for (const letter of ["a", "b"]) {
        const record = { ...claim(after(undefined)), identity: Identity.make(`github:x/${letter}`) }
        const taken = record.sessions["default"]?.claim
        if (taken === undefined) continue
        for (let n = 0; n < 5; n += 1) {
          yield* health.concluded(record, "default", { claim: taken, ended: broken })
        }
      }
      assert.strictEqual((yield* health.paused).size, 0)
    })
  )
})

describe("an agent that fails everywhere", () => {
  it.effect("is paused after five failures in a row over several items, which spend no more", () =>
    Effect.gen(function* () {
      const { given, w } = yield* failingWorld(5)
      yield* w.once()
      assert.deepStrictEqual(yield* names(w), { paused: 1, resumed: [] })
      const [event] = yield* w.events("agent.paused")
      assert.deepInclude(event, { agent: "default", failures: 5, items: 5, why: "exit 3", level: "error" })
      yield* w.hands.open({})
      yield* minutes(w, 4)
      assert.strictEqual(yield* given, 5)
      assert.deepStrictEqual(yield* spent(w, 6), [1, 1, 1, 1, 1, 0])
    })
  )

  it.effect("is not paused by one item alone: that is given up", () =>
    Effect.gen(function* () {
      const { given, w } = yield* failingWorld(1, { attempts: 7 })
      yield* minutes(w, 80)
      assert.strictEqual(yield* given, 7)
      assert.deepStrictEqual(yield* names(w), { paused: 0, resumed: [] })
      assert.strictEqual((yield* w.record(1))?.sessions["default"]?.state, "blocked")
    })
  )

  it.effect("is not paused by failures with a success in between", () =>
    Effect.gen(function* () {
      const { agent, w } = yield* failingWorld(4)
      yield* w.once()
      agent.how = { _tag: "Done" }
      yield* w.hands.open({})
      yield* w.once()
      agent.how = { _tag: "Failed", why: "exit 3" }
      for (let number = 1; number <= 4; number += 1) yield* w.hands.comment({ number }, { body: "more" })
      yield* w.once()
      assert.deepStrictEqual(yield* names(w), { paused: 0, resumed: [] })
    })
  )

  it.effect("is not paused by runs that say not now", () =>
    Effect.gen(function* () {
      const { agent, w } = yield* failingWorld(6)
      agent.how = { _tag: "NotNow", why: "busy" }
      yield* minutes(w, 2)
      assert.deepStrictEqual(yield* names(w), { paused: 0, resumed: [] })
    })
  )

  it.effect("is tried on one item every five minutes, and goes on everywhere once that succeeds", () =>
    Effect.gen(function* () {
      const { agent, given, w } = yield* failingWorld(5)
      yield* w.once()
      yield* minutes(w, 4)
      assert.strictEqual(yield* given, 5)
      yield* minutes(w, 2)
      assert.strictEqual(yield* given, 6, "one probe")
      yield* minutes(w, 3)
      assert.strictEqual(yield* given, 6, "and no more, whatever the others' back-off says")
      agent.how = { _tag: "Done" }
      yield* minutes(w, 2)
      yield* w.once()
      assert.deepStrictEqual(yield* names(w), { paused: 1, resumed: ["a hand-over succeeded"] })
      assert.strictEqual(yield* given, 11)
      for (let number = 1; number <= 5; number += 1)
        assert.strictEqual((yield* w.record(number))?.sessions["default"]?.state, "live")
    })
  )

  it.effect("wakes at once, within one process, what waits for it", () =>
    Effect.gen(function* () {
      const { agent, given, w } = yield* failingWorld(5)
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          yield* TestClock.adjust("2 minutes")
          assert.strictEqual(yield* given, 5)
          agent.how = { _tag: "Done" }
          yield* (yield* Operator).retry(ref(3))
          // No more time goes by: nobody's own time has come.
          yield* w.arrived(10)
        })
      )
    })
  )

  it.effect("shows why words wait, and the mend", () =>
    Effect.gen(function* () {
      const { w } = yield* failingWorld(5)
      yield* w.once()
      yield* minutes(w, 1)
      const { explanation, sessions, warnings } = yield* w.living(
        Effect.flatMap(Inspector, ({ explain, pauses, sessions }) =>
          Effect.all({ sessions, warnings: pauses, explanation: explain(ref(1)) })
        )
      )
      assert.strictEqual(warnings.length, 1)
      assert.match(
        warnings[0] ?? "",
        /app#\d: exit 3\..*A change of agents\.default resumes it.*heed retry REF/u
      )
      for (const line of [...sessions, ...(explanation?.sessions ?? [])])
        assert.include(
          line.waitingFor,
          "the agent default is paused: it failed 5 times in a row, on 5 items; one is tried at"
        )
    })
  )

  it.effect("is tried at once on the item that somebody retries, and on no other", () =>
    Effect.gen(function* () {
      const { agent, given, w } = yield* failingWorld(5)
      yield* w.once()
      const said = yield* w.living(Effect.flatMap(Operator, (operator) => operator.retry(ref(3))))
      assert.include(said, "is the next item that the paused agent default is tried on")
      yield* w.once()
      assert.strictEqual(yield* given, 6)
      assert.deepStrictEqual(yield* spent(w, 5), [1, 1, 2, 1, 1])
      agent.how = { _tag: "Done" }
      yield* w.hands.comment({ number: 4 }, { body: "/heed retry" })
      yield* w.once()
      assert.deepStrictEqual((yield* names(w)).resumed, ["a hand-over succeeded"])
    })
  )

  it.effect("is resumed by a change of its entry, with a restart and without one", () =>
    Effect.gen(function* () {
      for (const how of ["restart", "reload"] as const) {
        const { agent, given, w } = yield* failingWorld(5)
        yield* w.once()
        agent.how = { _tag: "Done" }
        yield* w.hands.open({})
        const changed = () =>
          w.configure((plan) => ({
            ...plan,
            agents: Object.fromEntries(
              Object.entries(plan.agents).map(([name, entry]) => [
                name,
                { ...entry, plan: { ...entry.plan, env: { MENDED: "1" } } }
              ])
            )
          }))
        yield* w.living(
          Effect.gen(function* () {
            yield* w.cycle
            assert.strictEqual(yield* given, 5)
            if (how === "restart") return
            yield* (yield* Running).put(changed())
            yield* (yield* Dispatcher).refresh
            yield* (yield* Dispatcher).settled
          })
        )
        if (how === "restart") {
          changed()
          yield* w.once()
        }
        assert.deepStrictEqual((yield* names(w)).resumed, ["its entry in the configuration changed"], how)
        assert.isAbove(yield* given, 5)
      }
    })
  )

  it.effect("stays paused over restarts, by agents.json; one that cannot be read counts anew", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const root = `${yield* files.makeTempDirectoryScoped()}/root`
      const { given, w } = yield* failingWorld(5, { root })
      const file = `${root}/agents.json`
      assert.isFalse(yield* files.exists(file), "agents that are well write nothing")
      yield* w.once()
      yield* minutes(w, 3)
      assert.strictEqual(yield* given, 5)
      assert.include(yield* files.readFileString(file), `"nextProbe"`)
      yield* files.writeFileString(file, "{")
      yield* w.once()
      assert.strictEqual(yield* given, 10)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
