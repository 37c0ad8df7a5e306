/**
 * Walk: one listing of one source in one cycle: list, take each item that may have changed through its step, then
 * reconcile. The walk is a fiber's plain sequence, so that an interruption skips reconciliation by construction.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { accepted } from "../domain/decide/step.ts"
import { instant, type Observation, type Row } from "../domain/Item.ts"
import type { ItemRecord } from "../domain/Record.ts"
import type { Identity } from "../domain/Ref.ts"
import { Backlog } from "../state/Backlog.ts"
import { Ledger } from "../state/Ledger.ts"
import { Validators, type Vouched } from "../state/Validators.ts"
import { type Agenda, heldBack, leftOut, make as makeAgenda } from "./Agenda.ts"
import { heldText } from "./Notice.ts"
import type { Place } from "./Place.ts"
import * as Reconcile from "./Reconcile.ts"
import { Running } from "./Running.ts"
import type { Round } from "./Round.ts"
import type { Step } from "./Step.ts"
import { Words } from "./Words.ts"

/** How the subjects of a round came through. */
interface Passed {
  /** They have a record that says what was seen. */
  readonly done: ReadonlySet<Identity>
  /** Their records are frozen: nothing changes about them until an operator has been there. */
  readonly frozen: ReadonlySet<Identity>
  /** Their starts would have gone, and are held. */
  readonly held: ReadonlyArray<Observation>
}

/**
 * Answers with the walk of one round, which says how many items the listing shows. It fails where the source, or the
 * disk, fails as a whole.
 */
export const make = (step: Step) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const validators = yield* Validators
    const backlog = yield* Backlog
    const words = yield* Words
    const running = yield* Running
    const draw = yield* makeAgenda(words.get)
    const reconcile = yield* Reconcile.make(step)
    const { providers } = yield* running.get
    /** What a person said at the start of the backlog concerns the listings that there were then, and no later ones. */
    const spokenOf = new Set(
      providers.flatMap(({ scopes, source }) => scopes.map((scope) => `${source}/${scope}`))
    )

    const through = Effect.fn("Walk.through")(function* (round: Round, place: Place, { subjects }: Agenda) {
      const { provider, tally } = round
      const { polling } = (yield* running.get).plan
      const done = new Set<Identity>()
      const frozen = new Set<Identity>()
      const held: Array<Observation> = []
      yield* Effect.forEach(
        subjects,
        (subject) =>
          Effect.gen(function* () {
            const target = yield* subject.target
            if (target === undefined) return
            const stepped = yield* step.take({ ...place, hold: subject.hold }, target, tally)
            if (stepped.after !== undefined) done.add(subject.identity)
            if (stepped.isHeld) held.push(stepped.observation)
          }).pipe(
            Effect.catch((error) => {
              if (error._tag === "LedgerError" && error.reason === "Frozen") frozen.add(subject.identity)
              return step.excuse(provider, subject, error, tally)
            })
          ),
        { concurrency: polling.concurrency, discard: true }
      )
      return { done, frozen, held } satisfies Passed
    })

    /**
     * The first complete listing of a scope counts what it would start, and starts it only if that is few. Who could not
     * be looked at counts too, holds nobody up, and shares the others' lot later.
     */
    const firstRun = Effect.fn("Walk.firstRun")(function* (
      round: Round,
      place: Place,
      { listing, subjects }: Agenda,
      { done, frozen, held }: Passed
    ) {
      const { plan, policy } = yield* running.get
      const said = spokenOf.has(listing) ? running.identification.backlog : undefined
      const unseen = subjects
        .map(({ identity }) => identity)
        .filter((identity) => !done.has(identity) && !frozen.has(identity))
      const count = held.length + unseen.length
      const standing = { at: instant(yield* Clock.currentTimeMillis), count }
      const late = unseen.length === 0 ? {} : { unseen }
      const change = (f: (record: ItemRecord) => ItemRecord) =>
        Effect.forEach(held, ({ item: { identity } }) =>
          ledger.modify(identity, (record) => [undefined, record && f(record)])
        )
      if (said === "baseline") {
        yield* change((record) => accepted(record, policy.agent, "baseline"))
        return yield* backlog.set(listing, { ...standing, ...late, state: "settled" })
      }
      if (said === undefined && count > plan.polling.firstRun.max) {
        yield* change(heldBack)
        yield* backlog.set(listing, { ...standing, ...late, state: "held" })
        return yield* Effect.logWarning(heldText(listing, count))
      }
      yield* backlog.set(listing, { ...standing, state: "settled" })
      yield* Effect.forEach(
        held,
        (observation) =>
          step
            .begin(place, observation, round.tally)
            .pipe(Effect.catch((error) => step.excuse(round.provider, observation.item, error, round.tally))),
        { concurrency: plan.polling.concurrency, discard: true }
      )
    })

    /**
     * Stores what vouches for a listing, once everything it vouches for is durable (traps P.35). A frozen item keeps no
     * page from it: its row is left out, and is looked at when its record is mended or gone.
     */
    const vouch = (
      { answer, listing, subjects }: Agenda,
      { done, frozen }: Pick<Passed, "done" | "frozen">
    ) => {
      if (answer._tag === "Unchanged") return Effect.void
      const looked = new Set<Identity>(subjects.map(({ identity }) => identity))
      const isSure = (row: Row) => !row.fresh && (!looked.has(row.identity) || done.has(row.identity))
      const sure = answer.rows.filter((row) => isSure(row) || frozen.has(row.identity))
      const vouched: Vouched = {
        pages: answer.complete && sure.length === answer.rows.length ? answer.validators : [],
        rows: Object.fromEntries(
          sure.map(({ fingerprint, identity }) => [identity, frozen.has(identity) ? leftOut : fingerprint])
        )
      }
      return validators.set(listing, vouched)
    }

    return Effect.fn("Walk.walk")(function* (round: Round) {
      const { provider, scope, tally } = round
      const agenda = yield* draw(round)
      tally.items += agenda.items
      if (agenda.isDoubted) {
        yield* validators.set(agenda.listing, { ...agenda.before, pages: [], doubted: true })
        return agenda.items
      }
      const { answer } = agenda
      const place: Place = { provider, scope, listed: "listed" }
      if (answer._tag === "Listed") tally.changed += agenda.subjects.length
      const passed = yield* through(round, place, agenda)
      const isComplete = answer._tag === "Unchanged" || answer.complete
      if (agenda.isFirst && isComplete) yield* firstRun(round, place, agenda, passed)
      yield* vouch(agenda, passed)
      if (isComplete) yield* reconcile(round, agenda)
      return agenda.items
    })
  })
