/**
 * Observing: one look at an item: what it is, and the words on it in their three streams.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import {
  instant,
  millis,
  type Comment,
  type Instant,
  type Labelling,
  type Observation,
  type StreamReading,
  type WorkItem
} from "../../domain/Item.ts"
import type { AskError } from "../../net/AskError.ts"
import type { Answer } from "../../net/Exchange.ts"
import { SourceError, type Look, type Target } from "../Provider.ts"
import { Issue, IssueComment, IssueEvent, Pull, Review, ReviewComment } from "./Answers.ts"
import { decodeAnswer, decodeRows, mostPages, sourceError, walk } from "./Api.ts"
import { home, sameRepo, type GitHubContext } from "./Context.ts"
import {
  actorOf,
  issueComment,
  issueItem,
  pullItem,
  repoOfAddress,
  review,
  reviewComment,
  streams,
  when
} from "./Facts.ts"
import { labelSets } from "./Settings.ts"

/** `since` has whole seconds, an edge that may be either way, and replicas behind it; identity does the rest (traps B10). */
const overlap = 60_000

const name = (target: Pick<Target, "repo" | "number">) => `${target.repo}#${target.number}`

/** The address of an item's own facts. */
export const itemPath = (target: Pick<Target, "kind" | "repo" | "number">) =>
  `/repos/${target.repo}/${target.kind === "work_item" ? "issues" : "pulls"}/${target.number}`

/** An answer about an item: the item, or the place where it is now. */
export type Found =
  | { readonly _tag: "Here"; readonly item: WorkItem }
  | { readonly _tag: "Elsewhere"; readonly where: string; readonly nodeId: string }

/** Decodes an item's own answer, whichever of the two kinds it is, and holds it against what was asked for. */
export const itemOf = Effect.fnUntraced(function* (context: GitHubContext, target: Target, answer: Answer) {
  const { host } = context.settings
  const elsewhere = (where: string, nodeId: string): Found => ({ _tag: "Elsewhere", where, nodeId })
  const here = (item: WorkItem): Found => ({ _tag: "Here", item })
  if (target.kind === "change_proposal") {
    const pull = yield* decodeAnswer(Pull, answer, name(target))
    const base = pull.base.repo
    if (base === null || pull.number !== target.number || !sameRepo(base.full_name, target.repo)) {
      const where = base === null ? "another repository" : `${base.full_name}#${pull.number}`
      return elsewhere(where, pull.node_id)
    }
    return here(pullItem({ host, repo: target.repo, repository: base.id }, pull))
  }
  const issue = yield* decodeAnswer(Issue, answer, name(target))
  const repo = repoOfAddress(issue.repository_url)
  if (issue.number !== target.number || !sameRepo(repo, target.repo)) {
    return elsewhere(`${repo}#${issue.number}`, issue.node_id)
  }
  return here(issueItem(yield* home(context, target.repo), issue))
})

const itemError = (target: Target) => (error: AskError) => {
  if (error.reason === "Missing") {
    return sourceError(error, `${name(target)} is not there, or this token may not see it.`)
  }
  if (error.reason === "Gone") return sourceError(error, `${name(target)} was deleted.`)
  if (error.reason === "Moved") return sourceError(error, `${name(target)} has moved.`)
  return sourceError(error)
}

interface StreamRead {
  readonly stream: string
  readonly comments: ReadonlyArray<Comment>
  readonly reading: StreamReading
}

/** Reads one stream; `toComment` leaves out what says nothing. */
const stream = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  context: GitHubContext,
  target: Target,
  which: {
    readonly stream: string
    readonly path: string
    readonly schema: S
    readonly toComment: (row: S["Type"]) => Comment | undefined
    readonly since: Instant | undefined
  }
) {
  const since = which.since === undefined ? undefined : instant(Math.max(0, millis(which.since) - overlap))
  const query = new URLSearchParams({ per_page: "100", ...(since === undefined ? {} : { since }) })
  const read = yield* walk(
    context.door,
    `${which.path}?${query}`,
    which.schema,
    `the ${which.stream}s of ${name(target)}`
  ).pipe(Effect.catchTag("AskError", (error) => Effect.fail(itemError(target)(error))))
  const why = read.stopped?.message ?? "its list was too long, or a row of it was not as documented"
  return {
    stream: which.stream,
    comments: read.rows.flatMap((row) => which.toComment(row) ?? []),
    reading: {
      complete: read.complete,
      ...(read.complete ? {} : { why }),
      ...(since === undefined ? {} : { since })
    }
  } satisfies StreamRead
})

