/**
 * Context: what every question of one GitHub source shares: its settings, its way to the server, and the immutable ids
 * of its repositories (traps B36).
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AskError } from "../../net/AskError.ts"
import type { Answer } from "../../net/Exchange.ts"
import type { Door } from "../../net/Gateway.ts"
import { SourceError } from "../Provider.ts"
import { Repository } from "./Answers.ts"
import { decodeAnswer, sourceError } from "./Api.ts"
import type { Home } from "./Facts.ts"
import type { Settings } from "./Settings.ts"

export interface GitHubContext {
  readonly source: string
  readonly settings: Settings
  readonly door: Door
  /** Repository ids by folded name, pinned on first contact. */
  readonly pins: Map<string, { id: number; etag?: string }>
}

export const sameRepo = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

const decodeRepository = Schema.decodeUnknownOption(Repository)

/** The name that a moved repository has now; GitHub's redirect names it by its number. */
const newName = Effect.fnUntraced(function* (context: GitHubContext, error: AskError) {
  const id = /\/repositories\/(\d+)/u.exec(error.location ?? "")?.[1]
  if (id === undefined) return undefined
  // The message is better with the name and true without it.
  const answer: Answer | undefined = yield* context.door
    .ask({ method: "GET", path: `/repositories/${id}` })
    .pipe(Effect.orElseSucceed(() => undefined))
  return answer === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(decodeRepository(answer.body), ({ full_name }) => full_name))
})

/** A source's error about a repository as a whole, with the mend. */
export const repoError = Effect.fnUntraced(function* (context: GitHubContext, repo: string, error: AskError) {
  const { host } = context.settings
  if (error.reason === "Moved") {
    const name = yield* newName(context, error)
    return sourceError(
      error,
      name === undefined
        ? `${repo} on ${host} has moved. Write its present name in repos.`
        : `${repo} on ${host} is called ${name} now. Write repos: [${name}].`
    )
  }
  if (error.reason === "Missing") {
    return sourceError(
      error,
      `There is no repository ${repo} on ${host} that this token may see. Check its spelling in repos; a private repository answers 404 to a token without access to it.`
    )
  }
  if (error.reason === "Gone") {
    return sourceError(error, `Issues are switched off in ${repo} on ${host}, or the repository is gone.`)
  }
  if (error.reason === "Forbidden") {
    return sourceError(
      error,
      `The token may not read ${repo} on ${host}${error.said === "" ? "" : ` ("${error.said}")`}. It needs read access to issues and pull requests there (and, with single sign-on, to be authorised for the organisation).`
    )
  }
  return sourceError(error)
})

const renamed = (context: GitHubContext, repo: string, name: string) =>
  new SourceError({
    reason: "Moved",
    message: `${repo} on ${context.settings.host} is called ${name} now. Write repos: [${name}].`
  })

const replaced = (context: GitHubContext, repo: string, was: number, is: number) =>
  new SourceError({
    reason: "Moved",
    message: `${repo} on ${context.settings.host} is another repository than before (id ${is}, was ${was}): nothing is read from it. If that is meant, give the source another name in the configuration.`
  })

/**
 * The repository's id, asked of the server unless nothing about it changed. Fails when the name now belongs to another
 * repository than the pinned one.
 */
export const repository = Effect.fnUntraced(function* (context: GitHubContext, repo: string) {
  const key = repo.toLowerCase()
  const pin = context.pins.get(key)
  const answer = yield* context.door
    .ask({ method: "GET", path: `/repos/${repo}`, etag: pin?.etag })
    .pipe(Effect.catch((error) => Effect.flatMap(repoError(context, repo, error), Effect.fail)))
  if (answer.status === 304 && pin !== undefined) return { id: pin.id }
  const found = yield* decodeAnswer(Repository, answer, `the repository ${repo}`)
  if (pin !== undefined && pin.id !== found.id) return yield* replaced(context, repo, pin.id, found.id)
  if (!sameRepo(found.full_name, repo)) return yield* renamed(context, repo, found.full_name)
  context.pins.set(key, { id: found.id, ...(answer.etag === undefined ? {} : { etag: answer.etag }) })
  return found
})

/** The repository's id from memory where it is known. */
export const home = Effect.fnUntraced(function* (context: GitHubContext, repo: string) {
  const id = context.pins.get(repo.toLowerCase())?.id ?? (yield* repository(context, repo)).id
  return { host: context.settings.host, repo, repository: id } satisfies Home
})
