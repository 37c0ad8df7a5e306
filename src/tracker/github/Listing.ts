/**
 * Listing: the open items of one repository that carry the source's labels, asked for conditionally.
 *
 * Newest first, any change or newcomer alters page 1, and any item that leaves alters the page it was on: a listing is
 * unchanged exactly when every page of it is. A full last page needs no probe, since a newcomer shows on page 1.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type { Row, WorkItem } from "../../domain/Item.ts"
import type { Answer } from "../../net/Exchange.ts"
import type { Listing, PageValidator } from "../Provider.ts"
import { Issue } from "./Answers.ts"
import { decodeRows, mostPages } from "./Api.ts"
import { repoError, repository, sameRepo, type GitHubContext } from "./Context.ts"
import { identityOf, kindOf, labelNames, refOf, repoOfAddress } from "./Facts.ts"
import { labelSets } from "./Settings.ts"

/** Times have whole seconds, and more may happen within the same one: such a row is looked at again. */
const certainAfter = 5000

const listingPath = (repo: string, labels: ReadonlyArray<string>): string => {
  const query = new URLSearchParams({
    labels: labels.join(","),
    state: "open",
    sort: "updated",
    direction: "desc",
    per_page: "100"
  })
  return `/repos/${repo}/issues?${query.toString().replaceAll("+", "%20")}`
}

interface Vouching {
  /** Names the question that the page belongs to; pages after the first are addressed by the server. */
  readonly question: string
  /** Of the credential that the tag belongs to (traps B29). */
  readonly fingerprint: string
  /** The repository that answered (traps B36). */
  readonly repository: number
}

const questionOf = (path: string) => createHash("sha256").update(path).digest("hex").slice(0, 12)

/** A validator's address carries, as its fragment, what else its tag depends on, so that this outlives the process. */
const mark = (path: string, { question, fingerprint, repository }: Vouching) =>
  `${path}#${question}.${fingerprint}.${repository}`

const unmark = (address: string) => {
  const [path = "", fragment = ""] = address.split("#")
  const [question = "", fingerprint = "", repository = ""] = fragment.split(".")
  return { path, question, fingerprint, repository: Number(repository) }
}

const fingerprintOf = (issue: Issue): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        issue.updated_at,
        issue.comments ?? 0,
        issue.title,
        issue.body ?? "",
        issue.state,
        labelNames(issue.labels).toSorted()
      ])
    )
    .digest("hex")
    .slice(0, 24)

interface Page {
  readonly path: string
  readonly answer: Answer
}

const get = (context: GitHubContext, repo: string, path: string, etag?: string) =>
  context.door
    .ask({ method: "GET", path, etag })
    .pipe(Effect.catch((error) => Effect.flatMap(repoError(context, repo, error), Effect.fail)))

/** Every page; a first page that was already read is not asked for again. */
const pages = Effect.fnUntraced(function* (
  context: GitHubContext,
  repo: string,
  path: string,
  first: Answer | undefined
) {
  const found: Array<Page> = []
  let next: string | undefined = path
  while (next !== undefined && found.length < mostPages) {
    const here: string = next
    const known: Answer | undefined = found.length === 0 ? first : undefined
    const answer: Answer = known ?? (yield* get(context, repo, here))
    found.push({ path: here, answer })
    next = answer.links["next"]
  }
  if (next !== undefined) {
    yield* Effect.logWarning(
      `${repo} lists more than ${mostPages} pages of items; the rest is not looked at.`
    ).pipe(Effect.annotateLogs({ source: context.source }))
  }
  return { found, capped: next !== undefined }
})

/** What a page says of its items, in its order. */
const contents = (repo: string, answer: Answer) =>
  Effect.map(decodeRows(Issue, answer, `the items of ${repo}`), ({ rows }) =>
    rows.map((issue) => `${issue.node_id} ${fingerprintOf(issue)}`).join("\n")
  )

/**
 * Whether the pages still stand as they were read. Page numbers over a changing list are no snapshot (traps B07): only
 * if none but the last has changed by the end is nothing missing. One page is always a snapshot.
 */
const undisturbed = Effect.fnUntraced(function* (
  context: GitHubContext,
  repo: string,
  found: ReadonlyArray<Page>
) {
  const stands = Effect.fnUntraced(function* ({ path, answer }: Page) {
    const again = yield* get(context, repo, path, answer.etag)
    // Where tags are missing, or change with nothing that is read here, the rows tell.
    return again.status === 304 || (yield* contents(repo, again)) === (yield* contents(repo, answer))
  })
  const standing = yield* Effect.forEach(found.slice(0, -1), stands, { concurrency: 4 })
  return standing.every(Boolean)
})

interface SetOfLabels {
  readonly labels: ReadonlyArray<string>
  readonly path: string
  /** What vouches for its pages, with this credential. */
  readonly stored: ReadonlyArray<{ readonly path: string; readonly etag: string }>
}

