/**
 * G3.2 for the process sink: a hand-over reaches its agent exactly once, whenever heed is killed and however many of
 * them send it; a run at work is adopted by whoever comes next.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { Scope } from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { HandOver } from "../../src/domain/HandOver.ts"
import * as ProcessSink from "../../src/sink/process/ProcessSink.ts"
import { handOver, sessionOf } from "../sink/handOver.ts"
import { type ProcessWorld, processWorld } from "../sink/process/world.ts"

const sender = fileURLToPath(new URL("../sink/process/sender.ts", import.meta.url))

interface Heed {
  /** Resolves when it has begun, imports done. */
  readonly ready: Promise<unknown>
  readonly gone: Promise<unknown>
  readonly kill: () => void
}

/** Another heed, as a process of its own. */
const startHeed = Effect.fnUntraced(function* (
  world: ProcessWorld,
  handOvers: ReadonlyArray<HandOver>,
  times = 1,
  step = ""
) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.makeTempFileScoped({ prefix: "heed-orders-" })
  yield* fs.writeFileString(
    file,
    JSON.stringify({ runs: world.runs, config: world.options.config, handOvers })
  )
  const child = spawn(process.execPath, [sender, file, String(times), step], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const gone = once(child, "exit")
  return {
    ready: Promise.race([once(child.stdout, "data"), gone]),
    gone,
    kill: () => child.kill("SIGKILL")
  } satisfies Heed
})

/** What a heed that comes after a crash does with a hand-over that its ledger says is claimed. */
const recover = Effect.fnUntraced(function* (world: ProcessWorld, one: HandOver) {
  const sink = yield* ProcessSink.make(world.options)
  const found = yield* sink.evidence(one)
  if (found._tag === "None") {
    yield* sink.prepare(one)
    yield* sink.send(one)
  }
  return { found, result: yield* sink.result(one) }
})

const take = 'read -r line; echo "$line" >> inbox'
const numbered = (world: ProcessWorld, count: number, script = take) =>
  Array.from({ length: count }, (_, index) =>
    world.script(script, { id: handOver().id, prompt: `prompt ${String(index).padStart(3, "0")}\n` })
  )

const expectEachOnce = Effect.fnUntraced(function* (world: ProcessWorld, handOvers: ReadonlyArray<HandOver>) {
  const inbox = [...(yield* world.inbox)].sort()
  assert.deepStrictEqual(
    inbox,
    handOvers.map(({ prompt }) => prompt.trim())
  )
})

const test = (
  title: string,
  body: (world: ProcessWorld) => Effect.Effect<void, unknown, Scope | NodeServices.NodeServices>
) => it.live(title, () => Effect.flatMap(processWorld, body).pipe(Effect.provide(NodeServices.layer)))

describe("G3.2 process: exactly once", () => {
  test("100 hand-overs, each sent twice at once by three heeds: every agent runs once", (world) =>
    Effect.gen(function* () {
      const handOvers = numbered(world, 100)
      const heeds = [
        yield* startHeed(world, handOvers, 2),
        yield* startHeed(world, handOvers, 2),
        yield* startHeed(world, handOvers, 2)
      ]
      for (const heed of heeds) yield* Effect.promise(() => heed.gone)
      for (const one of handOvers) assert.deepStrictEqual(yield* world.sink.result(one), { _tag: "Done" })
      yield* expectEachOnce(world, handOvers)
    }))

  for (const step of ["before prepare", "prepared", "sending", "sent"]) {
    test(`heed is killed at the step "${step}"`, (world) =>
      Effect.gen(function* () {
        const handOvers = numbered(world, 1)
        const heed = yield* startHeed(world, handOvers, 1, step)
        yield* Effect.promise(() => heed.gone)
        for (const one of handOvers) {
          const { found, result } = yield* recover(world, one)
          if (step === "sent") assert.strictEqual(found._tag, "HandedOver")
          assert.deepStrictEqual(result, { _tag: "Done" })
        }
        yield* expectEachOnce(world, handOvers)
      }))
  }

  test("heed is killed at random instants while it sends one after the other", (world) =>
    Effect.gen(function* () {
      const handOvers = numbered(world, 60)
      for (let kill = 0; kill < 6; kill++) {
        // The one it was killed in stands first: the next heed begins there, as from its ledger.
        const rest = yield* Effect.filter(handOvers, (one) =>
          Effect.map(world.sink.evidence(one), ({ _tag }) => _tag === "None")
        )
        const heed = yield* startHeed(world, rest)
        yield* Effect.promise(() => heed.ready)
        yield* Effect.sleep(Math.random() * 250)
        heed.kill()
        yield* Effect.promise(() => heed.gone)
      }
      for (const one of handOvers) {
        assert.deepStrictEqual((yield* recover(world, one)).result, { _tag: "Done" })
      }
      yield* expectEachOnce(world, handOvers)
    }))

  test("a run at work when heed is killed is adopted: evidence, liveness and result", (world) =>
    Effect.gen(function* () {
      const one = world.script(`${take}; while ! [ -e go ]; do sleep 0.05; done; exit 3`)
      const heed = yield* startHeed(world, [one], 1, "sent")
      yield* Effect.promise(() => heed.gone)
      const fs = yield* FileSystem.FileSystem
      const sink = yield* ProcessSink.make(world.options)
      assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "HandedOver" })
      assert.strictEqual((yield* sink.probe(sessionOf(one)))._tag, "Live")
      yield* fs.writeFileString(`${world.folder}/go`, "")
      const result = yield* sink.result(one)
      assert.strictEqual(result._tag, "Failed")
      assert.include(JSON.stringify(result), "exit code 3")
    }))

  test("a send and a withdrawal at once: one of them wins, and both say which", (world) =>
    Effect.gen(function* () {
      let won = 0
      for (const one of numbered(world, 20)) {
        yield* world.sink.prepare(one)
        const early = Math.random() < 0.5
        const [sent, withdrawn] = yield* Effect.all(
          [
            Effect.exit(world.sink.send(one)),
            Effect.andThen(Effect.sleep(early ? 0 : 4), world.sink.withdraw(one))
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(withdrawn._tag, sent._tag === "Success" ? "HandedOver" : "None")
        assert.deepStrictEqual(yield* world.sink.evidence(one), withdrawn)
        if (sent._tag === "Success") {
          won += 1
          yield* world.sink.result(one)
        }
      }
      assert.strictEqual((yield* world.inbox).length, won)
    }))
})
