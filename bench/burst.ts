/**
 * burst: a thousand comments on one item that one cycle finds.
 */
import * as Effect from "effect/Effect"
import { readdirSync, watch } from "node:fs"
import { join } from "node:path"
import * as Rig from "./rig.ts"
import { atMost, exactly, ratio, type Row } from "./row.ts"

interface Burst {
  readonly ms: number
  /** Times that the item's record was replaced. */
  readonly writes: number
  readonly inOrder: boolean
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
      return { ms, writes, inOrder: given(out).join() === words.join() } satisfies Burst
    })
  )

export const burstRows = Effect.gen(function* () {
  const rows: Array<Row> = []
  const quarter = yield* burst(250, false)
  const half = yield* burst(500, false)
  const all = yield* burst(1000, false)
  const together = yield* burst(1000, true)
  const each = (one: number, other: number) => `${one.toFixed(2)} ms to ${other.toFixed(2)} ms each`
  rows.push(
    exactly(
      "1,000 comments in one cycle: once each, in order",
      String(all.inOrder && half.inOrder && quarter.inOrder && together.inOrder),
      "true"
    ),
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
    atMost("  durable writes with coalesce", together.writes, 5, "writes")
  )
  return { rows }
})
