/**
 * Checking: a direct question about one item that no listing showed. Only a definite end is an end (G4.1): what could
 * also be a missing permission, an outage or a switched-off feature is `Unknown` (traps B35 to B37).
 */
import * as Effect from "effect/Effect"
import type { Check } from "../../domain/Item.ts"
import type { Identity } from "../../domain/Ref.ts"
import type { AskError } from "../../net/AskError.ts"
import type { SourceError, Target } from "../Provider.ts"
import { sourceError } from "./Api.ts"
import { repository, type GitHubContext } from "./Context.ts"
import { identityOf } from "./Facts.ts"
import { itemOf, itemPath } from "./Observing.ts"

/** How often each item answered 404 in a row while its repository was there. */
export type Sightings = Map<Identity, number>

const enough = 2

/** A tag is worth nothing with another credential, so it goes with that one's fingerprint (traps B29). */
const mark = (etag: string, fingerprint: string) => `${etag}#${fingerprint}`

const unmark = (validator: string | undefined) => {
  if (validator === undefined) return undefined
  const at = validator.lastIndexOf("#")
  return { etag: validator.slice(0, at), fingerprint: validator.slice(at + 1) }
}

const unknown = (why: string): Check => ({ _tag: "Unknown", why })

/** The failures that say nothing about the item but everything about the source. */
const ofSource = (reason: AskError["reason"]) =>
  reason === "Network" || reason === "Unauthorized" || reason === "Limited"

/** The repository as this credential sees it now, or why it cannot be seen. */
const probe = (context: GitHubContext, target: Target) =>
  Effect.gen(function* () {
    // Without its tag: only a whole answer tells whether issues are switched on.
    const pin = context.pins.get(target.repo.toLowerCase())
    if (pin !== undefined) context.pins.set(target.repo.toLowerCase(), { id: pin.id })
    const found = yield* repository(context, target.repo)
    return { found, why: "" }
  }).pipe(
    Effect.catchIf(
      (error: SourceError) => !ofSource(error.reason),
      (error) => Effect.succeed({ found: undefined, why: error.message })
    )
  )

const missing = Effect.fnUntraced(function* (context: GitHubContext, target: Target, sightings: Sightings) {
  const { found, why } = yield* probe(context, target)
  if (found === undefined) return unknown(`it answered 404, and so does its repository: ${why}`)
  const seen = (sightings.get(target.identity) ?? 0) + 1
  sightings.set(target.identity, seen)
  return seen >= enough
    ? ({ _tag: "Gone", how: "deleted" } satisfies Check)
    : unknown("it answered 404 for the first time; it is asked about once more")
})

const gone = Effect.fnUntraced(function* (context: GitHubContext, target: Target, error: AskError) {
  const { found, why } = yield* probe(context, target)
  if (found === undefined) return unknown(`it answered 410, and its repository is not to be seen: ${why}`)
  const off = "has_issues" in found && found.has_issues === false && target.kind === "work_item"
  return off || /disabled/iu.test(error.said)
    ? unknown("issues are switched off in its repository")
    : ({ _tag: "Gone", how: "deleted" } satisfies Check)
})

/**
 * A redirect to another repository, which GitHub names by its id, is a transfer. One within the same repository is that
 * repository's new name, and any other redirect is somebody else's: neither ends the item.
 */
const redirected = Effect.fnUntraced(function* (context: GitHubContext, target: Target, error: AskError) {
  const id = /\/repositories\/(\d+)\//u.exec(error.location ?? "")?.[1]
  if (id === undefined) return unknown("it redirects to a place that is no repository's")
  const { found, why } = yield* probe(context, target)
  if (found === undefined) return unknown(`it has moved, and so has its repository: ${why}`)
  if (Number(id) === found.id) return unknown("it redirects to its own repository")
  return { _tag: "Gone", how: "moved" } satisfies Check
})

export const check = Effect.fnUntraced(function* (
  context: GitHubContext,
  target: Target,
  validator: string | undefined,
  sightings: Sightings
) {
  const given = unmark(validator)
  const mine = yield* context.door.fingerprint.pipe(Effect.mapError((error) => sourceError(error)))
  const answer = yield* context.door
    .ask({
      method: "GET",
      path: itemPath(target),
      etag: given?.fingerprint === mine ? given.etag : undefined
    })
    .pipe(
      Effect.catch((error): Effect.Effect<Check, SourceError> => {
        if (ofSource(error.reason)) return Effect.fail(sourceError(error))
        if (error.reason === "Missing") return missing(context, target, sightings)
        sightings.delete(target.identity)
        if (error.reason === "Gone") return gone(context, target, error)
        if (error.reason === "Moved") return redirected(context, target, error)
        return Effect.succeed(unknown(error.message))
      })
    )
  if ("_tag" in answer) return answer
  sightings.delete(target.identity)
  if (answer.status === 304) return { _tag: "Unchanged" } satisfies Check
  const found = yield* itemOf(context, target, answer)
  if (found._tag === "Elsewhere") {
    // Something on the way followed a redirect. A transferred item is a new one; the same one was merely renamed.
    return identityOf(context.settings.host, found.nodeId) === target.identity
      ? unknown(`its repository has another name now: ${found.where}`)
      : ({ _tag: "Gone", how: "moved" } satisfies Check)
  }
  if (found.item.identity !== target.identity) return unknown("another item answers to its name")
  return {
    _tag: "Present",
    item: found.item,
    ...(answer.etag === undefined ? {} : { validator: mark(answer.etag, answer.fingerprint) })
  } satisfies Check
})
