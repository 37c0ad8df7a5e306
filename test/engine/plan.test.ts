/** `heed plan` is what a cycle does: the same requests, the same decisions, and nothing written. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Inspector, Ref, Validators } from "../../src/index.ts"
import { type MemoryWorld, memoryWorld } from "./memoryWorld.ts"

const planned = (w: MemoryWorld) =>
  Effect.gen(function* () {
    w.asked.length = 0
    const dryRun = yield* w.living(Effect.flatMap(Inspector, (inspector) => inspector.plan(undefined)))
    const decisions = dryRun.items.flatMap(({ steps }) => steps.map(({ decision }) => decision))
    const count = (...names: ReadonlyArray<string>) => decisions.filter((name) => names.includes(name)).length
    return {
      dryRun,
      asked: [...w.asked].sort(),
      counts: {
        spawned: count("begin"),
        forwarded: count("queue"),
        settled: count("settle", "refuse"),
        closed: count("end")
      }
    }
  })

/** Plans a cycle, runs it, and holds one against the other; answers with what was planned. */
const inStep = Effect.fnUntraced(function* (w: MemoryWorld, what: string) {
  const plan = yield* planned(w)
  const { closed, forwarded, settled, spawned } = yield* w.once()
  assert.deepStrictEqual(plan.counts, { spawned, forwarded, settled, closed }, what)
  assert.deepStrictEqual(plan.asked, w.asked.filter((one) => !one.startsWith("post")).sort(), what)
  return plan.dryRun
})

const nothing = { items: [], failures: [] }

describe("a dry run", () => {
  it.effect("goes in step with the cycles, whatever happens between them", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      for (let n = 0; n < 4; n += 1) yield* w.hands.open({})
      w.faults.observe.set(2, "BadAnswer")
      const first = yield* inStep(w, "a first run over a failure")
      assert.strictEqual(first.items.length, 4)
      w.faults.observe.clear()
      yield* inStep(w, "and the one that failed")
      assert.deepStrictEqual(yield* inStep(w, "idle"), nothing)
      yield* w.hands.comment({ number: 1 }, { body: "a word" })
      yield* w.hands.comment({ number: 1 }, { by: "mallory", body: "another" })
      yield* inStep(w, "words")
      yield* w.hands.comment({ number: 2 }, { body: "/heed stop" })
      yield* inStep(w, "a stop")
      w.faults.hidden.add(1).add(2)
      yield* inStep(w, "a listing that lags")
      w.faults.hidden.clear()
      yield* inStep(w, "and catches up")
      yield* w.hands.unlabel({ number: 1 }, "agent")
      yield* w.hands.unlabel({ number: 2 }, "agent")
      yield* inStep(w, "labels taken off")
      yield* inStep(w, "one live item that no listing shows")
      yield* w.hands.comment({ number: 1 }, { body: "a word there" })
      yield* inStep(w, "a word on it")
      yield* w.hands.label({ number: 2 }, "agent")
      yield* inStep(w, "labelled again")
      yield* w.hands.setState({ number: 3 }, "closed")
      yield* w.hands.remove({ number: 4 }, "deleted")
      yield* inStep(w, "ends")
      yield* w.hands.setState({ number: 3 }, "open")
      yield* inStep(w, "reopened")
      w.faults.list.set("acme/app", "Unavailable")
      const failed = yield* inStep(w, "a source that fails")
      assert.strictEqual(failed.failures.length, 1)
    })
  )

  it.effect("ends what lost its label where the source says stop, as explain does, and begins anew", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ onUnlabel: "stop" })
      yield* w.hands.open({})
      yield* w.once()
      const explained = Effect.map(
        w.living(
          Effect.flatMap(Inspector, (inspector) =>
            inspector.explain(Ref.make("github:memory.test/acme/app#1"))
          )
        ),
        (explanation) => explanation?.next.filter(({ decision }) => decision !== "learn")
      )
      yield* w.hands.unlabel({ number: 1 }, "agent")
      const end = { decision: "end", detail: "default", reason: "its label was taken off" }
      assert.deepStrictEqual(yield* explained, [end])
      assert.deepInclude((yield* inStep(w, "its label is off")).items[0]?.steps ?? [], end)
      assert.strictEqual((yield* w.record(1))?.sessions["default"]?.state, "ended")
      assert.deepStrictEqual(yield* explained, [])
      yield* w.hands.label({ number: 1 }, "agent")
      assert.strictEqual((yield* explained)?.[0]?.decision, "begin")
      yield* inStep(w, "labelled again")
      assert.strictEqual((yield* w.record(1))?.sessions["default"]?.generation, 2)
    })
  )

  it.effect("ends nothing that another listing of the plan holds, nor does explain say so", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ onUnlabel: "stop" })
      w.repos.push("acme/web")
      yield* w.hands.open({})
      yield* w.once()
      yield* w.hands.unlabel({ number: 1 }, "agent")
      yield* w.inState(
        Effect.flatMap(Validators, (validators) =>
          validators.set("memory/acme/web", { pages: [], rows: { [w.identity(1)]: "1" } })
        )
      )
      const { explained, planned } = yield* w.living(
        Effect.flatMap(Inspector, ({ explain, plan }) =>
          Effect.all({
            explained: explain(Ref.make("github:memory.test/acme/app#1")),
            planned: plan(undefined)
          })
        )
      )
      assert.notInclude(JSON.stringify(planned), "its label was taken off")
      assert.notInclude(JSON.stringify(explained?.next), "its label was taken off")
    })
  )

  it.effect("ends nothing on the word of a listing alone, whose item still bears its label", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ onUnlabel: "stop" })
      yield* w.hands.open({})
      yield* w.once()
      w.faults.hidden.add(1)
      yield* inStep(w, "a listing that lags, though the label is on")
      assert.strictEqual((yield* w.record(1))?.sessions["default"]?.state, "live")
    })
  )

  it.effect("shows a first run that is too large as held, until it is settled", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ firstRun: 1 })
      for (let n = 0; n < 2; n += 1) yield* w.hands.open({})
      const { items } = yield* inStep(w, "too many")
      assert.include(JSON.stringify(items), "held: 2 items would start at once")
      assert.deepStrictEqual(yield* inStep(w, "held"), nothing)
    })
  )

  it.effect("shows what waits for a session after a restart, though no row changed", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld({ answer: () => ({ _tag: "NotNow", why: "busy" }) })
      yield* w.hands.open({})
      yield* inStep(w, "a start that is put off")
      yield* inStep(w, "and read again")
      assert.include(w.asked, "observe 1")
    })
  )

  it.effect("of one item says it all, wherever the item is", () =>
    Effect.gen(function* () {
      const w = yield* memoryWorld()
      w.repos.push("acme/web")
      yield* w.hands.open({})
      yield* w.hands.open({})
      yield* w.once()
      const ref = Ref.make("github:memory.test/acme/app#1")
      const one = () => w.living(Effect.flatMap(Inspector, (inspector) => inspector.plan(ref)))
      w.asked.length = 0
      assert.deepStrictEqual(
        (yield* one()).items.map((item) => item.ref),
        [ref]
      )
      assert.notInclude(w.asked, "list acme/web")
      yield* w.hands.setState({ number: 1 }, "closed")
      assert.include(
        (yield* one()).items.flatMap(({ steps }) => steps.map(({ decision }) => decision)),
        "end"
      )
    })
  )
})
