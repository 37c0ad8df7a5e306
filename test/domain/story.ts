/** An item, its people, its words and the looks at them: what the tests of deciding are told in. */
import type { AgentPlan } from "../../src/domain/Agent.ts"
import { apply } from "../../src/domain/decide/apply.ts"
import { decide } from "../../src/domain/decide/decide.ts"
import type { Situation } from "../../src/domain/decide/situation.ts"
import type { Decision } from "../../src/domain/Decision.ts"
import {
  type Actor,
  type Comment,
  instant,
  type Instant,
  type Observation,
  type WorkItem
} from "../../src/domain/Item.ts"
import type { Policy } from "../../src/domain/Policy.ts"
import * as Queue from "../../src/domain/queue.ts"
import type { ItemRecord } from "../../src/domain/Record.ts"
import { Identity, Ref } from "../../src/domain/Ref.ts"

/** The moment so many seconds into the story. */
export const at = (seconds: number): Instant => instant(Date.UTC(2026, 10, 30, 12) + seconds * 1000)

const actor = (login: string, kind: Actor["kind"] = "human"): Actor => ({
  id: `id-of-${login}`,
  login,
  principal: login.toLowerCase(),
  kind
})

/** Alice is trusted; Mallory is not; the robot bears a trusted name; heed speaks as the last one. */
export const alice = actor("Alice")
export const mallory = actor("mallory")
export const robot = actor("alice", "bot")
export const heed = actor("heed-speaker")

export const plan = (change: Partial<AgentPlan> = {}): AgentPlan => ({
  sink: "process",
  command: ["agent"],
  cwd: "/work",
  env: {},
  passEnv: [],
  coalesce: true,
  timeout: 1000,
  endGrace: 60_000,
  ...change
})

export const policy = (change: Partial<Policy> = {}): Policy => ({
  version: "1.0.0",
  trusted: { github: new Set(["alice"]) },
  agent: "default",
  agents: { default: plan() },
  control: { prefix: "/heed", requireStart: false },
  attempts: 3,
  retryAfter: [60_000, 300_000],
  perItemPerHour: 30,
  isOwn: (_item, comment) => comment.author === heed,
  ...change
})

export const identity = Identity.make("github:github.com/R_1/I_12")

export const item = (change: Partial<WorkItem> = {}): WorkItem => ({
  ref: Ref.make("github:github.com/acme/app#12"),
  identity,
  space: "github github.com 1",
  tracker: "github",
  kind: "work_item",
  number: 12,
  url: "https://github.com/acme/app/issues/12",
  repo: "acme/app",
  title: "Lamps",
  body: "They flicker.",
  author: alice,
  state: "open",
  labels: ["agent"],
  createdAt: at(-3600),
  updatedAt: at(0),
  ...change
})

/** A comment, written as many seconds into the story as its id says, by Alice unless told. */
export const word = (
  id: number,
  body: string,
  change: Partial<Comment> & { readonly by?: Actor | "ghost" } = {}
): Comment => {
  const { by = alice, ...rest } = change
  return {
    stream: "issue_comment",
    id: String(id),
    body,
    createdAt: at(id),
    updatedAt: at(id),
    url: `https://github.com/acme/app/issues/12#${id}`,
    ...(by === "ghost" ? {} : { author: by }),
    ...rest
  }
}

export const observation = (
  comments: ReadonlyArray<Comment>,
  change: Partial<Observation> = {}
): Observation => ({
  item: item(),
  at: at(1000),
  comments,
  streams: { issue_comment: { complete: true } },
  ...change
})

/** A look at the item, and what may be special about it. */
export interface Look extends Partial<Omit<Situation, "observation" | "record">> {
  readonly comments?: ReadonlyArray<Comment>
  readonly item?: Partial<WorkItem>
  readonly seen?: Partial<Observation>
}

export const situation = (record: ItemRecord | undefined, look: Look = {}): Situation => {
  const { comments = [], item: change, seen, ...rest } = look
  return {
    record,
    observation: observation(comments, { item: item(change), ...seen }),
    listed: "listed",
    source: "github",
    scope: "acme/app",
    hold: undefined,
    onUnlabel: "keep",
    policy: policy(),
    now: at(1000),
    ...rest
  }
}

/** What one look decides, and the record after it. */
export const looked = (
  record: ItemRecord | undefined,
  look: Look = {}
): { readonly decisions: ReadonlyArray<Decision>; readonly record: ItemRecord | undefined } => {
  const now = situation(record, look)
  const decisions = decide(now)
  return { decisions, record: apply(now, decisions) }
}

/** The record after one look that must leave one. */
export const after = (record: ItemRecord | undefined, look: Look = {}): ItemRecord => {
  const next = looked(record, look).record
  if (next === undefined) throw new Error("the look left no record")
  return next
}

/** Claims what is next for the session. */
export const claim = (record: ItemRecord, now: Instant = at(2000), by: Policy = policy()): ItemRecord => {
  const next = Queue.next(record, "default", by, now)
  if (next._tag !== "Ready") throw new Error(`nothing to claim: ${JSON.stringify(next)}`)
  const { candidate } = next
  const fits = { members: candidate.members.length, baseline: candidate.thread.map(({ key }) => key) }
  return Queue.claimed(record, "default", Queue.claimOf(record, candidate, fits, "conversation", now))
}

export const succeed = (record: ItemRecord, now: Instant = at(2000)): ItemRecord =>
  Queue.succeeded(record, "default", now)

export const fail = (record: ItemRecord, now: Instant = at(2000), by: Policy = policy()): ItemRecord =>
  Queue.failed(record, "default", "exit 1", { policy: by, now, giveUpText: ({ key }) => key })

/** Claims and fails as often as the policy allows, with time enough in between. */
export const giveUp = (record: ItemRecord): ItemRecord => {
  let next = record
  for (let attempt = 0; attempt < policy().attempts; attempt += 1) {
    const now = at(3000 + attempt * 1000)
    next = fail(claim(next, now), now)
  }
  return next
}

/** A record whose session is live and has heard the comments given. */
export const live = (look: Look = {}): ItemRecord => succeed(claim(after(undefined, look)))

export const waitingKeys = (record: ItemRecord): ReadonlyArray<string> => record.waiting.map(({ key }) => key)

export const stateOf = (record: ItemRecord): string | undefined => record.sessions["default"]?.state
export const generationOf = (record: ItemRecord): number | undefined => record.sessions["default"]?.generation

/** The tags of what was decided. */
export const tags = (decisions: ReadonlyArray<Decision>): ReadonlyArray<string> =>
  decisions.map(({ _tag }) => _tag)
