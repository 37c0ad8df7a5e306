/** Control commands: they act when decided, once, ahead of the queue. */
import { assert, describe, it } from "@effect/vitest"
import { controlCommand, slashCommand } from "../../../src/domain/decide/command.ts"
import { accepted } from "../../../src/domain/decide/step.ts"
import * as Queue from "../../../src/domain/queue.ts"
import {
  after,
  at,
  claim,
  fail,
  generationOf,
  live,
  looked,
  mallory,
  policy,
  stateOf,
  succeed,
  waitingKeys,
  word
} from "../story.ts"

describe("the commands of a thread at first sight", () => {
  it("start and then stop: nothing starts", () => {
    const record = after(undefined, { comments: [word(1, "/heed start"), word(2, "/heed stop")] })
    assert.strictEqual(stateOf(record), undefined)
    assert.strictEqual(record.edge, undefined)
  })

  it("stop and then start: it starts, and what was written before the stop is still its thread", () => {
    const record = after(undefined, {
      comments: [word(1, "first"), word(2, "/heed stop"), word(3, "then"), word(4, "/heed start")]
    })
    assert.deepStrictEqual(waitingKeys(record), ["start", "issue_comment/1", "issue_comment/3"])
    assert.strictEqual(record.seen["issue_comment/2"], "command")
    assert.strictEqual(record.seen["issue_comment/4"], "command")
  })

  it("pause and then resume: it is not paused; the other way round it is", () => {
    const pauses = after(undefined, { comments: [word(1, "/heed pause"), word(2, "/heed resume")] })
    assert.strictEqual(pauses.paused, undefined)
    const resumes = after(undefined, { comments: [word(1, "/heed resume"), word(2, "/heed pause")] })
    assert.isDefined(resumes.paused)
    assert.strictEqual(stateOf(resumes), "wanted")
  })

  it("a stop settles what was written before it, and leaves what came after it to a later start", () => {
    const comments = [word(1, "before"), word(2, "/heed stop"), word(3, "after")]
    const record = after(undefined, { comments })
    assert.strictEqual(stateOf(record), undefined)
    assert.match(record.seen["issue_comment/1@default"] ?? "", /^settled: /u)
    assert.deepStrictEqual(waitingKeys(record), ["issue_comment/3"])
    const started = after(record, { comments: [...comments, word(4, "/heed start")] })
    assert.deepStrictEqual(waitingKeys(started), ["start", "issue_comment/3"])
  })

  it("only the last of many acts, and all of them are resolved", () => {
    const said = ["stop", "start", "pause", "stop", "resume", "start", "pause", "start"]
    const comments = said.map((command, index) => word(index + 1, `/heed ${command}`))
    const { decisions, record } = looked(undefined, { comments })
    assert.deepStrictEqual(
      decisions.flatMap((decision) => (decision._tag === "Obey" ? [decision.word] : [])),
      ["issue_comment/7", "issue_comment/8"]
    )
    assert.isDefined(record?.paused)
    assert.deepStrictEqual(
      Object.values(record?.seen ?? {}),
      said.map(() => "command")
    )
  })

  it("counts no stranger's", () => {
    const comments = [word(1, "/heed start"), word(2, "/heed stop", { by: mallory })]
    assert.strictEqual(stateOf(after(undefined, { comments })), "wanted")
  })
})

describe("arming", () => {
  const start = [word(1, "/heed start")]

  it("acts now or never: a start while the session lives arms nothing for later", () => {
    const record = after(live(), { comments: start })
    assert.strictEqual(record.seen["issue_comment/1"], "command")
    assert.isUndefined(record.edge)
    const stopped = after(record, { comments: [...start, word(2, "/heed stop")] })
    assert.strictEqual(generationOf(after(stopped, { comments: [...start, word(2, "/heed stop")] })), 1)
  })

  it("a start on a closed item is settled, and starts nothing when that is reopened by the tracker alone", () => {
    const closed = { item: { state: "closed" as const, author: mallory } }
    const record = after(after(live(), closed), { ...closed, comments: start })
    assert.strictEqual(record.seen["issue_comment/1"], "settled: the item is closed")
    const reopened = after(record, { comments: start, item: { author: mallory } })
    assert.strictEqual(generationOf(reopened), 1)
  })

  it("a resume before there is a pause lets no later one go", () => {
    const comments = [word(1, "/heed resume")]
    const record = after(live(), { comments })
    assert.isDefined(after(record, { comments: [...comments, word(2, "/heed pause")] }).paused)
  })
})

