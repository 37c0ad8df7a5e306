/**
 * A life of one item, by chance: people write, edit and delete, the item changes, heed looks at it well or badly, runs
 * succeed, fail or get lost. After every step the record has to keep every promise of it.
 */
import { assert } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { apply, applyGone } from "../../src/domain/decide/apply.ts"
import { decide, decideGone } from "../../src/domain/decide/decide.ts"
import { isTrusted, type Situation } from "../../src/domain/decide/situation.ts"
import { controlCommand } from "../../src/domain/decide/command.ts"
import { retried, stopped } from "../../src/domain/decide/step.ts"
import { compareWords } from "../../src/domain/decide/words.ts"
import type { Decision } from "../../src/domain/Decision.ts"
import { type Comment, type Observation, wordKey, type WorkItem } from "../../src/domain/Item.ts"
import type { OnUnlabel, Policy } from "../../src/domain/Policy.ts"
import * as Queue from "../../src/domain/queue.ts"
import { ItemRecord, startKey } from "../../src/domain/Record.ts"
import { alice, at, heed, item, mallory, plan, policy, robot, situation, word } from "./story.ts"

const streams = ["issue_comment", "review", "review_comment"] as const

const bodies = {
  text: "look here",
  empty: " \n",
  start: "/heed start",
  "start with words": "/heed start\nand look",
  stop: "/heed stop",
  pause: "/heed pause",
  resume: "/heed resume",
  "resume with words": "/heed resume now",
  retry: "/heed retry",
  status: "/heed status"
}
const authors = { alice, mallory, robot, heed, ghost: "ghost" as const }

const Write = Schema.Struct({
  do: Schema.Literal("write"),
  by: Schema.Literals(["alice", "alice", "alice", "mallory", "robot", "heed", "ghost"]),
  what: Schema.Literals([
    "text",
    "text",
    "text",
    "text",
    "empty",
    "start",
    "start with words",
    "stop",
    "pause",
    "resume",
    "resume with words",
    "retry",
    "status"
  ]),
  stream: Schema.Literals(streams),
  /** It is written within the same second as the word before it. */
  sameSecond: Schema.Boolean
})

const Look = Schema.Struct({
  do: Schema.Literal("look"),
  listed: Schema.Literals(["listed", "listed", "listed", "absent", "unknown"]),
  /** Only what is new since the streams were last read. */
  recent: Schema.Boolean,
  /** A stream that fails half-way, if any. */
  broken: Schema.Literals(["none", "none", "none", ...streams]),
  reversed: Schema.Boolean,
  hold: Schema.Boolean
})

const Simple = Schema.Struct({
  do: Schema.Literals([
    "claim",
    "claim",
    "claim",
    "claim less",
    "succeed",
    "succeed",
    "fail",
    "fail",
    "put off",
    "withdraw",
    "lose",
    "close",
    "reopen",
    "reopen",
    "delete",
    "edit",
    "upgrade",
    "operator stops",
    "operator retries",
    "wait",
    "wait",
    "go"
  ])
})

/** One thing that happens. */
export const Happening = Schema.Union([Write, Look, Simple])
export type Happening = typeof Happening.Type

/** How the configuration may differ. */
export const Circumstances = Schema.Struct({
  requireStart: Schema.Boolean,
  coalesce: Schema.Boolean,
  openedBy: Schema.Literals(["alice", "mallory"]),
  perItemPerHour: Schema.Literals([1, 3, 1000]),
  onUnlabel: Schema.Literals(["keep", "stop"])
})
export type Circumstances = typeof Circumstances.Type

const agent = "default"

export class Life {
  record: ItemRecord | undefined
  /** The words whose hand-over, or whose start, was confirmed: what some agent has read. */
  readonly given = new Set<string>()
  private comments: ReadonlyArray<Comment> = []
  private readonly written = new Map<string, Comment>()
  /** Words that a look has brought. */
  private readonly brought = new Set<string>()
  private item: WorkItem
  private policy: Policy
  private readonly onUnlabel: OnUnlabel
  private seconds = 10
  private readonly ids: Record<string, number> = {}

  constructor(circumstances: Circumstances) {
    const { coalesce, onUnlabel, openedBy, perItemPerHour, requireStart } = circumstances
    this.onUnlabel = onUnlabel
    this.item = item({ author: authors[openedBy] })
    this.policy = policy({
      agents: { default: plan({ coalesce }) },
      control: { prefix: "/heed", requireStart },
      perItemPerHour,
      attempts: 2
    })
  }

  happens(happening: Happening): void {
    const before = this.record
    switch (happening.do) {
      case "write":
        this.write(happening)
        break
      case "look":
        this.look(happening)
        break
      default:
        this.simply(happening.do)
    }
    if (this.record !== undefined) this.holds(before, this.record, happening)
  }

