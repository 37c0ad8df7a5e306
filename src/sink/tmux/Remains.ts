/**
 * Remains: what still runs of a session, and how it is ended. The pane's process leads a terminal session of its own; a
 * number says little, so whoever is not certainly of that session is known by the session's id in its environment.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { identify, type ProcessIdentity } from "../../disk/ProcessIdentity.ts"
import * as ProcessTable from "../../disk/ProcessTable.ts"

/** Where the processes of a session are looked for. */
export type Whereabouts =
  /** The agent lives and is known for certain: its group, and what of its terminal session bears the id. */
  | { readonly _tag: "Led"; readonly by: ProcessIdentity }
  /** It left its pane, or its server is gone: every terminal session whose leader bears the id, and this one. */
  | { readonly _tag: "Left"; readonly led?: number }

/** Whose remains are meant. Another root on this machine may have a session of the same id: the item's, not the root's. */
export interface Belonging {
  readonly session: string
  /** Absolute: the root's `runs`, where what the session was opened with lies. */
  readonly runs: string
}

const isOf = ({ runs, session }: Belonging, environment: ReadonlyArray<string>): boolean =>
  environment.includes(`HEED_SESSION_ID=${session}`) &&
  environment.some((variable) => variable.startsWith(`HEED_PROMPT_FILE=${runs}/`))

/** What lives of a session now. */
const find = Effect.fn("Remains.find")(function* (whose: Belonging, where: Whereabouts) {
  const table = yield* ProcessTable.rows
  const bears = (pid: number) =>
    Effect.map(ProcessTable.environmentOf(pid), (environment) => isOf(whose, environment))
  const led = new Set<number>()
  if (where._tag === "Led") {
    // The number is given away again only once nothing of this terminal session is left.
    const leader = yield* identify(where.by.pid)
    if (leader === undefined || leader.startTime === where.by.startTime) led.add(where.by.pid)
  } else {
    if (where.led !== undefined) led.add(where.led)
    for (const row of table) if (row.pid === row.session && (yield* bears(row.pid))) led.add(row.pid)
  }
  const found: Array<ProcessIdentity> = []
  for (const row of table) {
    if (!led.has(row.session)) continue
    const isCertain = where._tag === "Led" && row.group === where.by.pid
    if (!isCertain && !(yield* bears(row.pid))) continue
    const identity = yield* identify(row.pid)
    if (identity !== undefined) found.push(identity)
  }
  return found
})

/** TERM to all of it, KILL after `grace` milliseconds. Returns when nothing of it lives. */
export const endRemains = Effect.fn("Remains.end")(function* (
  whose: Belonging,
  where: Whereabouts,
  grace: number
) {
  const signal = (name: "SIGTERM" | "SIGKILL") =>
    Effect.flatMap(find(whose, where), (found) =>
      Effect.as(
        Effect.forEach(found, (process) => ProcessTable.signal(process, name)),
        found.length
      )
    )
  if ((yield* signal("SIGTERM")) === 0) return
  const gone = yield* find(whose, where).pipe(
    Effect.repeat({ while: (found) => found.length > 0, schedule: Schedule.spaced("50 millis") }),
    Effect.timeoutOption(grace)
  )
  if (gone._tag === "Some") return
  yield* signal("SIGKILL").pipe(
    Effect.repeat({ while: (count) => count > 0, schedule: Schedule.spaced("50 millis") })
  )
})