describe("disarming", () => {
  it("is recorded on an item that never started: a stop stays, and a held backlog does not start it", () => {
    const held = { ...after(undefined, { hold: "counting" }), held: true as const }
    const record = after(held, { comments: [word(1, "/heed stop")] })
    assert.strictEqual(record.edge, undefined)
    const told = accepted(record, "default", "start")
    assert.strictEqual(stateOf(after(told, { comments: [word(1, "/heed stop")] })), undefined)
  })

  it("is recorded on a closed item: reopened, the next session is held", () => {
    const comments = [word(1, "/heed pause and think")]
    const closed = after(after(live(), { item: { state: "closed" } }), {
      comments,
      item: { state: "closed" }
    })
    assert.isDefined(closed.paused)
    assert.strictEqual(closed.seen["issue_comment/1@default"], "settled: the item is closed")
    const reopened = after(closed, { comments })
    assert.deepStrictEqual(waitingKeys(reopened), ["start"])
    assert.strictEqual(Queue.next(reopened, "default", policy(), at(2000))._tag, "Held")
  })

  it("is taken back on a closed item too, in the same look or a later one: reopened, the next session goes", () => {
    const comments = [word(1, "/heed pause"), word(2, "/heed resume")]
    const item = { state: "closed" } as const
    const ended = after(live(), { item })
    const looks = [
      after(ended, { comments, item }),
      after(after(ended, { comments: comments.slice(0, 1), item }), { comments, item })
    ]
    for (const closed of looks) {
      assert.isUndefined(closed.paused)
      const reopened = after(closed, { comments })
      assert.strictEqual(Queue.next(reopened, "default", policy(), at(2000))._tag, "Ready")
    }
  })
})

describe("ahead of the queue", () => {
  it("a pause holds words that were written before it and are not claimed yet", () => {
    const record = after(live(), { comments: [word(1, "work"), word(2, "/heed pause")] })
    assert.deepStrictEqual(waitingKeys(record), ["issue_comment/1"])
    assert.strictEqual(Queue.next(record, "default", policy(), at(2000))._tag, "Held")
  })

  it("a pause lets a claimed hand-over finish, and holds what comes after it", () => {
    const atWork = claim(after(live(), { comments: [word(1, "work")] }))
    const comments = [word(1, "work"), word(2, "/heed pause"), word(3, "more")]
    const paused = after(atWork, { comments })
    assert.isDefined(paused.sessions["default"]?.claim)
    const done = succeed(paused)
    assert.strictEqual(done.seen["issue_comment/1@default"], "handed over")
    assert.strictEqual(Queue.next(done, "default", policy(), at(3000))._tag, "Held")
  })
})

describe("/heed stop", () => {
  const stop = [word(1, "go on"), word(2, "/heed stop")]

  it("settles what waits and ends the session", () => {
    const record = after(after(live(), { comments: stop.slice(0, 1) }), { comments: stop })
    assert.strictEqual(stateOf(record), "ended")
    assert.deepStrictEqual(record.waiting, [])
    assert.match(record.seen["issue_comment/1@default"] ?? "", /^settled: /u)
  })

  it("lets a claimed hand-over finish", () => {
    const atWork = claim(after(live(), { comments: stop.slice(0, 1) }))
    const record = after(atWork, { comments: stop })
    assert.strictEqual(stateOf(record), "ending")
    assert.deepStrictEqual(waitingKeys(record), ["issue_comment/1"])
    const done = succeed(record)
    assert.strictEqual(stateOf(done), "ended")
    assert.strictEqual(done.seen["issue_comment/1@default"], "handed over")
  })

  it("and then start, in one look: the next generation begins", () => {
    const record = after(live(), { comments: [...stop, word(3, "/heed start")] })
    assert.strictEqual(stateOf(record), "wanted")
    assert.strictEqual(generationOf(record), 2)
    assert.deepStrictEqual(waitingKeys(record), ["start"])
  })

  it("and then start, while a run is at work: the next generation begins once that is gone", () => {
    const atWork = claim(after(live(), { comments: stop.slice(0, 1) }))
    const comments = [...stop, word(3, "/heed start")]
    const ending = after(atWork, { comments })
    assert.strictEqual(stateOf(ending), "ending")
    const later = after(ending, { comments, item: { author: mallory } })
    assert.isDefined(later.look)
    const next = after(fail(later), { comments, item: { author: mallory } })
    assert.strictEqual(stateOf(next), "wanted")
    assert.strictEqual(generationOf(next), 2)
    assert.strictEqual(next.edge, undefined)
  })

  it("takes back a start that was commanded while a run is at work", () => {
    const atWork = claim(after(live(), { comments: stop.slice(0, 1) }))
    const started = [...stop, word(3, "/heed start")]
    const stopped = [...started, word(4, "/heed stop")]
    const ending = after(after(atWork, { comments: started }), { comments: stopped })
    assert.strictEqual(ending.edge, undefined)
    assert.strictEqual(generationOf(after(succeed(ending), { comments: stopped })), 1)
  })

  it("and then start, on a blocked item: the next generation begins", () => {
    let record = after(undefined)
    for (const now of [at(3000), at(4000), at(5000)]) record = fail(claim(record, now), now)
    assert.strictEqual(stateOf(record), "blocked")
    const next = after(record, { comments: [word(2, "/heed stop"), word(3, "/heed start")] })
    assert.strictEqual(stateOf(next), "wanted")
    assert.strictEqual(generationOf(next), 2)
  })

  it("is not executed a second time (traps P.28)", () => {
    const comments = [word(1, "/heed stop"), word(2, "/heed start")]
    const record = after(live(), { comments })
    assert.strictEqual(looked(record, { comments }).record, record)
  })
})