/** Asks every stored page; the first one that changed settles it. Undefined: all unchanged. */
const changed = Effect.fnUntraced(function* (context: GitHubContext, repo: string, set: SetOfLabels) {
  const [first, ...others] = set.stored
  if (first === undefined) return { first: undefined }
  const answer = yield* get(context, repo, first.path, first.etag)
  if (answer.status !== 304) return { first: first.path === set.path ? answer : undefined }
  const rest = yield* Effect.forEach(others, ({ path, etag }) => get(context, repo, path, etag), {
    concurrency: 4
  })
  return rest.every(({ status }) => status === 304) ? undefined : { first: undefined }
})

/** Whether the source's labels and kinds select an item. */
export const covers =
  ({ settings }: GitHubContext) =>
  (item: WorkItem): boolean => {
    const own = new Set(item.labels.map((label) => label.toLowerCase()))
    const { issues, pullRequests } = settings.monitor
    return (
      item.state === "open" &&
      (item.kind === "work_item" ? issues : pullRequests) &&
      labelSets(settings).some((labels) => labels.every((label) => own.has(label.toLowerCase())))
    )
  }

const inScope = (context: GitHubContext, repo: string, labels: ReadonlyArray<string>) => (issue: Issue) => {
  const own = new Set(labelNames(issue.labels).map((label) => label.toLowerCase()))
  const { monitor } = context.settings
  return (
    issue.state === "open" &&
    sameRepo(repoOfAddress(issue.repository_url), repo) &&
    labels.every((label) => own.has(label.toLowerCase())) &&
    (kindOf(issue) === "work_item" ? monitor.issues : monitor.pullRequests)
  )
}

const rowOf =
  (context: GitHubContext, repo: string, date: number) =>
  (issue: Issue): Row => ({
    ref: refOf(context.settings.host, repo, issue.number),
    identity: identityOf(context.settings.host, issue.node_id),
    kind: kindOf(issue),
    number: issue.number,
    repo,
    fingerprint: fingerprintOf(issue),
    // A time that cannot be read vouches for nothing.
    fresh: !(Date.parse(issue.updated_at) < date - certainAfter)
  })

const read = Effect.fnUntraced(function* (
  context: GitHubContext,
  repo: string,
  set: SetOfLabels,
  first: Answer | undefined
) {
  const { found, capped } = yield* pages(context, repo, set.path, first)
  let lost = 0
  const rows: Array<Row> = []
  for (const { answer } of found) {
    const decoded = yield* decodeRows(Issue, answer, `the items of ${repo}`)
    lost += decoded.lost
    rows.push(
      ...decoded.rows.filter(inScope(context, repo, set.labels)).map(rowOf(context, repo, answer.date))
    )
  }
  if (lost > 0) {
    yield* Effect.logWarning(`${lost} rows of ${repo} were not as documented and are left out.`).pipe(
      Effect.annotateLogs({ source: context.source })
    )
  }
  const snapshot = capped || found.length === 1 ? !capped : yield* undisturbed(context, repo, found)
  return { rows, found, complete: snapshot && lost === 0 }
})

/** Lists one repository. Every request but those for unchanged pages is followed by a look at who answers to its name. */
export const list = Effect.fnUntraced(function* (
  context: GitHubContext,
  repo: string,
  validators: ReadonlyArray<PageValidator>
) {
  const fingerprint = yield* Effect.catch(context.door.fingerprint, (error) =>
    Effect.flatMap(repoError(context, repo, error), Effect.fail)
  )
  const stored = validators.map(({ url, etag }) => ({ ...unmark(url), etag }))
  const pinned = stored[0]?.repository
  if (pinned !== undefined && pinned > 0 && !context.pins.has(repo.toLowerCase())) {
    context.pins.set(repo.toLowerCase(), { id: pinned })
  }
  const sets = labelSets(context.settings).map((labels): SetOfLabels => {
    const path = listingPath(repo, labels)
    const question = questionOf(path)
    return {
      labels,
      path,
      stored: stored.filter((page) => page.fingerprint === fingerprint && page.question === question)
    }
  })
  const changes = yield* Effect.forEach(sets, (set) => changed(context, repo, set), { concurrency: 4 })
  if (changes.every((change) => change === undefined)) return { _tag: "Unchanged" } satisfies Listing
  const { id } = yield* repository(context, repo)
  const readings = yield* Effect.forEach(
    sets,
    (set, index) => read(context, repo, set, changes[index]?.first),
    { concurrency: 4 }
  )
  const rows = new Map<string, Row>()
  for (const row of readings.flatMap((reading) => reading.rows)) {
    const other = rows.get(row.identity)
    rows.set(row.identity, other?.fresh ? { ...row, fresh: true } : row)
  }
  const complete = readings.every((reading) => reading.complete)
  const found = readings.flatMap((reading) => reading.found)
  const vouched = readings.flatMap((reading, index) =>
    reading.found.flatMap(({ path, answer: { etag, fingerprint } }) => {
      const question = questionOf(sets[index]?.path ?? "")
      return etag === undefined ? [] : [{ url: mark(path, { question, fingerprint, repository: id }), etag }]
    })
  )
  const sure = complete && vouched.length === found.length && ![...rows.values()].some(({ fresh }) => fresh)
  return {
    _tag: "Listed",
    rows: [...rows.values()],
    complete,
    validators: sure ? vouched : []
  } satisfies Listing
})
