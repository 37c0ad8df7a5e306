/**
 * Operator: what a person may do to an item from the command line. The running daemon does it at the request of a
 * command; without a daemon the command does it itself, under the lock.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { accepted, resumed, retried, stopped } from "../domain/decide/step.ts"
import { type Instant, instant } from "../domain/Item.ts"
import { type ItemRecord, resumeKey, startKey } from "../domain/Record.ts"
import type { Ref } from "../domain/Ref.ts"
import { Backlog } from "../state/Backlog.ts"
import { EventLog } from "../state/EventLog.ts"
import { type Entry, Ledger, type LedgerError } from "../state/Ledger.ts"
import { AgentHealth } from "./AgentHealth.ts"
import { endedLines } from "./Decided.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { frozenText, namedAs } from "./Frozen.ts"
import { Running } from "./Running.ts"

/**
 * Why nothing was done. Unknown: no item is meant, or more than one. Nothing: there is nothing to change. Frozen,
 * Unwritable: the item's record, as `LedgerError` has it.
 */
export class OperatorError extends Schema.TaggedError<OperatorError>()("OperatorError", {
  reason: Schema.Literals(["Unknown", "Nothing", "Frozen", "Unwritable"]),
  message: Schema.String
}) {}

/** A person's hands. What is done is durable when it returns, stands in the event log, and is looked after at once. */
export class Operator extends Context.Service<
  Operator,
  {
    /** Re-arms what was given up or settled on the item, and answers with what that was, in words. */
    readonly retry: (ref: Ref) => Effect.Effect<string, OperatorError>
    /** Holds what waits, and what comes, until `resume`; a run at work finishes. */
    readonly pause: (ref: Ref) => Effect.Effect<string, OperatorError>
    /** Lets a paused item go on, whoever paused it. */
    readonly resume: (ref: Ref) => Effect.Effect<string, OperatorError>
    /** Ends the item's sessions for good; a run at work gets its grace. */
    readonly stop: (ref: Ref) => Effect.Effect<string, OperatorError>
    /** Says what becomes of the starts that a first run holds: all start, or only by command or a new label. */
    readonly acceptBacklog: (how: "start" | "baseline") => Effect.Effect<string, OperatorError>
  }
