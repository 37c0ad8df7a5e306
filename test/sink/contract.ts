/**
 * The contract of a sink: what every one of them answers, whatever stands behind it. A world says how its agent is
 * made to behave, and what reached it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HandOver } from "../../src/domain/HandOver.ts"
import type { Sink } from "../../src/sink/Sink.ts"
import { sessionOf } from "./handOver.ts"

/** How the agent of a world behaves: it takes the prompt in, then leaves, or stays until it is told. */
export type Behaviour = "succeeds" | "fails" | "says not now" | "waits"

export interface World {
  readonly sink: Sink
  /** A hand-over whose agent behaves so. */
  readonly agent: (behaviour: Behaviour, changes?: Partial<HandOver>) => HandOver
  /** The prompts that have reached agents, in order. */
  readonly inbox: Effect.Effect<ReadonlyArray<string>>
  /** Lets the waiting agent of a hand-over leave with success. */
  readonly release: (handOver: HandOver) => Effect.Effect<void>
}

/** `behaviours`: what agents of this world can do; a sink without a program behind it has no agent that fails. */
export const sinkContract = (
  name: string,
  makeWorld: Effect.Effect<World, never, Scope.Scope>,
  behaviours: ReadonlyArray<Behaviour>
) => {
  const check = (
    title: string,
    needs: ReadonlyArray<Behaviour>,
    test: (world: World) => Effect.Effect<void, unknown, Scope.Scope>
  ) => {
    if (needs.every((behaviour) => behaviours.includes(behaviour))) {
      it.live(title, () => Effect.flatMap(makeWorld, test))
    }
  }

  /** Prepares a hand-over; where sessions stay open between hand-overs, its session is opened too. */
  const prepare = Effect.fnUntraced(function* (sink: Sink, one: HandOver) {
    yield* sink.prepare(one)
    if (sink.stays !== undefined) yield* sink.stays.open(one)
  })

  describe(`${name}: the contract of a sink`, () => {
    check(
      "nothing is evident before the send, the hand-over after it",
      ["succeeds"],
      ({ sink, agent, inbox }) =>
        Effect.gen(function* () {
          const one = agent("succeeds", { prompt: "do this" })
          assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "None" })
          yield* prepare(sink, one)
          assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "None" })
          yield* sink.send(one)
          assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "HandedOver" })
          assert.deepStrictEqual(yield* sink.result(one), { _tag: "Done" })
          assert.deepStrictEqual(yield* inbox, ["do this"])
        })
    )

    check(
      "a try that is sent again, and again at once, reaches the agent once",
      ["succeeds"],
      ({ sink, agent, inbox }) =>
        Effect.gen(function* () {
          const one = agent("succeeds", { prompt: "once" })
          yield* prepare(sink, one)
          yield* Effect.all([sink.send(one), sink.send(one), sink.send(one)], { concurrency: "unbounded" })
          yield* sink.send(one)
          yield* sink.result(one)
          yield* sink.send(one)
          assert.deepStrictEqual(yield* inbox, ["once"])
        })
    )

    check(
      "another try of the same hand-over is another run",
      ["fails", "succeeds"],
      ({ sink, agent, inbox }) =>
        Effect.gen(function* () {
          const first = agent("fails", { prompt: "first" })
          yield* prepare(sink, first)
          yield* sink.send(first)
          assert.strictEqual((yield* sink.result(first))._tag, "Failed")
          const second = agent("succeeds", { prompt: "second", try: 2, attempt: 2 })
          assert.deepStrictEqual(yield* sink.evidence(second), { _tag: "None" })
          yield* prepare(sink, second)
          yield* sink.send(second)
          assert.deepStrictEqual(yield* sink.result(second), { _tag: "Done" })
          assert.deepStrictEqual(yield* inbox, ["first", "second"])
        })
    )

    check("not now is no failure", ["says not now"], ({ sink, agent }) =>
      Effect.gen(function* () {
        const one = agent("says not now")
        yield* prepare(sink, one)
        yield* sink.send(one)
        assert.strictEqual((yield* sink.result(one))._tag, "NotNow")
      })
    )

    check("a withdrawn try never reaches the agent", ["succeeds"], ({ sink, agent, inbox }) =>
      Effect.gen(function* () {
        const one = agent("succeeds")
        yield* prepare(sink, one)
        assert.deepStrictEqual(yield* sink.withdraw(one), { _tag: "None" })
        const error = yield* Effect.flip(sink.send(one))
        assert.strictEqual(error.reason, "Withdrawn")
        assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "None" })
        assert.deepStrictEqual(yield* sink.withdraw(one), { _tag: "None" })
        assert.deepStrictEqual(yield* inbox, [])
      })
    )

    check("withdrawing what was handed over says so and touches nothing", ["succeeds"], ({ sink, agent }) =>
      Effect.gen(function* () {
        const one = agent("succeeds")
        yield* prepare(sink, one)
        yield* sink.send(one)
        assert.deepStrictEqual(yield* sink.withdraw(one), { _tag: "HandedOver" })
        assert.deepStrictEqual(yield* sink.result(one), { _tag: "Done" })
      })
    )

    check("a run at work is seen as running until it leaves", ["waits"], ({ sink, agent, release }) =>
      Effect.gen(function* () {
        const one = agent("waits")
        assert.deepStrictEqual(yield* sink.probe({ id: one.session.id }), { _tag: "Absent" })
        yield* prepare(sink, one)
        yield* sink.send(one)
        const session = sessionOf(one)
        assert.deepStrictEqual(yield* sink.probe(session), { _tag: "Live" })
        yield* release(one)
        assert.deepStrictEqual(yield* sink.result(one), { _tag: "Done" })
        assert.deepStrictEqual(yield* sink.probe(session), { _tag: "Absent" })
      })
    )

    check("interrupting the wait for a result touches nothing", ["waits"], ({ sink, agent, release }) =>
      Effect.gen(function* () {
        const one = agent("waits")
        yield* prepare(sink, one)
        yield* sink.send(one)
        assert.strictEqual((yield* Effect.timeoutOption(sink.result(one), "20 millis"))._tag, "None")
        yield* release(one)
        assert.deepStrictEqual(yield* sink.result(one), { _tag: "Done" })
      })
    )

    check("end returns when nothing runs any more; ending again is nothing", ["waits"], ({ sink, agent }) =>
      Effect.gen(function* () {
        const one = agent("waits")
        const session = sessionOf(one)
        yield* sink.end(session)
        yield* prepare(sink, one)
        yield* sink.send(one)
        yield* sink.end(session)
        assert.deepStrictEqual(yield* sink.probe(session), { _tag: "Absent" })
        assert.strictEqual((yield* sink.result(one))._tag, "Failed")
        yield* sink.end(session)
      })
    )
  })
}
