import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync
} from "node:fs"
import { join } from "node:path"
import { EventLog, type NewEvent } from "../../src/state/EventLog.ts"
import { inFolder } from "./ledgers.ts"

const log = (root: string, maxSize = 1_000_000, files = 3) =>
  EventLog.layer({ root, limits: Effect.succeed({ maxSize, files }) }).pipe(
    Layer.fresh,
    Layer.provide(NodeFileSystem.layer)
  )

const event = (number: number): NewEvent => ({ event: "poll.cycle", level: "info", number })
const numbers = (lines: ReadonlyArray<{ readonly [key: string]: unknown }>) =>
  lines.map(({ number }) => number)

describe("EventLog", () => {
  inFolder("appends whole lines that can be read again, oldest first", (root) =>
    Effect.gen(function* () {
      const events = yield* EventLog
      assert.deepStrictEqual(readdirSync(root), [], "building the layer touches nothing")
      assert.deepStrictEqual(yield* events.read, [])
      yield* Effect.forEach([1, 2, 3], (number) => events.append(event(number)))
      yield* events.append({
        event: "poll.item_failed",
        level: "warn",
        ref: "github:x",
        text: "a\nb\u001b[31m\u0000"
      })
      const text = readFileSync(join(root, "events.jsonl"), "utf8")
      assert.strictEqual(text.split("\n").length, 5)
      assert.notMatch(text.replaceAll("\n", ""), /\p{Cc}/u)
      assert.strictEqual(statSync(join(root, "events.jsonl")).mode & 0o777, 0o600)
      const lines = yield* events.read
      assert.deepStrictEqual(numbers(lines), [1, 2, 3, undefined])
      assert.deepInclude(lines[3], {
        event: "poll.item_failed",
        ref: "github:x",
        text: "a\nb\u001b[31m\u0000"
      })
    }).pipe(Effect.provide(log(root)))
  )

  inFolder("appends several lines in one write, and counts lines by name", (root) =>
    Effect.gen(function* () {
      const events = yield* EventLog
      yield* events.append()
      assert.deepStrictEqual(readdirSync(root), [], "nothing is no write")
      yield* events.append(event(1), event(2), { event: "poll.rearmed", level: "info", number: 3 })
      yield* events.append(event(4))
      assert.deepStrictEqual(numbers(yield* events.read), [1, 2, 3, 4])
      assert.strictEqual(yield* events.count("poll.cycle"), 3)
      assert.strictEqual(yield* events.count("poll.comment_failed"), 0)
    }).pipe(Effect.provide(log(root)))
  )

  inFolder("rotates before a file grows too large, keeps as many as it may, reads all in order", (root) =>
    Effect.gen(function* () {
      const events = yield* EventLog
      for (let number = 0; number < 100; number++) yield* events.append(event(number))
      assert.deepStrictEqual(readdirSync(root).sort(), ["events.1.jsonl", "events.2.jsonl", "events.jsonl"])
      for (const name of readdirSync(root)) assert.isAtMost(statSync(join(root, name)).size, 1_000)
      const kept = numbers(yield* events.read)
      assert.deepStrictEqual(
        kept,
        Array.from({ length: kept.length }, (_, at) => 100 - kept.length + at)
      )
      assert.isAbove(kept.length, 20)
    }).pipe(Effect.provide(log(root, 1_000)))
  )

  inFolder("a torn last line spoils no other", (root) =>
    Effect.gen(function* () {
      const events = yield* EventLog
      yield* events.append(event(1))
      appendFileSync(join(root, "events.jsonl"), '{"ts":"2026-11-30T12:00')
      yield* events.append(event(2))
      yield* events.append(event(3))
      assert.deepStrictEqual(numbers(yield* events.read), [1, 2, 3])
      assert.strictEqual(readFileSync(join(root, "events.jsonl"), "utf8").split("\n").length, 5)
    }).pipe(Effect.provide(log(root)))
  )

  inFolder("a line is bounded and stays a line", (root) =>
    Effect.gen(function* () {
      const events = yield* EventLog
      yield* events.append({ ...event(1), message: "𝄞".repeat(100_000), list: ["x".repeat(200_000)] })
      const many = Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`field${at}`, "y".repeat(1_000)])
      )
      yield* events.append({ ...many, ...event(2) })
      const text = readFileSync(join(root, "events.jsonl"), "utf8")
      for (const line of text.split("\n")) assert.isAtMost(Buffer.byteLength(line), 64 * 1024)
      const [first, second] = yield* events.read
      assert.deepInclude(first, { number: 1, shortened: true })
      assert.isTrue(String(first?.["message"]).isWellFormed())
      assert.deepInclude(second, { event: "poll.cycle", shortened: true })
    }).pipe(Effect.provide(log(root)))
  )

  inFolder(
    "a log that cannot be written is said once, stops nothing, and goes on when it is mended",
    (root) => {
      const said: Array<unknown> = []
      return Effect.gen(function* () {
        const events = yield* EventLog
        mkdirSync(join(root, "events.jsonl"))
        for (const number of [1, 2, 3]) yield* events.append(event(number))
        assert.strictEqual(said.length, 1)
        assert.include(String(said[0]), join(root, "events.jsonl"))
        rmdirSync(join(root, "events.jsonl"))
        yield* events.append(event(4))
        assert.deepStrictEqual(numbers(yield* events.read), [4])
        symlinkSync(join(root, "elsewhere"), join(root, "link"))
      }).pipe(
        Effect.provide(log(root)),
        Effect.provide(Logger.layer([Logger.make(({ message }) => void said.push(message))]))
      )
    }
  )

  inFolder("beside the holder it appends and never rotates", (root) =>
    Effect.gen(function* () {
      const beside = EventLog.layerUnlocked({ root }).pipe(Layer.provide(NodeFileSystem.layer))
      yield* EventLog.use((events) =>
        Effect.forEach(
          Array.from({ length: 40 }, (_, at) => at),
          (number) => events.append({ ...event(number), event: "poller.blocked" }),
          { concurrency: "unbounded", discard: true }
        )
      ).pipe(Effect.provide(beside))
      assert.deepStrictEqual(readdirSync(root), ["events.jsonl"])
      const lines = yield* EventLog.use(({ read }) => read).pipe(Effect.provide(log(root)))
      assert.strictEqual(new Set(numbers(lines)).size, 40)
    })
  )

  it.effect("in memory it keeps what was said", () =>
    Effect.gen(function* () {
      const events = yield* EventLog
      yield* events.append(event(1))
      assert.deepStrictEqual(yield* events.read, [{ ts: "1970-01-01T00:00:00.000Z", ...event(1) }])
    }).pipe(Effect.provide(EventLog.layerMemory))
  )
})
