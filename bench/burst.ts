/**
 * burst: a thousand comments on one item that one cycle finds, and a thread of five thousand at first sight.
 */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, watch } from "node:fs"
import { join } from "node:path"
import * as Rig from "./rig.ts"
import { atMost, exactly, ratio, type Row } from "./row.ts"

interface Burst {
  readonly ms: number
  /** Times that the item's record was replaced. */
  readonly writes: number
  /** What its agent was given, held against what was written. */
  readonly lost: number
  readonly doubled: number
  readonly inOrder: boolean
}

const compared = (written: ReadonlyArray<string>, received: ReadonlyArray<string>) => {
  const once = [...new Set(received)]
  const known = new Set(once)
  return {
    lost: written.filter((word) => !known.has(word)).length,
    doubled: received.length - once.length,
    inOrder: once.join() === written.filter((word) => known.has(word)).join()
  }
}

/** The bodies of the comments that were handed over, in the order in which the agent was given them. */
const given = (out: string): ReadonlyArray<string> =>
  out.split("\n").flatMap((line) => {
    if (line === "") return []
    const event: { readonly transition: { readonly comment?: { readonly body: string } } } = JSON.parse(line)
    return event.transition.comment === undefined ? [] : [event.transition.comment.body]
  })

/** Lets one cycle find so many comments on a live session's item. */
const burst = (count: number, coalesce: boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      const api = yield* Rig.forge
      const repos = yield* Rig.repositories(api, 1, 1)
      const where = yield* Rig.place
      Rig.configure(where, { url: api.url, repos, coalesce })
      yield* Rig.once(where)
      const words = Array.from({ length: count }, (_, at) => `word ${at}`)
      yield* Effect.forEach(words, (body) => api.comment({ repo: "acme/r0", number: 1, body }))
      yield* api.advanceClock({ millis: 60_000 })
      const items = join(where.root, "items")
      const [record = ""] = readdirSync(items)
      let writes = 0
      const watcher = watch(items, (_, name) => {
        // A file that comes under this name is a rename, told once.
        if (name === record) writes += 1
      })
      const start = performance.now()
      const out = yield* Rig.once(where)
      const ms = performance.now() - start
      watcher.close()
      return { ms, writes, ...compared(words, given(out)) } satisfies Burst
    })
  )

interface Thread {
  readonly ms: number
  /** The most memory that heed had, in megabytes. */
  readonly peak: number
  /** How many of its words the start held. */
  readonly held: number
}

/** Lets one cycle see an item for the first time that has so many comments. */
const thread = (count: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const api = yield* Rig.forge
      const repos = yield* Rig.repositories(api, 1, 1)
      const where = yield* Rig.place
      Rig.configure(where, { url: api.url, repos })
      const body = "A comment of the usual length, which says what its author thinks of the matter. ".repeat(
        5
      )
      for (let n = 0; n < count; n += 1) yield* api.comment({ repo: "acme/r0", number: 1, body })
      yield* api.advanceClock({ millis: 60_000 })
      let peak = 0
      const start = performance.now()
      const child = yield* Rig.heed(where, "start", "--once", "--wait")
      const watched = Effect.sync(() => {
        peak = Math.max(peak, Rig.resident(child.pid))
      }).pipe(Effect.andThen(Effect.sleep(10)), Effect.forever)
      yield* Effect.raceFirst(child.ended, watched)
      const ms = performance.now() - start
      const items = join(where.root, "items")
      const [name = ""] = readdirSync(items)
      const record: { readonly seen: { readonly [key: string]: string } } = JSON.parse(
        readFileSync(join(items, name), "utf8")
      )
      const held = Object.values(record.seen).filter((outcome) => outcome === "baseline").length
      return { ms, peak, held } satisfies Thread
    })
  )

export const burstRows = Effect.gen(function* () {
  const rows: Array<Row> = []
  const quarter = yield* burst(250, false)
  const half = yield* burst(500, false)
  const all = yield* burst(1000, false)
  const together = yield* burst(1000, true)
  const shorter = yield* thread(2500)
  const long = yield* thread(5000)
  const right = { lost: 0, doubled: 0, inOrder: true }
  const fate = ({ doubled, inOrder, lost }: Pick<Burst, "lost" | "doubled" | "inOrder">) =>
    `${lost} lost, ${doubled} doubled, ${inOrder ? "in order" : "OUT OF ORDER"}`
  const each = (one: number, other: number) => `${one.toFixed(2)} ms to ${other.toFixed(2)} ms each`
  rows.push(
    exactly("1,000 comments in one cycle, one by one", fate(all), fate(right)),
    exactly("1,000 comments in one cycle, together", fate(together), fate(right)),
    exactly("  500 and 250 of them", `${fate(half)}; ${fate(quarter)}`, `${fate(right)}; ${fate(right)}`),
    ratio(
      "  time per comment, 500 to 250",
      half.ms / 500 / (quarter.ms / 250),
      1.25,
      each(half.ms / 500, quarter.ms / 250)
    ),
    ratio(
      "  time per comment, 1,000 to 500",
      all.ms / 1000 / (half.ms / 500),
      1.25,
      each(all.ms / 1000, half.ms / 500)
    ),
    atMost("  durable writes without coalesce", all.writes, 1010, "writes"),
    atMost("  durable writes with coalesce", together.writes, 5, "writes"),
    exactly("5,000 comments at first sight", `${long.held} in the start`, "5000 in the start"),
    ratio(
      "  time per comment, 5,000 to 2,500",
      long.ms / 5000 / (shorter.ms / 2500),
      1.25,
      each(long.ms / 5000, shorter.ms / 2500)
    ),
    ratio(
      "  memory, 5,000 to 2,500",
      long.peak / shorter.peak,
      2,
      `${Math.round(long.peak)} MB to ${Math.round(shorter.peak)} MB`
    )
  )
  return { rows }
})
