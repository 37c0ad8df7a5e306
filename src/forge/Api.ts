/** Which answer a request gets: the resources, who may use them, and where renamed repositories went. */
import { type Answer, draw, moved, notFound, one, refusal } from "./Answer.ts"
import { type Ask, type Stage } from "./Ask.ts"
import type { Meter } from "./Meter.ts"
import * as Items from "./ItemRoutes.ts"
import { privateUser } from "./RepoReplies.ts"
import { folded, type Repo, type Token } from "./World.ts"
import * as Words from "./WordRoutes.ts"
import * as Write from "./WriteRoutes.ts"

export interface ApiRequest {
  readonly method: string
  /** Below the API's address: `/repos/acme/app/issues`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly sent: unknown
}

interface Route {
  readonly method: string
  /** Path segments below the repository; `:` stands for any one. */
  readonly segments: ReadonlyArray<string>
  readonly answer: (ask: Ask) => Answer
}

const route = (method: string, path: string, answer: Route["answer"]): Route => ({
  method,
  segments: path === "" ? [] : path.split("/"),
  answer
})

const routes: ReadonlyArray<Route> = [
  route("GET", "", Items.repository),
  route("GET", "collaborators/:/permission", Items.permission),
  route("GET", "labels", Items.labels),
  route("GET", "labels/:", Items.label),
  route("GET", "issues", Items.issues),
  route("POST", "issues", Write.createIssue),
  route("GET", "issues/comments", Words.repositoryComments),
  route("GET", "issues/comments/:", Words.comment),
  route("PATCH", "issues/comments/:", Write.updateComment),
  route("DELETE", "issues/comments/:", Write.removeComment),
  route("POST", "issues/comments/:/reactions", Write.reactToComment),
  route("GET", "issues/:", Items.issue),
  route("PATCH", "issues/:", Write.updateIssue),
  route("GET", "issues/:/comments", Words.issueComments),
  route("POST", "issues/:/comments", Write.createComment),
  route("GET", "issues/:/events", Items.events),
  route("GET", "issues/:/timeline", Items.timeline),
  route("POST", "issues/:/labels", Write.addLabels),
  route("DELETE", "issues/:/labels/:", Write.removeLabel),
  route("POST", "issues/:/reactions", Write.reactToIssue),
  route("GET", "pulls/comments", Words.repositoryReviewComments),
  route("GET", "pulls/comments/:", Words.reviewComment),
  route("POST", "pulls/comments/:/reactions", Write.reactToReviewComment),
  route("GET", "pulls/:", Items.pull),
  route("GET", "pulls/:/comments", Words.reviewComments),
  route("GET", "pulls/:/reviews", Words.reviews),
  route("GET", "pulls/:/reviews/:", Words.review)
]

const matches = (route: Route, method: string, segments: ReadonlyArray<string>) =>
  route.method === method &&
  route.segments.length === segments.length &&
  route.segments.every((segment, index) => segment === ":" || segment === segments[index])

const decoded = (segment: string) => {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray percent sign names no resource; taken as it stands it answers 404.
    return segment
  }
}

type Found =
  | { readonly _tag: "Here"; readonly repo: Repo; readonly rest: ReadonlyArray<string> }
  | { readonly _tag: "Renamed"; readonly repo: Repo; readonly rest: ReadonlyArray<string> }
  | { readonly _tag: "Nowhere" }

const find = (stage: Stage, segments: ReadonlyArray<string>): Found => {
  const [root, first = "", second = ""] = segments
  if (root === "repositories") {
    const repo = stage.world.repos.get(Number(first))
    return repo === undefined ? { _tag: "Nowhere" } : { _tag: "Here", repo, rest: segments.slice(2) }
  }
  if (root !== "repos") return { _tag: "Nowhere" }
  const name = `${first}/${second}`
  const rest = segments.slice(3)
  const repo = stage.world.repoNamed(name)
  if (repo !== undefined) return { _tag: "Here", repo, rest }
  const former = stage.world.formerNames.get(folded(name))
  return former === undefined ? { _tag: "Nowhere" } : { _tag: "Renamed", repo: former, rest }
}

const inRepository = (stage: Stage, token: Token, request: ApiRequest): Answer => {
  const raw = request.path.split("/").slice(1)
  const found = find(stage, raw.map(decoded))
  if (found._tag === "Nowhere") return notFound
  const role = stage.world.role(found.repo, token.account)
  if (role === "none") return notFound
  const below = raw.slice(raw.length - found.rest.length)
  const resource = ["/repositories", found.repo.id, ...below].join("/")
  if (found._tag === "Renamed") {
    const search = request.query.size === 0 ? "" : `?${request.query.toString()}`
    return moved(`${stage.places.api}${resource}${search}`, request.method === "GET" ? 301 : 307)
  }
  const chosen = routes.find((route) => matches(route, request.method, found.rest))
  if (chosen === undefined) return notFound
  if (request.method !== "GET" && token.access === "read") {
    return refusal(403, "Resource not accessible by personal access token")
  }
  return chosen.answer({
    stage,
    token,
    repo: found.repo,
    role,
    parts: found.rest.filter((_, index) => chosen.segments[index] === ":"),
    resource,
    query: request.query,
    sent: request.sent
  })
}

/** The answer to one authorised request. */
export const answer = (stage: Stage, meter: Meter, token: Token, request: ApiRequest): Answer => {
  if (request.method === "GET" && request.path === "/user") {
    if (token.account.type === "Bot") return refusal(403, "Resource not accessible by integration")
    return one(draw(privateUser(stage.places, token.account, "2020-01-01T00:00:00Z")))
  }
  if (request.method === "GET" && request.path === "/rate_limit") {
    const core = meter.rate(token.account)
    return { ...one(draw({ resources: { core, search: { ...core } }, rate: core })), tagged: false }
  }
  return inRepository(stage, token, request)
}
