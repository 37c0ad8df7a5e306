/**
 * Memory: a tracker that exists in memory alone, as a provider and the hands to move it with: for tests of the engine
 * and of programs that embed it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import {
  instant,
  type Actor,
  type Comment,
  type Kind,
  type Labelling,
  type Row,
  type WorkItem
} from "../domain/Item.ts"
import { Identity, Ref } from "../domain/Ref.ts"
import { SourceError, type Provider } from "./Provider.ts"

export interface MemoryOptions {
  /** Default `memory`. */
  readonly source?: string
  /** Default `acme/app`. */
  readonly repos?: ReadonlyArray<string>
  /** Default `agent`. */
  readonly label?: string
  /** Whom it says heed is; default `heed`. Undefined: it does not tell. */
  readonly self?: string | undefined
}

/** Where something happens; the first repository unless said otherwise. */
export interface Place {
  readonly repo?: string
  readonly number: number
}

interface Held {
  item: WorkItem
  readonly comments: Array<Comment>
  labelling: Labelling | undefined
  gone: "deleted" | "moved" | undefined
  /** Counts every change. */
  version: number
}

/** What a test does to the tracker. Whoever does it is named by a login; a name that ends in `[bot]` is a bot. */
export interface MemoryHands {
  readonly open: (item: {
    readonly repo?: string
    readonly kind?: Kind
    readonly title?: string
    readonly body?: string
    readonly author?: string
    readonly labels?: ReadonlyArray<string>
  }) => Effect.Effect<number>
  /** Answers with the word's id. */
  readonly comment: (
    place: Place,
    word: {
      readonly by?: string | undefined
      readonly body: string
      readonly stream?: string
      readonly review?: string
    }
  ) => Effect.Effect<string>
  readonly editComment: (place: Place, id: string, body: string) => Effect.Effect<void>
  readonly deleteComment: (place: Place, id: string) => Effect.Effect<void>
  readonly label: (place: Place, label: string, by?: string) => Effect.Effect<void>
  readonly unlabel: (place: Place, label: string) => Effect.Effect<void>
  readonly setState: (place: Place, state: WorkItem["state"]) => Effect.Effect<void>
  readonly remove: (place: Place, how: "deleted" | "moved") => Effect.Effect<void>
  /** Every question fails so until it is called with undefined. */
  readonly fail: (reason: SourceError["reason"] | undefined) => Effect.Effect<void>
  /** All comments on an item, heed's own included. */
  readonly comments: (place: Place) => Effect.Effect<ReadonlyArray<Comment>>
}

const host = "memory.test"
const fold = (name: string) => name.trim().toLowerCase()

const actor = (login: string): Actor => ({
  id: String(Number.parseInt(createHash("sha256").update(fold(login)).digest("hex").slice(0, 8), 16)),
  login,
  principal: fold(login),
  kind: login.endsWith("[bot]") ? "bot" : "human"
})