describe("/heed pause and resume", () => {
  it("hold what waits, and let it go", () => {
    const comments = [word(1, "/heed pause"), word(2, "work")]
    const paused = after(live(), { comments })
    assert.strictEqual(Queue.next(paused, "default", policy(), at(2000))._tag, "Held")
    const resumed = after(paused, { comments: [...comments, word(3, "/heed resume")] })
    assert.strictEqual(Queue.next(resumed, "default", policy(), at(2000))._tag, "Ready")
  })
})

describe("/heed retry", () => {
  const before = [word(1, "old"), word(2, "from a stranger", { by: mallory })]
  const retry = word(3, "/heed retry")
  const welcome = policy({ trusted: { github: new Set(["alice", "mallory"]) } })

  it("judges again what was settled, in the look that reads all of it", () => {
    const record = live({ comments: before })
    assert.deepStrictEqual(looked(record, { comments: before, policy: welcome }).decisions, [])
    const comments = [...before, retry]
    const again = after(record, { comments, policy: welcome })
    assert.deepStrictEqual(waitingKeys(again), ["issue_comment/2"])
    assert.strictEqual(again.look, undefined)
    assert.strictEqual(looked(again, { comments, policy: welcome }).record, again)
  })

  it("asks for another look when the one that read it did not go back far enough", () => {
    const record = live({ comments: before })
    const recent = { streams: { issue_comment: { complete: true, since: at(990) } } }
    const asked = after(record, { comments: [retry], policy: welcome, seen: recent })
    assert.isDefined(asked.look)
    const since = asked.read["issue_comment"]
    assert.isTrue(since !== undefined && since <= at(2))
    const again = after(asked, { comments: [...before, retry], policy: welcome })
    assert.deepStrictEqual(waitingKeys(again), ["issue_comment/2"])
    assert.strictEqual(again.look, undefined)
  })

  it("judges once what another retry, itself settled, had asked for", () => {
    const closed = [word(1, "while closed", { by: mallory }), word(2, "/heed retry")]
    const ended = after(after(live(), { item: { state: "closed" } }), {
      comments: closed,
      item: { state: "closed" }
    })
    const comments = [...closed, retry]
    const again = after(ended, { comments })
    assert.strictEqual(again.seen["issue_comment/2"], "command")
    assert.strictEqual(looked(again, { comments }).record, again)
  })

  it("judges a refused start again", () => {
    const stranger = { item: { author: mallory } }
    const refused = after(undefined, stranger)
    assert.strictEqual(stateOf(refused), undefined)
    const again = after(refused, { ...stranger, comments: [retry], policy: welcome })
    assert.strictEqual(stateOf(again), "wanted")
  })

  it("starts nothing while the label is off", () => {
    const stranger = { item: { author: mallory } }
    const refused = after(undefined, stranger)
    const without = { ...stranger, listed: "absent" as const, policy: welcome }
    const again = after(refused, { ...without, comments: [retry] })
    assert.strictEqual(stateOf(again), undefined)
    assert.strictEqual(stateOf(after(again, { ...stranger, comments: [retry], policy: welcome })), "wanted")
  })

  it("has what was put off go at once, with the attempts that it spent", () => {
    const record = fail(claim(after(live(), { comments: [word(1, "bad")] })), at(3000))
    assert.strictEqual(Queue.next(record, "default", policy(), at(3001))._tag, "Held")
    const again = after(record, { comments: [word(1, "bad"), retry] })
    assert.strictEqual(Queue.next(again, "default", policy(), at(3001))._tag, "Ready")
    assert.strictEqual(again.waiting[0]?.attempts, 1)
  })

  it("does not doubt a run at work: that is known by its end", () => {
    const atWork = claim(after(live(), { comments: [word(1, "work")] }))
    const record = after(atWork, { comments: [word(1, "work"), word(2, "/heed retry")] })
    assert.deepStrictEqual(record.sessions["default"]?.claim, atWork.sessions["default"]?.claim)
  })

  it("re-arms what was given up, late and with all attempts", () => {
    let record = after(live(), { comments: [word(1, "bad")] })
    for (const now of [at(3000), at(4000), at(5000)]) record = fail(claim(record, now), now)
    assert.strictEqual(record.seen["issue_comment/1@default"], "gave up")
    const again = after(record, { comments: [word(1, "bad"), word(2, "fine"), retry] })
    assert.deepStrictEqual(
      again.waiting.map(({ attempts, key, late }) => [key, attempts, late]),
      [
        ["issue_comment/2", 0, undefined],
        ["issue_comment/1", 0, true]
      ]
    )
    assert.strictEqual(again.seen["issue_comment/1@default"], undefined)
  })
})

