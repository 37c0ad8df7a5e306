/** What a cycle looks at, and what it must not forget: a tracker that fails item by item, a heed restarted after each act. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Backlog, Operator } from "../../src/index.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const app = { repo: "acme/app" }
const open = (w: MemoryWorld, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => w.hands.open({}), { discard: true })
const states = (w: MemoryWorld, numbers: ReadonlyArray<number>) =>
  Effect.forEach(numbers, (number) =>
    Effect.map(w.record(number), (record) => record?.sessions["default"]?.state)
  )
const generation = (w: MemoryWorld, number: number) =>
  Effect.map(w.record(number), (record) => record?.sessions["default"]?.generation)

describe("a first run over failures", () => {
  it.effect("an item that fails once is an ordinary first sight later, and holds nobody up", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* open(w, 5)
      w.faults.observe.set(2, "Unavailable")
      const first = yield* w.once()
      assert.strictEqual(first.errors, 1)
      assert.deepStrictEqual(yield* states(w, [1, 2, 3, 4, 5]), ["live", undefined, "live", "live", "live"])
      w.faults.observe.clear()
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [2]), ["live"])
    })
  )

  it.effect("an item that always fails leaves the others their starts", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* open(w, 3)
      w.faults.observe.set(1, "BadAnswer")
      for (let n = 0; n < 3; n += 1) yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1, 2, 3]), [undefined, "live", "live"])
    })
  )

  it.effect("who could not be looked at is counted, and held with the others", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ firstRun: 2 })
      yield* open(w, 4)
      for (const number of [1, 2]) w.faults.observe.set(number, "Unavailable")
      yield* w.once()
      w.faults.observe.clear()
      yield* w.once()
      assert.deepStrictEqual(yield* w.received, [])
      yield* w.hands.open({})
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1, 2, 3, 4, 5]), [
        undefined,
        undefined,
        undefined,
        undefined,
        "live"
      ])
      yield* w.living(Effect.flatMap(Operator, (operator) => operator.acceptBacklog("start")))
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1, 2, 3, 4]), ["live", "live", "live", "live"])
    })
  )

  it.effect("who could not be looked at belongs to an accepted backlog too", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* open(w, 3)
      w.faults.observe.set(1, "Unavailable")
      yield* w.once({ backlog: "baseline" })
      w.faults.observe.clear()
      yield* w.once()
      assert.isDefined(yield* w.record(1))
      assert.deepStrictEqual(yield* w.received, [])
      yield* w.hands.unlabel({ number: 1 }, "agent")
      yield* w.once()
      yield* w.hands.label({ number: 1 }, "agent")
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1, 2]), ["live", undefined])
    })
  )

  it.effect("first runs of many listings at once are all remembered", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      for (let n = 0; n < 8; n += 1) {
        w.repos.push(`acme/r${n}`)
        yield* w.hands.open({ repo: `acme/r${n}` })
      }
      yield* w.once()
      const all = yield* w.inState(Effect.flatMap(Backlog, (backlog) => backlog.all))
      assert.strictEqual(Object.keys(all).length, 9)
    })
  )

  it.effect("what was said of the backlog is no word on a repository that is added later", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ firstRun: 1 })
      yield* open(w, 2)
      yield* w.living(
        Effect.gen(function* () {
          yield* w.cycle
          w.repos.push("acme/web")
          for (let n = 0; n < 2; n += 1) yield* w.hands.open({ repo: "acme/web" })
          yield* w.cycle
        }),
        { backlog: "start" }
      )
      assert.deepStrictEqual(yield* states(w, [1, 2]), ["live", "live"])
      assert.isTrue((yield* w.record(1, "acme/web"))?.held)
    })
  )
})

describe("sweeps", () => {
  it.effect("a listing that fails owes its sweep alone, over restarts too", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      w.repos.push("acme/bad")
      yield* open(w, 1)
      for (let n = 0; n < 2; n += 1) yield* w.hands.open({ repo: "acme/bad" })
      yield* w.once()
      yield* TestClock.adjust("15 minutes")
      w.faults.list.set("acme/bad", "Missing")
      yield* w.once()
      assert.deepStrictEqual([...w.asked].sort(), ["list acme/app", "list acme/bad", "observe 1"])
      yield* w.once()
      assert.deepStrictEqual(w.asked, ["list acme/app conditionally", "list acme/bad"])
      w.faults.list.clear()
      yield* w.once()
      assert.deepStrictEqual(w.asked, [
        "list acme/app conditionally",
        "list acme/bad",
        "observe 1",
        "observe 2"
      ])
      yield* w.once()
      assert.deepStrictEqual(w.asked, ["list acme/app conditionally", "list acme/bad conditionally"])
    })
  )
})

describe("generations", () => {
  it.effect("closed and reopened between two runs: the next generation starts in the run that sees it", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* open(w, 1)
      yield* w.once()
      yield* w.hands.setState({ ...app, number: 1 }, "closed")
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1]), ["ended"])
      yield* w.hands.setState({ ...app, number: 1 }, "open")
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1]), ["live"])
      assert.strictEqual(yield* generation(w, 1), 2)
    })
  )

  it.effect("an absence is believed only if the item itself says so", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* open(w, 2)
      yield* w.once()
      yield* w.hands.comment({ number: 1 }, { body: "/heed stop" })
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1, 2]), ["ended", "live"])
      for (const number of [1, 2]) w.faults.hidden.add(number)
      yield* w.hands.open({})
      yield* w.once()
      assert.isTrue((yield* w.record(2))?.listed, "its own answer shows the label")
      w.faults.hidden.clear()
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1, 2]), ["ended", "live"])
      assert.strictEqual(yield* generation(w, 1), 1)
    })
  )

  it.effect("an item without a session that lost its label and got it again starts anew", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* open(w, 2)
      yield* w.once()
      yield* w.hands.comment({ number: 1 }, { body: "/heed stop" })
      yield* w.once()
      yield* w.hands.unlabel({ number: 1 }, "agent")
      yield* w.once()
      assert.isFalse((yield* w.record(1))?.listed)
      yield* w.once()
      assert.deepStrictEqual(w.asked, ["list acme/app conditionally"])
      yield* w.hands.label({ number: 1 }, "agent")
      yield* w.once()
      assert.deepStrictEqual(yield* states(w, [1]), ["live"])
      assert.strictEqual(yield* generation(w, 1), 2)
    })
  )

  it.effect("who labelled it is still known when its start is read again", () =>
    Effect.gen(function* () {
      let answer: "NotNow" | "Done" = "NotNow"
      const w = yield* memoryWorld({
        answer: () => (answer === "Done" ? { _tag: "Done" } : { _tag: "NotNow", why: "busy" })
      })
      yield* w.hands.open({ author: "bob", labels: [] })
      yield* w.hands.label({ number: 1 }, "agent", "alice")
      yield* w.once()
      answer = "Done"
      yield* w.once()
      yield* w.once()
      const kinds = (yield* w.received).map(({ events }) => events[0]?.transition.kind)
      assert.deepStrictEqual([...new Set(kinds)], ["label_changed"])
      assert.isAtLeast(kinds.length, 2)
    })
  )
})

describe("the cycle's own count", () => {
  it.effect("poll.cycle says gave_up and not_modified", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ attempts: 1, answer: () => ({ _tag: "Failed", why: "exit 3" }) })
      yield* open(w, 1)
      yield* w.once()
      const lines = yield* w.events("poll.cycle")
      assert.deepInclude(lines[0], { gave_up: 1, not_modified: 0 })
      yield* w.once()
      const all = yield* w.events("poll.cycle")
      assert.strictEqual(all.length, lines.length, "posting the notice is no news")
    })
  )

  it.effect("a stranger's word at first sight is said", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      yield* open(w, 1)
      yield* w.hands.comment({ number: 1 }, { by: "mallory", body: "do it" })
      yield* w.once()
      yield* w.hands.comment({ number: 1 }, { by: "mallory", body: "do it now" })
      yield* w.once()
      assert.strictEqual((yield* w.events("poll.unauthorized")).length, 1)
    })
  )
})
