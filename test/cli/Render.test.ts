import { assert, describe, it } from "@effect/vitest"
import * as Lines from "../../src/cli/Lines.ts"
import * as Render from "../../src/cli/Render.ts"
import { width } from "../../src/cli/Text.ts"
import type { Status } from "../../src/control/Protocol.ts"
import type { Explanation, SessionLine } from "../../src/engine/Inspector.ts"

const now = Date.parse("2026-11-30T12:00:00.000Z")
const page: Render.Page = { columns: 80, colour: false, now }

const session: SessionLine = {
  ref: "github:github.com/acme/app#12",
  url: "https://github.com/acme/app/issues/12",
  title: "Fix the door",
  agent: "default",
  generation: 1,
  session: "11111111-2222-5333-8444-555555555555",
  state: "live",
  why: "its start was confirmed",
  since: "2026-11-30T11:00:00.000Z",
  working: false,
  open: false,
  waiting: 0
}

const status: Status = {
  version: 1,
  running: true,
  from: "daemon",
  root: "/srv/heed/.heed",
  pid: 4711,
  role: "daemon",
  beat: {
    version: 1,
    pid: 4711,
    heed: "0.1.0",
    at: "2026-11-30T11:59:30.000Z",
    startedAt: "2026-11-30T09:00:00.000Z",
    cycles: 180,
    idleCycles: 175,
    lastCycle: {
      at: "2026-11-30T11:59:30.000Z",
      ms: 212.4,
      items: 40,
      changed: 0,
      requests: 3,
      notModified: 2,
      errors: 1,
      interrupted: false
    },
    sources: [
      {
        source: "github",
        scope: "acme/app",
        state: "ok",
        okAt: "2026-11-30T11:59:30.000Z",
        failures: 0,
        items: 40
      },
      {
        source: "github",
        scope: "acme/gone",
        state: "Missing",
        message: "there is no repository acme/gone, or this token may not see it",
        failures: 3,
        nextAt: "2026-11-30T12:04:00.000Z",
        items: 0
      }
    ],
    warnings: ["nobody is listened to: access.users is empty"]
  },
  sessions: [
    session,
    {
      ...session,
      ref: "github:github.com/acme/app#7",
      working: true,
      waiting: 2,
      waitingFor: "the run at work"
    }
  ],
  warnings: []
}

/** Escapes and controls that must not reach a terminal, in every text that others may write. */
const hostile = "\u001b]0;own\u0007\u001b[2J日本語の長い長い題名👨‍👩‍👧‍👦 \u202egnp.exe \r\n\u0000".repeat(8)
const hostileSession: SessionLine = {
  ...session,
  ref: `github:github.com/${"長".repeat(60)}#1`,
  title: hostile,
  agent: hostile,
  state: hostile,
  why: hostile,
  waiting: 3,
  waitingFor: hostile
}
const hostileExplanation: Explanation = {
  ref: hostileSession.ref,
  url: `https://x/${"y".repeat(200)}`,
  title: hostile,
  state: hostile,
  seen: hostile,
  look: hostile,
  frozen: hostile,
  paused: hostile,
  sessions: [hostileSession],
  words: [{ key: hostile, outcome: hostile, at: "2026-11-30T11:00:00.000Z", detail: hostile }],
  next: [{ decision: hostile, detail: hostile, reason: hostile }]
}