  /** Looks at everything once more, undisturbed. */
  settle(): void {
    const whole = { listed: "listed", recent: false, broken: "none", reversed: false, hold: false } as const
    this.happens({ do: "look", ...whole })
    this.happens({ do: "look", ...whole })
  }

  private write({ by, sameSecond, stream, what }: typeof Write.Type): void {
    if (!sameSecond) this.seconds += 1
    this.ids[stream] = (this.ids[stream] ?? 8) + 1
    const comment = word(this.ids[stream], bodies[what], {
      by: authors[by],
      stream,
      createdAt: at(this.seconds),
      updatedAt: at(this.seconds)
    })
    this.comments = [...this.comments, comment]
    this.written.set(wordKey(comment), comment)
  }

  private look({ broken, hold, listed, recent, reversed }: typeof Look.Type): void {
    this.seconds += 1
    const readings: Record<string, Observation["streams"][string]> = {}
    const found = streams.flatMap((stream): ReadonlyArray<Comment> => {
      const since = recent ? this.record?.read[stream] : undefined
      readings[stream] = { complete: stream !== broken, ...(since === undefined ? {} : { since }) }
      const all = this.comments.filter(
        (comment) => comment.stream === stream && comment.updatedAt >= (since ?? "")
      )
      return stream === broken ? all.slice(0, Math.floor(all.length / 2)) : all
    })
    for (const comment of found) this.brought.add(wordKey(comment))
    const facts: Situation = {
      ...situation(this.record),
      observation: {
        item: this.item,
        at: at(this.seconds),
        comments: reversed ? found.reverse() : found,
        streams: readings
      },
      listed: this.item.state === "open" ? listed : "absent",
      hold: hold ? "counting" : undefined,
      onUnlabel: this.onUnlabel,
      policy: this.policy,
      now: at(this.seconds)
    }
    const decisions = decide(facts)
    for (const decision of decisions) this.isFounded(decision, facts)
    this.record = apply(facts, decisions)
    if (this.record === undefined) this.brought.clear()
    const again: Situation = { ...facts, record: this.record }
    assert.deepStrictEqual(
      decide(again).filter(({ _tag }) => _tag !== "Wait"),
      [],
      `decides nothing the second time, after ${JSON.stringify(decisions)}`
    )
    assert.strictEqual(apply(again, decide(again)), this.record, "writes nothing the second time")
  }

  /** Nothing ends, and nothing vanishes, on doubt. */
  private isFounded(decision: Decision, { listed, observation }: Situation): void {
    const mayEnd = observation.item.state !== "open" || (this.onUnlabel === "stop" && listed === "absent")
    if (decision._tag === "End") assert.isTrue(mayEnd)
    if (decision._tag !== "Settle" || decision.outcome !== "vanished") return
    const key = decision.key.slice(0, decision.key.indexOf("@"))
    assert.isFalse(this.comments.some((comment) => wordKey(comment) === key))
    const reading = observation.streams[key.slice(0, key.indexOf("/"))]
    assert.isTrue(reading?.complete === true && reading.since === undefined)
  }

  private simply(what: (typeof Simple.Type)["do"]): void {
    const now = at((this.seconds += 1))
    const record = this.record
    switch (what) {
      case "close":
        this.item = { ...this.item, state: "closed" }
        return
      case "reopen":
        this.item = { ...this.item, state: "open" }
        return
      case "delete":
        this.comments = this.comments.slice(0, -1)
        return
      case "edit":
        this.comments = this.comments.map((comment, index) =>
          index === 0 ? { ...comment, body: `${comment.body} (edited)`, updatedAt: now } : comment
        )
        return
      case "upgrade":
        this.policy = { ...this.policy, version: `1.${this.seconds}.0` }
        return
      case "wait":
        this.seconds += 1000
        return
      case "go":
        if (record !== undefined && this.item.state === "closed") {
          const judging = { policy: this.policy, now }
          this.record = applyGone(judging, record, "deleted", decideGone(record, "deleted"))
        }
        return
      case "operator stops":
        if (record !== undefined) this.record = stopped(record, agent, "stopped by hand", now)
        return
      case "operator retries":
        if (record !== undefined) this.record = retried(record, now)
        return
      case "claim":
      case "claim less":
        if (record !== undefined) this.record = this.claimed(record, what === "claim" ? Infinity : 1)
        return
      default:
        if (record?.sessions[agent]?.claim !== undefined) this.record = this.concluded(record, what)
    }
  }

  private claimed(record: ItemRecord, most: number): ItemRecord {
    const now = at(this.seconds)
    const next = Queue.next(record, agent, this.policy, now)
    if (Queue.floods(record, agent, this.policy, now)) {
      return Queue.flooded(record, this.policy, now, "too many")
    }
    if (next._tag !== "Ready") return record
    const { candidate } = next
    assert.deepStrictEqual([...candidate.members], record.waiting.slice(0, candidate.members.length))
    const fits = {
      members: Math.min(most, candidate.members.length),
      baseline: candidate.thread.slice(0, most).map(({ key }) => key)
    }
    const conversation = candidate.session.conversation ?? `conversation-${this.seconds}`
    return Queue.claimed(record, agent, Queue.claimOf(record, candidate, fits, conversation, now))
  }

