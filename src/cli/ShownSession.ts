/**
 * ShownSession: what a terminal runs to show the session of an item, read from what lies on disk: it needs neither the lock
 * nor a daemon.
 */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { Session } from "../domain/Record.ts"
import { Naming } from "../engine/Naming.ts"
import { type Showing, Sinks } from "../sink/Sink.ts"
import { Ledger } from "../state/Ledger.ts"
import { Root } from "../state/Root.ts"
import { type Failure, refused } from "./Failure.ts"

/** What it is read from. */
export type Shown = Ledger | Naming | Root | Sinks

const showOne = Effect.fnUntraced(function* (agent: string, session: Session) {
  const { runs } = yield* Root
  const sink = (yield* Sinks).get(session.plan.sink)
  const { claim, id, seat } = session
  if (sink?.stays === undefined) {
    const output =
      claim === undefined
        ? "none is at work now"
        : `what the one at work says is in ${join(runs, claim.id, String(claim.try), "stdout")}`
    return yield* refused(
      `agent ${agent} has no open session to attach to: with sink ${session.plan.sink} each hand-over is a run of its own; ${output}`
    )
  }
  return yield* sink.stays
    .show({
      id,
      ...(seat === undefined ? {} : { seat }),
      ...(claim === undefined ? {} : { newest: { id: claim.id, try: claim.try } })
    })
    .pipe(
      Effect.mapError(({ message }) =>
        refused(`agent ${agent}: ${message}; its next hand-over opens the session again`)
      )
    )
})

/** The first session of an item that can be shown; fails with what there is instead. */
export const of = (text: string): Effect.Effect<Showing, Failure, Shown> =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const ref = yield* (yield* Naming).resolve(text)
    const entry = yield* ledger.find(ref)
    const record = entry === undefined ? undefined : yield* ledger.get(entry.identity)
    const [first, ...others] = Object.entries(record?.sessions ?? {})
      .filter(([, { state }]) => state !== "ended")
      .map(([agent, session]) => showOne(agent, session))
    if (first === undefined) {
      return yield* refused(`"${text}" has no session; "heed sessions" lists those there are`)
    }
    return yield* Effect.firstSuccessOf([first, ...others])
  }).pipe(Effect.catchTag(["LedgerError", "OperatorError"], ({ message }) => Effect.fail(refused(message))))
