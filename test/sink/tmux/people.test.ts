/** What people do in heed's tmux beside looking: sessions go on, and words find their own. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { opened, next, pastes, reads, takesAll, test, type TmuxWorld } from "./world.ts"

describe("a person", () => {
  const sideBySide = (world: TmuxWorld, which: "guest" | "host") =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log-1"))
      const two = world.script(takesAll("log-2"))
      const first = yield* opened(world.sink, one)
      const second = yield* opened(world.sink, two)
      const [leaving, staying] = which === "guest" ? [first, second] : [second, first]
      world.tmux("join-pane", "-b", "-s", world.pane(one.session.id), "-t", world.pane(two.session.id))
      yield* Effect.forEach([next(one, "for one"), next(two, "for two")], (words) =>
        Effect.andThen(world.sink.prepare(words), world.sink.send(words)).pipe(
          Effect.retry({
            while: ({ reason }) => reason === "NotReady",
            schedule: Schedule.spaced("10 millis"),
            times: 500
          })
        )
      )
      const given = (log: string) => reads(world, log, (text) => pastes(text).length > 0)
      assert.deepStrictEqual(pastes(yield* given("log-1")), ["for one"])
      assert.deepStrictEqual(pastes(yield* given("log-2")), ["for two"])
      yield* world.sink.end(leaving)
      assert.strictEqual((yield* world.sink.probe(leaving))._tag, "Absent")
      assert.strictEqual((yield* world.sink.probe(staying))._tag, "Live")
    })

  test("who puts two sessions side by side: each is given its own words, and the guest is ended alone", (world) =>
    sideBySide(world, "guest"))

  test("who puts two sessions side by side: each is given its own words, and the host is ended alone", (world) =>
    sideBySide(world, "host"))

  test("who has a window of their own in a session and closes the agent's does not keep it from opening again", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      world.tmux("new-window", "-d", "-t", world.home(one.session.id), "sleep 1000")
      world.tmux("kill-window", "-t", world.pane(one.session.id))
      assert.strictEqual((yield* world.sink.probe(session))._tag, "Dead")
      yield* world.sink.stays.open(one)
      assert.strictEqual((yield* world.sink.probe(session))._tag, "Live")
    }))
})