  private concluded(
    record: ItemRecord,
    how: "succeed" | "fail" | "put off" | "withdraw" | "lose"
  ): ItemRecord {
    const now = at(this.seconds)
    switch (how) {
      case "succeed": {
        const claim = record.sessions[agent]?.claim
        for (const key of [...(claim?.members ?? []), ...(claim?.baseline ?? [])]) {
          if (key === startKey) continue
          assert.isFalse(this.given.has(key), `${key} is given twice`)
          this.given.add(key)
        }
        return Queue.succeeded(record, agent, now)
      }
      case "fail":
        return Queue.failed(record, agent, "exit 1", {
          policy: this.policy,
          now,
          giveUpText: ({ key }) => key
        })
      case "put off":
        return Queue.putOff(record, agent, at(this.seconds + 60))
      case "withdraw":
        return Queue.withdrawn(record, agent)
      case "lose":
        return Queue.conversationLost(record, agent)
    }
  }

  /** What has to be true of a record at any time, and of every step it takes. */
  private holds(before: ItemRecord | undefined, record: ItemRecord, happening: Happening): void {
    assert.isTrue(Schema.is(ItemRecord)(record), "is a record")
    this.wordsAreSomewhereOnce(record)
    this.queueIsInOrder(record)
    const session = record.sessions[agent]
    const starts = record.waiting.filter(({ key }) => key === startKey).length
    if (session?.state === "wanted") assert.strictEqual(starts, 1, "a wanted session has its start")
    else if (starts > 0) assert.strictEqual(session?.state, "ending")
    assert.strictEqual(session?.state === "ending", session?.endBy !== undefined)
    if (session?.state === "ending") assert.isDefined(session.claim, "an ending session has a run at work")
    if (session?.state === "ended" || session?.state === "blocked") assert.isUndefined(session.claim)
    if (record.edge !== undefined) {
      assert.strictEqual(record.state, "open")
      assert.notInclude(["wanted", "live", "blocked"], session?.state)
    }
    const owes = record.state !== "deleted" && record.notices.some(({ posted }) => posted === undefined)
    if (owes) assert.isDefined(record.look, "a comment that is owed is unfinished business")
    if (before !== undefined) this.stepIsFair(before, record, happening)
  }

  private wordsAreSomewhereOnce(record: ItemRecord): void {
    for (const key of this.brought) {
      const comment = this.written.get(key)
      const [whatever, outcome] = [record.seen[key], record.seen[`${key}@${agent}`]]
      const waits = record.waiting.filter((entry) => entry.key === key).length
      // A command settles by itself, and the rest of its text goes on like any comment.
      const commands = comment !== undefined && controlCommand(comment.body, "/heed") !== undefined
      const places = waits + Number(outcome !== undefined) + Number(whatever !== undefined && !commands)
      assert.isAtMost(places, 1, `${key} is in two places`)
      const exists = record.state !== "deleted" && this.comments.some((other) => wordKey(other) === key)
      if (exists && places === 0 && whatever === undefined) assert.isDefined(record.look, `${key} is lost`)
      if (this.given.has(key)) assert.include(["handed over", "baseline"], outcome, `${key} was given`)
      else assert.notInclude(["handed over", "baseline"], outcome, `${key} was not given`)
      if (comment !== undefined && isTrusted(this.policy, "github", comment.author)) continue
      assert.strictEqual(waits, 0, `${key} is a stranger's`)
      assert.isUndefined(outcome)
    }
  }

  private queueIsInOrder(record: ItemRecord): void {
    const words = record.waiting.filter(({ key }) => key !== startKey)
    const prompt = words.filter(({ late }) => late === undefined)
    assert.deepStrictEqual(prompt, [...prompt].sort(compareWords))
    assert.deepStrictEqual(words.slice(0, prompt.length), prompt, "what is late goes last")
    for (const { attempts } of record.waiting) assert.isTrue(attempts >= 0 && attempts < this.policy.attempts)
  }

  private stepIsFair(before: ItemRecord, record: ItemRecord, happening: Happening): void {
    const [was, is] = [before.sessions[agent], record.sessions[agent]]
    assert.isAtLeast(is?.generation ?? 0, was?.generation ?? 0)
    if (was?.generation === is?.generation) assert.isAtLeast(is?.tries ?? 0, was?.tries ?? 0)
    else
      assert.include(
        [undefined, "ended"],
        was?.claim === undefined ? "ended" : was.state,
        "begins beside a run"
      )
    if (happening.do === "fail") return
    for (const { attempts, key } of record.waiting) {
      const earlier = before.waiting.find((entry) => entry.key === key)
      assert.isAtMost(attempts, earlier?.attempts ?? 0, `${happening.do} spends no attempt`)
    }
  }
}