>()("heed/engine/Operator") {
  static readonly layer: Layer.Layer<
    Operator,
    never,
    Ledger | EventLog | Dispatcher | Backlog | Running | AgentHealth
  > = Layer.effect(
    Operator,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const log = yield* EventLog
      const dispatcher = yield* Dispatcher
      const backlog = yield* Backlog
      const running = yield* Running
      const health = yield* AgentHealth

      const inWords = (error: LedgerError) =>
        new OperatorError({ reason: error.reason, message: error.message })

      /** Changes an item's record and has its sessions looked after; the change answers with what it did. */
      const change = Effect.fn("Operator.change")(function* (
        command: string,
        entry: Entry,
        f: (record: ItemRecord, now: Instant) => readonly [string, ItemRecord]
      ) {
        const now = instant(yield* Clock.currentTimeMillis)
        const { before, after, said } = yield* ledger
          .modify(entry.identity, (before) => {
            const [said, after] = before === undefined ? ["", undefined] : f(before, now)
            return [{ before, after, said }, after]
          })
          .pipe(Effect.mapError(inWords))
        yield* log.append(
          {
            event: "control.command",
            level: "info",
            source: entry.source,
            ref: entry.ref,
            command,
            by: "operator"
          },
          ...(after === undefined ? [] : endedLines(before, after))
        )
        yield* dispatcher.offer(entry.identity)
        return said
      })

      const onItem = (
        command: string,
        f: (record: ItemRecord, now: Instant) => readonly [string, ItemRecord] | string
      ) =>
        Effect.fn(`Operator.${command}`)(function* (ref: Ref) {
          const entry = yield* ledger.find(ref)
          if (entry === undefined) {
            const frozen = namedAs(yield* ledger.entries, ref)
            if (frozen !== undefined)
              return yield* new OperatorError({ reason: "Frozen", message: frozenText(frozen) })
            return yield* new OperatorError({
              reason: "Unknown",
              message: `heed knows no item ${ref}; heed sessions lists those that it works on`
            })
          }
          const record = yield* ledger.get(entry.identity).pipe(Effect.mapError(inWords))
          const trial = record === undefined ? `${ref} has no record` : f(record, instant(0))
          if (typeof trial === "string")
            return yield* new OperatorError({ reason: "Nothing", message: trial })
          return yield* change(command, entry, (current, now) => {
            const done = f(current, now)
            return typeof done === "string" ? [done, current] : done
          })
        })

      /** Lets the item be the next one that the paused agents with something to do on it are tried on. */
      const choose = Effect.fn("Operator.choose")(function* (ref: Ref) {
        const entry = yield* ledger.find(ref)
        const record = yield* entry === undefined
          ? Effect.succeed(undefined)
          : ledger.get(entry.identity).pipe(Effect.mapError(inWords))
        return record === undefined ? [] : yield* health.choose(record)
      })

      /** Every held start is found by its own record: what a listing's standing says may have been lost. */
      const acceptBacklog = Effect.fn("Operator.acceptBacklog")(function* (how: "start" | "baseline") {
        const { policy } = yield* running.get
        const idle = (yield* ledger.entries).filter(({ busy, frozen }) => !busy && frozen === undefined)
        let count = 0
        for (const entry of idle) {
          const record = yield* ledger.get(entry.identity).pipe(Effect.mapError(inWords))
          if (record?.held !== true) continue
          count += 1
          yield* change(`accept-backlog ${how}`, entry, (current) => [
            "",
            accepted(current, policy.agent, how)
          ])
        }
        const standings = Object.entries(yield* backlog.all)
        for (const [listing, { unseen, ...standing }] of standings) {
          if (standing.state !== "held") continue
          yield* backlog
            .set(listing, {
              ...standing,
              state: "settled",
              ...(how === "baseline" && unseen !== undefined ? { unseen } : {})
            })
            .pipe(Effect.mapError(inWords))
        }
        return how === "start"
          ? `${count} items start now`
          : `${count} items start only by command or a new label`
      })

      return Operator.of({
        retry: Effect.fn("Operator.retry")(function* (ref: Ref) {
          const chosen = yield* choose(ref)
          return yield* onItem("retry", (record, now) => {
            const again = retried(record, now)
            if (again === record && chosen.length === 0) {
              return `nothing was given up, settled or put off on ${record.ref}`
            }
            return [[...retriedText(record, again), ...chosen.map(chosenText)].join("; "), again]
          })(ref)
        }),
        pause: onItem("pause", (record, now) =>
          record.paused === undefined
            ? [
                `paused ${record.ref}`,
                { ...record, paused: { at: now, by: "operator", why: "heed sessions pause" } }
              ]
            : `${record.ref} is paused already, by ${record.paused.by}`
        ),
        resume: onItem("resume", (record) =>
          record.paused === undefined
            ? `${record.ref} is not paused`
            : [`resumed ${record.ref}`, resumed(record)]
        ),
        stop: onItem("stop", (record, now) => {
          const agents = Object.entries(record.sessions).filter(
            ([, { state }]) => state !== "ended" && state !== "ending"
          )
          if (agents.length === 0) return `${record.ref} has no session that could be stopped`
          const after = agents.reduce(
            (next, [agent]) => stopped(next, agent, "stopped by heed sessions stop", now),
            record
          )
          const working = agents.some(([agent]) => after.sessions[agent]?.state === "ending")
          return [
            working ? `stopping ${record.ref}: its run has its grace to finish` : `stopped ${record.ref}`,
            after
          ]
        }),
        acceptBacklog
      })
    })
  )
}

/** What a retry came to, in words. */
const retriedText = (record: ItemRecord, again: ItemRecord): ReadonlyArray<string> => {
  const words = record.gaveUp.map(({ key }) =>
    key === startKey ? "its start" : key === resumeKey ? "its resumption" : key
  )
  const settled = Object.values(record.seen).filter((outcome) => outcome.startsWith("settled: ")).length
  const putOff = record.waiting.some(({ notBefore }) => notBefore !== undefined)
  return [
    ...(words.length === 0 ? [] : [`tries again: ${words.join(", ")}`]),
    ...(settled === 0 ? [] : [`judges again: ${settled} settled`]),
    ...(putOff && again !== record ? ["tries now what was put off"] : []),
    ...(words.length > 0 && isOver(record)
      ? ["its session is over, so this waits for the next one: /heed start begins it"]
      : [])
  ]
}

const chosenText = (agent: string): string => `is the next item that the paused agent ${agent} is tried on`

/** Whether the item had sessions and has none any more. */
const isOver = ({ sessions }: ItemRecord): boolean =>
  Object.values(sessions).length > 0 && Object.values(sessions).every(({ state }) => state === "ended")
