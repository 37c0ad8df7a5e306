/**
 * `heed events`: what heed did and why, from its event log.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { millis } from "../domain/Item.ts"
import { means } from "../engine/Naming.ts"
import { Ref } from "../domain/Ref.ts"
import { EventLog, EventName, LogLine } from "../state/EventLog.ts"
import { follow } from "./Follow.ts"
import { refused } from "./Failure.ts"
import { House } from "./House.ts"
import * as Lines from "./Lines.ts"
import { reach } from "./Reach.ts"
import type { Page } from "./Render.ts"
import { durationFlag, json, page } from "./Root.ts"
import { oneLine } from "./Text.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(LogLine))
const isRef = Schema.is(Ref)

interface Wanted {
  readonly type: Option.Option<string>
  readonly ref: Option.Option<string>
  /** Milliseconds. */
  readonly since: Option.Option<number>
}

/** Whether a line is asked for. */
const filter = (wanted: Wanted, now: number): ((line: LogLine) => boolean) => {
  const name = Option.match(wanted.type, { onNone: () => () => true, onSome: Lines.glob })
  const from = Option.match(wanted.since, {
    onNone: () => 0,
    onSome: (span) => now - span
  })
  const item = Option.match(wanted.ref, {
    onNone: () => () => true,
    onSome: (text) => (line: LogLine) => line.ref !== undefined && isRef(line.ref) && means(text, line.ref)
  })
  return (line) => name(line.event) && item(line) && millis(line.ts) >= from
}

const show = (asJson: boolean, shape: Page) => (line: LogLine) =>
  Console.log(asJson ? JSON.stringify(line) : Lines.line(shape, line))

export const events = Command.make(
  "events",
  {
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("go on with what happens next"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    type: Flag.String("type").pipe(
      Flag.withMetavar("GLOB"),
      Flag.withDescription("events of this name: 'poll.*'"),
      Flag.optional
    ),
    ref: Flag.String("ref").pipe(
      Flag.withMetavar("REF"),
      Flag.withDescription("events of this item"),
      Flag.optional
    ),
    since: durationFlag("since").pipe(Flag.withDescription("not older than this: 2h"), Flag.optional),
    json
  },
  Effect.fn("cli.events")(function* (input) {
    const house = yield* House
    const path = yield* Path.Path
    const { state } = yield* reach
    if (Option.isSome(input.type) && !EventName.literals.some(Lines.glob(input.type.value)))
      return yield* refused(
        `no event has a name like "${input.type.value}"; the names are ${EventName.literals.join(", ")}`
      )
    const wants = filter(input, yield* Clock.currentTimeMillis)
    const print = show(input.json, yield* page)
    if (input.follow)
      return yield* follow(path.join(state.root, "events.jsonl")).pipe(
        Stream.map((text) => decode(text)),
        Stream.runForEach((line) =>
          Option.isSome(line) && wants(line.value) ? print(line.value) : Effect.void
        )
      )
    const lines = yield* Effect.flatMap(EventLog, (log) => log.read).pipe(
      Effect.provide(house.records(state))
    )
    const wanted = lines.filter(wants)
    yield* Effect.forEach(wanted, print, { discard: true })
    if (wanted.length === 0 && Option.isSome(input.ref))
      yield* Console.error(`the log holds no such event of ${oneLine(input.ref.value)}`)
  })
).pipe(
  Command.withDescription("Shows what heed did and why, oldest first."),
  Command.withShortDescription("what heed did and why; --follow to watch"),
  Command.withExamples([
    { command: "heed events --since 2h --type 'session.*'" },
    { command: "heed events --follow --json | jq .event", description: "for scripts" }
  ])
)
