/**
 * What every provider promises, as a suite that each implementation runs (`contract.test.ts`). A new tracker brings a
 * `Subject`: its provider, and the hands to move its server with.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { wordKey, type Observation } from "../../src/domain/Item.ts"
import { deliveryId } from "../../src/domain/Ids.ts"
import type { Listing, Provider, SourceError } from "../../src/tracker/Provider.ts"

/** One scope with one label, and what can happen in it. Whoever acts is named by `by`. */
export interface Subject {
  readonly provider: Provider
  /** The same source in another process. */
  readonly restarted: Effect.Effect<Provider>
  readonly scope: string
  readonly label: string
  readonly open: (kind: "work_item" | "change_proposal", author: string) => Effect.Effect<number>
  readonly say: (number: number, by: string, body: string) => Effect.Effect<unknown>
  readonly edit: (number: number, key: string, body: string) => Effect.Effect<unknown>
  readonly unsay: (number: number, key: string) => Effect.Effect<unknown>
  readonly unlabel: (number: number) => Effect.Effect<unknown>
  readonly relabel: (number: number, by: string) => Effect.Effect<unknown>
  readonly close: (number: number) => Effect.Effect<unknown>
  readonly reopen: (number: number) => Effect.Effect<unknown>
  readonly merge: (number: number) => Effect.Effect<unknown>
  readonly remove: (number: number) => Effect.Effect<unknown>
  /** Lets every time that was given out become the past. */
  readonly settle: Effect.Effect<unknown>
  /** From now on every question fails. */
  readonly breakDown: Effect.Effect<unknown>
}

const listed = (listing: Listing) => (listing._tag === "Listed" ? listing : assert.fail("it is unchanged"))
const words = ({ comments }: Observation) => comments.map(({ body }) => body)
const whole = { since: {}, labelling: false }