describe("a command's text", () => {
  it("goes on like any comment, and only the command is the command's", () => {
    const record = after(live(), { comments: [word(1, "/heed resume\nand look at the tests")] })
    assert.deepStrictEqual(waitingKeys(record), ["issue_comment/1"])
    assert.strictEqual(record.seen["issue_comment/1"], "command")
    assert.strictEqual(succeed(claim(record)).seen["issue_comment/1@default"], "handed over")
  })

  it("is no news where its stream could not be read when it was written; the command is carried out all the same", () => {
    const old = word(1, "/heed pause\nand look at the tests", { stream: "review_comment" })
    const record = after(live(), {
      comments: [old],
      seen: { streams: { issue_comment: { complete: true }, review_comment: { complete: true } } }
    })
    assert.isDefined(record.paused)
    assert.deepStrictEqual(waitingKeys(record), [])
    assert.strictEqual(record.seen["review_comment/1@default"], "baseline")
  })

  it("is read from the first word of the first line", () => {
    assert.deepStrictEqual(controlCommand("/heed stop", "/heed"), { word: "stop", rest: "" })
    assert.deepStrictEqual(controlCommand("/HEED Stop", "/heed"), { word: "stop", rest: "" })
    assert.deepStrictEqual(controlCommand("/heed start now\n\nplease", "/heed"), {
      word: "start",
      rest: "now\nplease"
    })
    for (const other of [
      "please /heed stop",
      "\n/heed stop",
      "/heed",
      "/heed stopp",
      "/heedstop",
      "> /heed stop"
    ])
      assert.strictEqual(controlCommand(other, "/heed"), undefined, other)
    assert.deepStrictEqual(slashCommand("/triage high  \nmore"), { command: "/triage", instruction: "high" })
    assert.strictEqual(slashCommand("triage /high"), undefined)
  })
})

describe("a word to heed that is no command", () => {
  it.each(["/heed puase", "/heed", "/HEED please stop"])(
    "%s is refused, and never goes to the agent",
    (body) => {
      const { decisions, record } = looked(live(), { comments: [word(1, body)] })
      assert.deepInclude(decisions[0], { _tag: "Refuse", word: "issue_comment/1" })
      assert.deepStrictEqual(record && waitingKeys(record), [])
    }
  )

  it("is a comment like any other where it speaks to somebody else", () => {
    const { record } = looked(live(), { comments: [word(1, "/heedless start")] })
    assert.deepStrictEqual(record && waitingKeys(record), ["issue_comment/1"])
  })
})
