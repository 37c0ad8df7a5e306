/**
 * Remains: what still runs of a session, and how it is ended. The pane's process leads a terminal session of its own; a
 * number says little, so whoever is not certainly of that session is known by the session's id in its environment.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { identify, type ProcessIdentity } from "../../disk/ProcessIdentity.ts"
import * as ProcessTable from "../../disk/ProcessTable.ts"

/** How its agent is known. */
export type Whereabouts =
  /** It lives, and is known for certain. */
  | { readonly _tag: "Led"; readonly by: ProcessIdentity }
  /** It has left its pane, or its server is gone. */
  | { readonly _tag: "Left" }

/** Whose remains are meant. Another root on this machine may have a session of the same id: the item's, not the root's. */
export interface Belonging {
  readonly session: string
  /** Absolute: the root's `runs`, where what the session was opened with lies. */
  readonly runs: string
}

const isOf = ({ runs, session }: Belonging, environment: ReadonlyArray<string>): boolean =>
  environment.includes(`HEED_SESSION_ID=${session}`) &&
  environment.some((variable) => variable.startsWith(`HEED_PROMPT_FILE=${runs}/`))

/** What lives of a session now: its agent's group where that is certain, and whatever bears its id. */
const find = Effect.fn("Remains.find")(function* (whose: Belonging, where: Whereabouts) {
  // The number is given away again only once nothing of this group is left.
  const leader = where._tag === "Led" ? yield* identify(where.by.pid) : undefined
  const group =
    where._tag === "Led" && (leader === undefined || leader.startTime === where.by.startTime)
      ? where.by.pid
      : undefined
  const found: Array<ProcessIdentity> = []
  for (const row of yield* ProcessTable.rows) {
    if (row.group !== group && !isOf(whose, yield* ProcessTable.environmentOf(row.pid))) continue
    const identity = yield* identify(row.pid)
    // Another process may have got the number since the table was read.
    if (identity?.startTime === row.startTime) found.push(identity)
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