export const providerContract = (
  name: string,
  run: (
    test: (subject: Subject) => Effect.Effect<void, SourceError, Scope.Scope>
  ) => Effect.Effect<void, unknown>
) => {
  const law = (says: string, test: (subject: Subject) => Effect.Effect<void, SourceError, Scope.Scope>) =>
    it.live(says, () => run(test))

  const row = Effect.fnUntraced(function* ({ provider, scope }: Subject, number: number) {
    const found = listed(yield* provider.list(scope, [])).rows.find((row) => row.number === number)
    return found ?? assert.fail(`#${number} is not listed`)
  })

  describe(`a provider: ${name}`, () => {
    law("lists the open items that carry the label, and says when nothing changed", (subject) =>
      Effect.gen(function* () {
        const { provider, scope } = subject
        const [one, two, three] = [
          yield* subject.open("work_item", "bob"),
          yield* subject.open("change_proposal", "bob"),
          yield* subject.open("work_item", "bob")
        ]
        yield* subject.close(three)
        yield* subject.settle
        const first = listed(yield* provider.list(scope, []))
        assert.isTrue(first.complete)
        assert.deepStrictEqual(first.rows.map(({ number, kind }) => [number, kind]).toSorted(), [
          [one, "work_item"],
          [two, "change_proposal"]
        ])
        assert.isFalse(first.rows.some(({ fresh }) => fresh))
        const before = yield* provider.usage
        assert.strictEqual((yield* provider.list(scope, first.validators))._tag, "Unchanged")
        const after = yield* provider.usage
        assert.strictEqual(after.notModified - before.notModified, after.requests - before.requests)
        const other = yield* subject.restarted
        assert.strictEqual((yield* other.list(scope, first.validators))._tag, "Unchanged")
        for (const change of [subject.say(one, "bob", "hi"), subject.unlabel(one), subject.close(two)]) {
          const known = listed(yield* provider.list(scope, [])).validators
          yield* change
          yield* subject.settle
          assert.strictEqual((yield* provider.list(scope, known))._tag, "Listed")
        }
        assert.deepStrictEqual(listed(yield* provider.list(scope, [])).rows, [])
      })
    )

    law("gives an item the same names however it is seen, in any process", (subject) =>
      Effect.gen(function* () {
        const number = yield* subject.open("work_item", "bob")
        yield* subject.say(number, "bob", "hi")
        yield* subject.settle
        const target = yield* row(subject, number)
        const other = yield* subject.restarted
        const [here, there] = [
          yield* subject.provider.observe(target, whole),
          yield* other.observe(target, whole)
        ]
        const checked = yield* other.check(target, undefined)
        const items = [here.item, there.item, checked._tag === "Present" ? checked.item : undefined]
        for (const item of items) {
          assert.deepStrictEqual(
            [item?.ref, item?.identity, item?.space, item?.kind, item?.number],
            [target.ref, target.identity, here.item.space, target.kind, number]
          )
        }
        const ids = [here, there].map(({ item, comments }) =>
          comments.map((comment) => deliveryId(item.space, comment, "default"))
        )
        assert.deepStrictEqual(ids[0], ids[1])
        assert.deepStrictEqual(subject.provider.resolve(target.ref), [target.ref])
        assert.deepStrictEqual(subject.provider.resolve(here.item.url), [target.ref])
        assert.deepStrictEqual(subject.provider.resolve("nothing of this tracker's"), [])
      })
    )

    law("shows a fingerprint that changes when there is something to see", (subject) =>
      Effect.gen(function* () {
        const number = yield* subject.open("work_item", "bob")
        yield* subject.settle
        const before = yield* row(subject, number)
        assert.strictEqual((yield* row(subject, number)).fingerprint, before.fingerprint)
        yield* subject.say(number, "bob", "hi")
        yield* subject.settle
        assert.notStrictEqual((yield* row(subject, number)).fingerprint, before.fingerprint)
      })
    )

    law(
      "brings every word home, with its author folded, from the beginning or from where it was read to",
      (subject) =>
        Effect.gen(function* () {
          const number = yield* subject.open("work_item", "Bob")
          yield* subject.say(number, "Bob", "one")
          yield* subject.say(number, "alice", "two")
          yield* subject.settle
          const target = yield* row(subject, number)
          const first = yield* subject.provider.observe(target, whole)
          assert.deepStrictEqual(words(first), ["one", "two"])
          assert.deepStrictEqual(
            first.comments.map(({ author }) => author?.principal),
            [subject.provider.principal("BOB"), subject.provider.principal("alice")]
          )
          assert.isTrue(Object.values(first.streams).every(({ complete }) => complete))
          yield* subject.say(number, "bob", "three")
          const since = Object.fromEntries(Object.keys(first.streams).map((stream) => [stream, first.at]))
          const later = yield* subject.provider.observe(target, { since, labelling: false })
          assert.deepStrictEqual(words(later), ["three"])
          // An edit is the same word; a deleted one is not there.
          const [one, two] = first.comments.map(wordKey)
          yield* subject.edit(number, one ?? "", "one, edited")
          yield* subject.unsay(number, two ?? "")
          const last = yield* subject.provider.observe(target, whole)
          assert.deepStrictEqual(words(last), ["one, edited", "three"])
          assert.strictEqual(wordKey(last.comments[0] ?? assert.fail("no word")), one)
        })
    )

    law("knows who put the label on", (subject) =>
      Effect.gen(function* () {
        const number = yield* subject.open("work_item", "bob")
        yield* subject.unlabel(number)
        yield* subject.relabel(number, "alice")
        const target = yield* row(subject, number)
        const seen = yield* subject.provider.observe(target, { since: {}, labelling: true })
        assert.deepStrictEqual(
          [seen.labelling?.label, seen.labelling?.by?.principal],
          [subject.label, subject.provider.principal("alice")]
        )
      })
    )

    law("tells an end from a doubt, and nothing from nothing new", (subject) =>
      Effect.gen(function* () {
        const { provider } = subject
        const [issue, change, removed] = [
          yield* subject.open("work_item", "bob"),
          yield* subject.open("change_proposal", "bob"),
          yield* subject.open("work_item", "bob")
        ]
        const targets = [
          yield* row(subject, issue),
          yield* row(subject, change),
          yield* row(subject, removed)
        ]
        const [one, two, three] = targets
        if (one === undefined || two === undefined || three === undefined) return assert.fail("no targets")
        const open = yield* provider.check(one, undefined)
        assert.isTrue(open._tag === "Present" && open.item.state === "open")
        const validator = open._tag === "Present" ? open.validator : undefined
        assert.strictEqual((yield* provider.check(one, validator))._tag, "Unchanged")
        yield* subject.close(issue)
        const closed = yield* provider.check(one, validator)
        assert.isTrue(closed._tag === "Present" && closed.item.state === "closed")
        yield* subject.reopen(issue)
        const again = yield* provider.check(one, undefined)
        assert.isTrue(again._tag === "Present" && again.item.state === "open")
        yield* subject.merge(change)
        const merged = yield* provider.check(two, undefined)
        assert.isTrue(merged._tag === "Present" && merged.item.state === "merged")
        yield* subject.remove(removed)
        assert.deepStrictEqual(yield* provider.check(three, undefined), { _tag: "Gone", how: "deleted" })
      })
    )

    law("posts a word that comes back under the key it gave", (subject) =>
      Effect.gen(function* () {
        const number = yield* subject.open("work_item", "bob")
        const target = yield* row(subject, number)
        const key = yield* subject.provider.post(target, "from heed")
        const seen = yield* subject.provider.observe(target, whole)
        assert.deepStrictEqual(
          seen.comments.map((comment) => [wordKey(comment), comment.body, comment.author?.principal]),
          [[key, "from heed", yield* subject.provider.self]]
        )
      })
    )

    law("fails when it cannot ask, and says nothing of any item then (G4.1)", (subject) =>
      Effect.gen(function* () {
        const number = yield* subject.open("work_item", "bob")
        const target = yield* row(subject, number)
        yield* subject.breakDown
        const { provider, scope } = subject
        const questions: ReadonlyArray<Effect.Effect<unknown, SourceError>> = [
          provider.list(scope, []),
          provider.observe(target, whole),
          provider.check(target, undefined),
          provider.post(target, "hi")
        ]
        for (const question of questions) {
          const message = yield* Effect.match(question, {
            onSuccess: () => "",
            onFailure: (failure) => failure.message
          })
          assert.notStrictEqual(message, "")
        }
      })
    )
  })
}