/** The newest time that one of the source's labels was put on; undefined where the history cannot be read. */
const labelling = Effect.fnUntraced(function* (context: GitHubContext, target: Target) {
  const wanted = new Set(
    labelSets(context.settings).flatMap((set) => set.map((label) => label.toLowerCase()))
  )
  const ask = (path: string) =>
    context.door.ask({ method: "GET", path }).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "Forbidden" || reason === "Missing" || reason === "Gone",
        () => Effect.succeed(undefined)
      ),
      Effect.mapError(itemError(target))
    )
  const first = yield* ask(`/repos/${target.repo}/issues/${target.number}/events?per_page=100`)
  // Oldest first: the newest is on the last page, and the way back goes by `prev`.
  const last = first?.links["last"] ?? first?.links["next"]
  let page: Answer | undefined = last === undefined ? first : yield* ask(last)
  for (let pages = 0; page !== undefined && pages < mostPages; pages += 1) {
    const { rows }: { rows: ReadonlyArray<IssueEvent> } = yield* decodeRows(
      IssueEvent,
      page,
      `the history of ${name(target)}`
    )
    const found = rows.findLast(
      ({ event, label }) => event === "labeled" && label != null && wanted.has(label.name.toLowerCase())
    )
    if (found?.label != null) {
      const by = actorOf(found.actor ?? null)
      return {
        label: found.label.name,
        at: when(found.created_at),
        ...(by === undefined ? {} : { by })
      } satisfies Labelling
    }
    const before: string | undefined = page.links["prev"]
    page = before === undefined ? undefined : yield* ask(before)
  }
  return undefined
})

const wordsOf = (context: GitHubContext, target: Target, look: Look) => {
  const { repo, number } = target
  const conversation = stream(context, target, {
    stream: streams.issueComment,
    path: `/repos/${repo}/issues/${number}/comments`,
    schema: IssueComment,
    toComment: issueComment,
    since: look.since[streams.issueComment]
  })
  if (target.kind === "work_item") return Effect.map(conversation, (read) => [read])
  return Effect.all(
    [
      conversation,
      stream(context, target, {
        stream: streams.review,
        path: `/repos/${repo}/pulls/${number}/reviews`,
        schema: Review,
        toComment: review,
        since: undefined
      }),
      stream(context, target, {
        stream: streams.reviewComment,
        path: `/repos/${repo}/pulls/${number}/comments`,
        schema: ReviewComment,
        toComment: reviewComment,
        since: look.since[streams.reviewComment]
      })
    ],
    { concurrency: 3 }
  )
}

const observation = (
  at: Instant,
  item: WorkItem,
  read: ReadonlyArray<StreamRead>,
  labelled: Labelling | undefined
): Observation => ({
  item,
  at,
  comments: read.flatMap(({ comments }) => comments),
  streams: Object.fromEntries(read.map(({ stream, reading }) => [stream, reading])),
  ...(labelled === undefined ? {} : { labelling: labelled })
})

/**
 * Two requests for an issue, four for a pull request, one more for the labelling. The item comes first: a word that is
 * written meanwhile is in the streams, and its time is not yet behind `at`.
 */
export const observe = Effect.fnUntraced(function* (context: GitHubContext, target: Target, look: Look) {
  const answer = yield* context.door
    .ask({ method: "GET", path: itemPath(target) })
    .pipe(Effect.mapError(itemError(target)))
  const found = yield* itemOf(context, target, answer)
  const where =
    found._tag === "Elsewhere" ? found.where : "another repository of the same name, as it was replaced"
  if (found._tag === "Elsewhere" || found.item.identity !== target.identity) {
    return yield* new SourceError({ reason: "Moved", message: `${name(target)} has moved to ${where}.` })
  }
  const { item } = found
  const [read, labelled] = yield* Effect.all(
    [wordsOf(context, target, look), look.labelling ? labelling(context, target) : Effect.succeed(undefined)],
    { concurrency: 2 }
  )
  return observation(instant(answer.date), item, read, labelled)
})