describe("Render", () => {
  it("shows a running heed", () =>
    assert.strictEqual(
      Render.status(page, status),
      `heed is running, pid 4711, up 3h
  state  /srv/heed/.heed
  cycle  30s ago, 212 ms, 40 items, 3 requests (2 not modified), 1 error
  cycles 180, of which 175 idle

WARNINGS
! nobody is listened to: access.users is empty

SOURCES
  github acme/app   ok       40 items  30s ago
  github acme/gone  Missing  0 items   3 failures in a row, asked again in 4m
    there is no repository acme/gone, or this token may not see it

SESSIONS
  ITEM         AGENT    STATE          WAITS  WHY
  acme/app#12  default  live           -      its start was confirmed
  acme/app#7   default  live, working  2      the run at work`
    ))

  it("says what was given up, and how it is tried again", () => {
    const given = { ...session, state: "blocked", gaveUp: ["start", "issue_comment/9"] }
    assert.match(
      Render.status(page, { ...status, sessions: [given] }),
      /\n\nGIVEN UP\n {2}acme\/app#12, default: its start, issue_comment\/9\n {4}heed retry acme\/app#12$/u
    )
    assert.notInclude(Render.status(page, status), "GIVEN UP")
  })

  it("shows a heed that does not run, and one that does not answer", () => {
    const { beat: _beat, pid: _pid, role: _role, ...rest } = status
    assert.strictEqual(
      Render.status(page, { ...rest, running: false, from: "disk", sessions: [] }),
      `heed is not running
  state  /srv/heed/.heed

SESSIONS
  no sessions`
    )
    assert.match(
      Render.status(page, { ...rest, pid: 4711, role: "daemon", from: "disk" }),
      /^heed is running, pid 4711, does not answer\n/u
    )
    assert.match(
      Render.status(page, { ...rest, pid: 1, role: "command", from: "disk" }),
      /^heed is busy \(command\), pid 1\n/u
    )
  })

  it("shows a dry run with its reasons", () =>
    assert.strictEqual(
      Render.plan(page, {
        items: [
          {
            ref: "github:github.com/acme/app#12",
            url: "https://github.com/acme/app/issues/12",
            title: "Fix the door",
            steps: [{ decision: "Begin", detail: "default, generation 1", reason: "alice put the label on" }]
          },
          { ref: "github:github.com/acme/app#13", url: "https://x", title: "Quiet", steps: [] }
        ],
        failures: [{ source: "github", scope: "acme/web", message: "the network is down" }]
      }),
      `! github acme/web: the network is down

acme/app#12 Fix the door
  https://github.com/acme/app/issues/12
  → Begin: default, generation 1
    because alice put the label on

1 item would be acted on, 1 left as they are; nothing was written`
    ))

  it("explains an item", () =>
    assert.strictEqual(
      Render.explain(page, {
        ref: "github:github.com/acme/app#12",
        url: "https://github.com/acme/app/issues/12",
        title: "Fix the door",
        state: "open",
        seen: "on disk, and at the tracker just now",
        sessions: [session],
        words: [
          { key: "issue_comment/1", outcome: "baseline", at: "2026-11-30T10:00:00.000Z" },
          { key: "issue_comment/22", by: "mallory", outcome: "settled: nobody who is listened to wrote it" },
          { key: "issue_comment/23", outcome: "gave up", detail: "its command was not found" }
        ],
        next: []
      }),
      `acme/app#12 Fix the door
  https://github.com/acme/app/issues/12
  open, seen on disk, and at the tracker just now

SESSIONS
  default (generation 1): live, since 2026-11-30T11:00:00.000Z; its start was
    confirmed
    11111111-2222-5333-8444-555555555555

WORDS
  issue_comment/1   2026-11-30T10:00:00.000Z           baseline
  issue_comment/22                            mallory
      settled: nobody who is listened to wrote it
  issue_comment/23
      gave up: its command was not found

NEXT
  what was given up is tried again by "heed retry acme/app#12"`
    ))

  it.each([
    [
      "status",
      Render.status(page, { ...status, root: hostile, warnings: [hostile], sessions: [hostileSession] })
    ],
    ["sessions", Render.sessions(page, [session, hostileSession])],
    ["explain", Render.explain(page, hostileExplanation)],
    [
      "plan",
      Render.plan(page, {
        items: [
          { ref: hostileSession.ref, url: "https://x", title: hostile, steps: hostileExplanation.next }
        ],
        failures: [{ source: hostile, scope: hostile, message: hostile }]
      })
    ],
    [
      "events",
      Lines.line(page, {
        ts: "2026-11-30T10:00:00.000Z",
        event: "poll.item_failed",
        level: "warn",
        ref: hostileSession.ref,
        message: hostile,
        title: hostile
      })
    ]
  ])("%s: no line over 80 columns, and nothing that a terminal obeys (G5.2)", (_name, text) => {
    for (const line of text.split("\n")) assert.isAtMost(width(line), 80, line)
    assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  })

  it("colours only where the page has colours", () => {
    assert.include(Render.status({ ...page, colour: true }, status), "\u001b[32mheed is running")
    assert.notInclude(Render.status(page, status), "\u001b")
  })

  it("finds events by glob", () => {
    const names = ["poll.cycle", "poll.item_failed", "session.started"]
    const found = (glob: string) => names.filter(Lines.glob(glob))
    assert.deepStrictEqual(found("poll.*"), ["poll.cycle", "poll.item_failed"])
    assert.deepStrictEqual(found("*ed"), ["poll.item_failed", "session.started"])
    assert.deepStrictEqual(found("poll?cycle"), ["poll.cycle"])
    assert.deepStrictEqual(found("poll"), [])
    assert.deepStrictEqual(found("poll[.]cycle"), [])
  })
})
