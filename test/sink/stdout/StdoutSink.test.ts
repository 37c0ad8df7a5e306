import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import { NormalizedEvent } from "../../../src/domain/Event.ts"
import type { HandOver } from "../../../src/domain/HandOver.ts"
import * as StdoutSink from "../../../src/sink/stdout/StdoutSink.ts"
import type { Behaviour } from "../contract.ts"
import { sinkContract } from "../contract.ts"
import { handOver } from "../handOver.ts"

const event = (body: string): NormalizedEvent => ({
  repo: "acme/app",
  entity: { kind: "work_item", id: 12, url: "https://github.com/acme/app/issues/12" },
  transition: { kind: "comment_added", comment: { id: "1", body } },
  state: { labels: ["agent"] },
  source: { system: "github", raw_type: "issue_comment", raw_action: "created" }
})

const decode = Schema.decodeSync(Schema.fromJsonString(NormalizedEvent))

const makeWorld = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const runs = `${yield* fs.makeTempDirectoryScoped({ prefix: "heed-stdout-" })}/runs`
  let printed = ""
  const decoder = new TextDecoder()
  const stdio = Stdio.make({
    args: Effect.succeed([]),
    stdin: yield* Effect.map(Stdio.Stdio, ({ stdin }) => stdin),
    stdout: () =>
      Sink.forEach((piece: string | Uint8Array) =>
        Effect.sync(() => {
          printed += typeof piece === "string" ? piece : decoder.decode(piece)
        })
      ),
    stderr: () => Sink.drain
  })
  const sink = yield* StdoutSink.make({ runs }).pipe(Effect.provideService(Stdio.Stdio, stdio))
  const lines = () => printed.split("\n").filter((line) => line !== "")
  return {
    fs,
    runs,
    sink,
    lines,
    agent: (_: Behaviour, changes: Partial<HandOver> = {}) =>
      handOver({ sink: "stdout" }, { ...changes, events: [event(changes.prompt ?? "hello")] }),
    inbox: Effect.sync(() =>
      lines().map((line) => {
        const { transition } = decode(line)
        return transition.kind === "comment_added" ? transition.comment.body : ""
      })
    ),
    release: () => Effect.void
  }
}).pipe(Effect.orDie, Effect.provide(NodeServices.layer))

sinkContract("stdout", makeWorld, ["succeeds"])

describe("stdout", () => {
  it.live("prints one event per line, whatever is in it", () =>
    Effect.gen(function* () {
      const { sink, lines } = yield* makeWorld
      const events = [event("a\nb\u2028c\u001b[2J\u009b2J\u007f"), event("d")]
      const one = handOver({}, { events })
      yield* sink.prepare(one)
      yield* sink.send(one)
      // oxlint-disable-next-line no-control-regex -- these are the characters meant
      assert.notMatch(lines().join("\n"), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u)
      assert.deepStrictEqual(
        lines().map((line) => decode(line)),
        events
      )
    })
  )

  it.live("a crash while it printed leaves evidence that is lost, and sending again prints again", () =>
    Effect.gen(function* () {
      const { sink, fs, runs, lines } = yield* makeWorld
      const one = handOver({}, { events: [event("a")] })
      yield* sink.prepare(one)
      yield* sink.send(one)
      yield* fs.remove(`${runs}/${one.id}/1/exit`)
      assert.strictEqual((yield* sink.evidence(one))._tag, "Lost")
      assert.strictEqual((yield* sink.withdraw(one))._tag, "Lost")
      yield* sink.send(one)
      assert.strictEqual(lines().length, 2)
      assert.strictEqual((yield* sink.evidence(one))._tag, "HandedOver")
    })
  )
})
