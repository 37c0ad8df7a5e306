/**
 * Planning: a dry run. It draws the agenda that a cycle would draw, looks at what a cycle would look at, and says what
 * would be decided there.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { decideGone } from "../domain/decide/decide.ts"
import type { Decision } from "../domain/Decision.ts"
import type { Ref } from "../domain/Ref.ts"
import { type Entry, Ledger, type LedgerError } from "../state/Ledger.ts"
import { Validators } from "../state/Validators.ts"
import { isOfSource, type SourceError } from "../tracker/Provider.ts"
import * as Agenda from "./Agenda.ts"
import { isSweepDue } from "./Agenda.ts"
import { type DryRun, type PlannedItem, stepOf } from "./Inspection.ts"
import * as Looking from "./Looking.ts"
import * as Missing from "./Missing.ts"
import { type Place, targetOf } from "./Place.ts"
import { Running } from "./Running.ts"
import { Words } from "./Words.ts"

/** What would become of one item. */
interface Prospect {
  readonly item: PlannedItem
  /** Whether its start would be held. */
  readonly isHeld: boolean
  /** The same without the hold. */
  readonly unheld: PlannedItem
  /** It could not be looked at, or its record is frozen. */
  readonly failed?: "failed" | "frozen"
}

/** Answers with the dry run of all items, or of the one whose ref is given. */
export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const running = yield* Running
  const validators = yield* Validators
  const words = yield* Words
  const draw = yield* Agenda.make(words.get)
  const look = yield* Looking.make
  const elsewhereOf = yield* Missing.make

  const plannedItem = (
    { ref, title, url }: Pick<PlannedItem, "ref" | "title" | "url">,
    decisions: ReadonlyArray<Decision>
  ): PlannedItem => ({ ref, url, title, steps: decisions.map(stepOf) })

  const certain = (item: PlannedItem): Prospect => ({ item, unheld: item, isHeld: false })

  const prospectOf = ({ decisions, isHeld, observation: { item }, unheld }: Looking.Looked): Prospect => ({
    item: plannedItem(item, decisions),
    unheld: plannedItem(item, unheld),
    isHeld
  })

  /** What fails about an item alone is said in its place; what fails about its source fails the listing. */
  const alone = (
    { ref }: { readonly ref: Ref },
    prospect: Effect.Effect<Prospect | undefined, SourceError | LedgerError>
  ): Effect.Effect<ReadonlyArray<Prospect>, SourceError> =>
    prospect.pipe(
      Effect.map((found) => (found === undefined ? [] : [found])),
      Effect.catch((error) => {
        if (error._tag === "SourceError" && isOfSource(error)) return Effect.fail(error)
        const failed = error._tag === "LedgerError" && error.reason === "Frozen" ? "frozen" : "failed"
        const steps = [{ decision: failed, detail: "", reason: error.message }]
        return Effect.succeed([{ ...certain({ ref, url: "", title: "", steps }), failed } as const])
      })
    )

  const listed = (place: Place, subject: Agenda.Subject) =>
    alone(
      subject,
      Effect.gen(function* () {
        const target = yield* subject.target
        return target && prospectOf(yield* look({ ...place, hold: subject.hold }, target))
      })
    )

  const missing = (place: Place, entry: Entry) =>
    alone(
      entry,
      Effect.gen(function* () {
        const record = yield* ledger.get(entry.identity)
        if (record === undefined) return undefined
        const target = targetOf(record)
        const check = yield* place.provider.check(target, undefined)
        const finding = Missing.findingOf(entry, check, place.provider)
        switch (finding._tag) {
          case "Doubt":
          case "Absent":
            return undefined
          case "Gone":
            return certain(plannedItem(record, decideGone(record, finding.how)))
          case "Look":
            return prospectOf(yield* look(place, target))
        }
      })
    )

  /** What a first run would do with those whose starts it counts: start them, or hold them all. */
  const counted = (prospects: ReadonlyArray<Prospect>, max: number): ReadonlyArray<PlannedItem> => {
    const count = prospects.filter(({ failed, isHeld }) => isHeld || failed === "failed").length
    const why = `held: ${count} items would start at once, more than polling.firstRun.max`
    return prospects.map(({ isHeld, item, unheld }) => {
      if (!isHeld) return item
      if (count <= max) return unheld
      const steps = item.steps.map((step) => (step.decision === "wait" ? { ...step, reason: why } : step))
      return { ...item, steps }
    })
  }

  /** One item of a listing, whether or not anything changed about it. */
  const single = (agenda: Agenda.Agenda, only: Ref) => {
    const { answer } = agenda
    const row = answer._tag === "Listed" ? answer.rows.find(({ ref }) => ref === only) : undefined
    const subject = agenda.subjects.find(({ ref }) => ref === only)
    return {
      subjects: subject ? [subject] : row ? [{ ...row, target: Effect.succeed(row) }] : [],
      entries: agenda.missing.filter(({ ref }) => ref === only)
    }
  }

  const planListing = Effect.fn("Planning.planListing")(function* (
    asked: Agenda.Asked,
    only: Ref | undefined
  ) {
    const { polling } = (yield* running.get).plan
    const agenda = yield* draw(asked)
    if (agenda.isDoubted) return []
    const place: Place = { provider: asked.provider, scope: asked.scope, listed: "listed" }
    const { entries, subjects } =
      only === undefined ? { subjects: agenda.subjects, entries: agenda.missing } : single(agenda, only)
    const elsewhere = yield* elsewhereOf(asked, entries)
    const bounded = { concurrency: polling.concurrency }
    const shown = yield* Effect.forEach(subjects, (subject) => listed(place, subject), bounded)
    const asides = yield* Effect.forEach(
      entries.filter(({ identity }) => !elsewhere.has(identity)),
      (entry) => missing({ ...place, listed: "absent" }, entry),
      bounded
    )
    const first = agenda.isFirst
      ? counted(shown.flat(), polling.firstRun.max)
      : shown.flat().map(({ item }) => item)
    const items = [...first, ...asides.flat().map(({ item }) => item)]
    return items.filter(({ steps }) => only !== undefined || steps.length > 0)
  })

  return Effect.fn("Inspector.plan")(function* (only: Ref | undefined) {
    const { providers } = yield* running.get
    const { sweepEvery } = (yield* running.get).plan.polling
    const isDue = isSweepDue(yield* validators.sweptAt, yield* Clock.currentTimeMillis, sweepEvery)
    const entries = yield* ledger.entries
    const home = only === undefined ? undefined : entries.find(({ ref }) => ref === only)
    const listings = providers
      .flatMap((provider) => provider.scopes.map((scope) => ({ provider, scope })))
      // Of an item that is known only its own listing is asked, if the plan still has that.
      .filter(
        ({ provider, scope }, _, all) =>
          home === undefined ||
          !all.some((one) => one.provider.source === home.source && one.scope === home.scope) ||
          (provider.source === home.source && scope === home.scope)
      )
    const answers = yield* Effect.forEach(
      listings,
      ({ provider, scope }) => {
        const known = entries.filter((entry) => entry.source === provider.source && entry.scope === scope)
        return Effect.gen(function* () {
          const { owesSweep } = yield* validators.get(`${provider.source}/${scope}`)
          const sweep = only !== undefined || isDue || owesSweep === true
          return yield* planListing({ provider, scope, known, sweep }, only)
        }).pipe(
          Effect.map((items) => ({ items, failures: [] })),
          Effect.catchTag("SourceError", ({ message }) =>
            Effect.succeed({ items: [], failures: [{ source: provider.source, scope, message }] })
          )
        )
      },
      { concurrency: listingsAtOnce }
    )
    const dryRun: DryRun = {
      items: answers.flatMap(({ items }) => items),
      failures: answers.flatMap(({ failures }) => failures)
    }
    return dryRun
  })
})

/** How many listings are asked at once. */
const listingsAtOnce = 4