/** A new tracker without items. */
export const make = (
  options: MemoryOptions = {}
): Effect.Effect<{ provider: Provider; hands: MemoryHands }> =>
  Effect.sync(() => {
    const repos = options.repos ?? ["acme/app"]
    const label = options.label ?? "agent"
    const self = "self" in options ? options.self : "heed"
    const source = options.source ?? "memory"
    const items = new Map<string, Held>()
    const usage = { requests: 0, notModified: 0 }
    let lastId = 0
    let failing: SourceError["reason"] | undefined

    const keyOf = (repo: string, number: number) => `${fold(repo)}#${number}`
    const find = ({ repo = repos[0] ?? "", number }: Place) => items.get(keyOf(repo, number))
    const held = (place: Place) =>
      Effect.suspend(() => {
        const found = find(place)
        return found === undefined
          ? Effect.die(new Error(`there is no ${place.repo ?? repos[0]}#${place.number}`))
          : Effect.succeed(found)
      })
    const now = Effect.map(Clock.currentTimeMillis, instant)
    const changing = (place: Place, change: (held: Held, at: string) => void) =>
      Effect.gen(function* () {
        const found = yield* held(place)
        const at = yield* now
        found.version += 1
        found.item = { ...found.item, updatedAt: at }
        change(found, at)
      })

    const open: MemoryHands["open"] = Effect.fn("Memory.open")(function* (made) {
      const repo = made.repo ?? repos[0] ?? ""
      const at = yield* now
      const number = [...items.values()].filter(({ item }) => fold(item.repo) === fold(repo)).length + 1
      const author = actor(made.author ?? "alice")
      const labels = made.labels ?? [label]
      const on = labels.find((name) => fold(name) === fold(label))
      const kind = made.kind ?? "work_item"
      const item: WorkItem = {
        ref: Ref.make(`github:${host}/${fold(repo)}#${number}`),
        identity: Identity.make(`github:${host}/${fold(repo)}/${number}`),
        space: `github:${host}/${fold(repo)}`,
        tracker: "github",
        kind,
        number,
        url: `https://${host}/${repo}/${kind === "work_item" ? "issues" : "pull"}/${number}`,
        repo,
        title: made.title ?? `item ${number}`,
        body: made.body ?? "",
        author,
        state: "open",
        labels,
        createdAt: at,
        updatedAt: at
      }
      const labelling = on === undefined ? undefined : { label: on, by: author, at }
      items.set(keyOf(repo, number), { item, comments: [], labelling, gone: undefined, version: 0 })
      return number
    })

    const comment: MemoryHands["comment"] = Effect.fn("Memory.comment")(function* (place, word) {
      lastId += 1
      const id = String(lastId)
      yield* changing(place, (found, at) => {
        found.comments.push({
          stream: word.stream ?? "issue_comment",
          id,
          ...("by" in word && word.by === undefined ? {} : { author: actor(word.by ?? "alice") }),
          body: word.body,
          createdAt: at,
          updatedAt: at,
          url: `${found.item.url}#${id}`,
          ...(word.review === undefined ? {} : { review: { state: word.review } })
        })
      })
      return id
    })

    const hands: MemoryHands = {
      open,
      comment,
      editComment: (place, id, body) =>
        changing(place, (found, at) => {
          const index = found.comments.findIndex((comment) => comment.id === id)
          const old = found.comments[index]
          if (old !== undefined) found.comments[index] = { ...old, body, updatedAt: at }
        }),
      deleteComment: (place, id) =>
        changing(place, (found) => {
          const index = found.comments.findIndex((comment) => comment.id === id)
          if (index >= 0) found.comments.splice(index, 1)
        }),
      label: (place, name, by = "alice") =>
        changing(place, (found, at) => {
          found.item = { ...found.item, labels: [...found.item.labels, name] }
          if (fold(name) === fold(label)) found.labelling = { label: name, by: actor(by), at }
        }),
      unlabel: (place, name) =>
        changing(place, (found) => {
          const labels = found.item.labels.filter((other) => fold(other) !== fold(name))
          found.item = { ...found.item, labels }
        }),
      setState: (place, state) =>
        changing(place, (found) => {
          found.item = { ...found.item, state }
        }),
      remove: (place, how) =>
        changing(place, (found) => {
          found.gone = how
        }),
      fail: (reason) =>
        Effect.sync(() => {
          failing = reason
        }),
      comments: (place) => Effect.map(held(place), ({ comments }) => [...comments])
    }

    const asked = Effect.suspend(() => {
      usage.requests += 1
      return failing === undefined
        ? Effect.void
        : Effect.fail(new SourceError({ reason: failing, message: `${host} was told to fail: ${failing}.` }))
    })

    const inScope = (scope: string) => (found: Held) =>
      found.gone === undefined &&
      found.item.state === "open" &&
      fold(found.item.repo) === fold(scope) &&
      found.item.labels.some((name) => fold(name) === fold(label))

    const rowOf = ({ item, version }: Held): Row => ({
      ref: item.ref,
      identity: item.identity,
      kind: item.kind,
      number: item.number,
      repo: item.repo,
      fingerprint: String(version),
      fresh: false
    })

    const there = (place: Place) =>
      Effect.suspend(() => {
        const found = find(place)
        return found === undefined || found.gone !== undefined
          ? Effect.fail(new SourceError({ reason: "Missing", message: `#${place.number} is not there.` }))
          : Effect.succeed(found)
      })

    const provider: Provider = {
      source,
      tracker: "github",
      scopes: repos,
      host,
      ready: Effect.void,
      list: Effect.fn("Memory.list")(function* (scope, validators) {
        yield* asked
        const rows = [...items.values()].filter(inScope(scope)).map(rowOf)
        const etag = createHash("sha256").update(JSON.stringify(rows)).digest("hex")
        if (validators[0]?.etag === etag) {
          usage.notModified += 1
          return { _tag: "Unchanged" }
        }
        return { _tag: "Listed", rows, complete: true, validators: [{ url: scope, etag }] }
      }),
      covers: (item) => item.state === "open" && item.labels.some((name) => fold(name) === fold(label)),
      observe: Effect.fn("Memory.observe")(function* (target, look) {
        yield* asked
        const { item, comments, labelling } = yield* there(target)
        const streams =
          target.kind === "work_item" ? ["issue_comment"] : ["issue_comment", "review", "review_comment"]
        const from = (stream: string) => look.since[stream] ?? ""
        return {
          item,
          at: yield* now,
          comments: comments.filter(({ stream, updatedAt }) => updatedAt >= from(stream)),
          streams: Object.fromEntries(
            streams.map((stream) => {
              const since = look.since[stream]
              return [stream, { complete: true, ...(since === undefined ? {} : { since }) }]
            })
          ),
          ...(look.labelling && labelling !== undefined ? { labelling } : {})
        }
      }),
      check: Effect.fn("Memory.check")(function* (target, validator) {
        yield* asked
        const found = find(target)
        if (found === undefined) return { _tag: "Unknown", why: "there never was such an item" }
        if (found.gone !== undefined) return { _tag: "Gone", how: found.gone }
        if (validator === String(found.version)) {
          usage.notModified += 1
          return { _tag: "Unchanged" }
        }
        return { _tag: "Present", item: found.item, validator: String(found.version) }
      }),
      post: Effect.fn("Memory.post")(function* (target, text) {
        yield* asked
        yield* there(target)
        return `issue_comment/${yield* comment(target, { by: self ?? "heed", body: text })}`
      }),
      self: Effect.as(asked, self === undefined ? undefined : fold(self)),
      principal: fold,
      resolve: (text) =>
        [...items.values()].flatMap(({ item }) =>
          [item.ref, item.url.toLowerCase(), `${fold(item.repo)}#${item.number}`].includes(fold(text))
            ? [item.ref]
            : []
        ),
      usage: Effect.sync(() => ({ ...usage }))
    }
    return { provider, hands }
  })
