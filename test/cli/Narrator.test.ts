import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { banner } from "../../src/cli/Banner.ts"
import * as Lines from "../../src/cli/Lines.ts"
import * as Narrator from "../../src/cli/Narrator.ts"
import { ConfigReloader } from "../../src/config/ConfigReloader.ts"
import { load } from "../../src/config/load.ts"
import * as Plan from "../../src/live/Plan.ts"
import { EventLog, type LogLine } from "../../src/state/EventLog.ts"
import { rooms } from "../config/testKinds.ts"
import { folder, world } from "./run.ts"

const written = (how: Partial<Narrator.Narration>) => {
  const lines: Array<string> = []
  const narration: Narrator.Narration = {
    terminal: true,
    json: false,
    level: "info",
    columns: 80,
    colour: false,
    write: (line) => lines.push(line),
    ...how
  }
  return { lines, narration }
}

const plan = Plan.make({ users: ["alice"], agents: { default: { sink: "process", command: ["agent"] } } })

const said: LogLine = {
  ts: "2026-11-30T12:03:04.000Z",
  event: "session.started",
  level: "info",
  ref: "github:github.com/acme/app#12",
  agent: "default"
}

describe("Narrator", () => {
  it.effect("tells each line that the log gets, and the log has it too", () =>
    Effect.gen(function* () {
      const { lines, narration } = written({})
      const asked = { level: "info", format: "json" } as const
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append({ event: "session.started", level: "info", ref: "x:y", agent: "default" })
        yield* log.append({ event: "poll.cycle", level: "debug" })
        assert.lengthOf(yield* log.read, 2)
      }).pipe(
        Effect.provide(
          Layer.provide(
            Narrator.layer(Narrator.tell(narration)),
            Layer.merge(
              EventLog.layerMemory,
              Layer.mock(ConfigReloader, { current: Effect.succeed({ ...plan, log: asked }) })
            )
          )
        )
      )
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line)),
        [
          {
            ts: "1970-01-01T00:00:00.000Z",
            event: "session.started",
            level: "info",
            ref: "x:y",
            agent: "default"
          }
        ]
      )
    })
  )

  it.effect("writes heed's own messages in the same form, without what a terminal obeys", () =>
    Effect.gen(function* () {
      const pretty = written({})
      yield* Effect.logWarning("a \u001b[31mthing").pipe(
        Effect.provide(Narrator.layerLogger(pretty.narration))
      )
      assert.match(pretty.lines.join("\n"), /^\d\d:\d\d:\d\d {2}a thing$/u)
      const json = written({ json: true, level: "error" })
      yield* Effect.logWarning("quiet").pipe(Effect.provide(Narrator.layerLogger(json.narration)))
      yield* Effect.logError("loud").pipe(Effect.provide(Narrator.layerLogger(json.narration)))
      assert.match(json.lines.join("\n"), /^\{"ts":"1970-[^"]+","level":"error","message":"loud"\}$/u)
    })
  )
})

describe("Lines", () => {
  const page = { columns: 60, colour: false }

  it("what happened is said whole, with its date, in one line where that has no end", () => {
    const pipe = { columns: Number.POSITIVE_INFINITY, colour: false }
    assert.strictEqual(
      Lines.line(pipe, { ...said, title: "x".repeat(200) }),
      `${said.ts.slice(0, 19)}Z  session.started         acme/app#12  agent=default  title=${"x".repeat(200)}`
    )
    for (const line of Lines.line(page, { ...said, title: "x".repeat(200) }).split("\n"))
      assert.isAtMost(line.length, 60)
  })

  it("while heed runs, an event is a sentence, and one that others tell is left out", () => {
    const told = (event: LogLine) => Lines.told({ columns: 80, colour: false }, event)?.slice(10)
    assert.strictEqual(told(said), "acme/app#12  default's session has begun")
    assert.strictEqual(
      told({
        ...said,
        event: "dispatch.started",
        kind: "words",
        members: ["issue_comment/1", "issue_comment/2"]
      }),
      "acme/app#12  default has 2 comments and is at work"
    )
    const adopted = { ...said, event: "session.adopted" } as const
    const members = ["issue_comment/1"]
    assert.include(told({ ...adopted, kind: "words", members }), "still at work on 1 comment")
    assert.include(told({ ...adopted, session: "s" }), "default's session is still open: adopted")
    assert.include(
      told({ ...said, event: "session.died", level: "warn", why: "it left" }),
      "default has left its session: it left"
    )
    assert.strictEqual(told({ ...said, event: "poll.cycle", errors: 0 }), undefined)
    assert.include(told({ ...said, event: "poll.cycle", items: 3, errors: 1 }), "of 3 items had 1 failure")
    const problems = [{ path: "sources[0].lable", line: 2, message: "unknown key" }]
    assert.strictEqual(
      Lines.told({ columns: 200, colour: false }, { ...said, event: "config.rejected", problems })?.slice(23),
      "the configuration is rejected, the former one stays in force: line 2: sources[0].lable: unknown key"
    )
  })

  it("what went wrong is said whole", () => {
    const why = "nothing listens at 127.0.0.1:9; check host and apiUrl, and whether a firewall is in between"
    const line = Lines.line(page, {
      ts: said.ts,
      event: "poll.source_failed",
      level: "error",
      source: "github",
      why
    })
    assert.include(line.replaceAll(/\s+/gu, " "), why)
    for (const part of line.split("\n")) assert.isAtMost(part.length, 60)
  })
})

describe("banner", () => {
  it.live("says what is watched, which agent, who may speak, where the state is, and warns", () =>
    Effect.gen(function* () {
      const path = yield* folder(
        "sources: [{ provider: github, repos: [a/b] }]\nagents: { default: { sink: process, command: [agent, -p] } }\n"
      )
      const { plan } = yield* load(`${path}/heed.yaml`, rooms)
      const lines = banner(
        { ...plan, state: { ...plan.state, root: "/srv/.heed" } },
        [{ source: "github", scopes: ["a/b"] }],
        { columns: 80, colour: false }
      )
      assert.deepStrictEqual(lines.slice(1, 4), [
        "watches  github: a/b",
        "agent    default: process, agent",
        "state    /srv/.heed"
      ])
      assert.match(lines[4] ?? "", /^WARNING {2}.*access/u)
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
