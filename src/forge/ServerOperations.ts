/** Operations on the server itself: its clock, settings, faults, budgets and log. */
import * as Schema from "effect/Schema"
import { Failure, Match } from "./Faults.ts"
import { LoggedRequest, Usage } from "./Meter.ts"
import { Nothing, operation } from "./Operation.ts"
import { Settings, SettingsChange } from "./Settings.ts"

/** Stops the forge's clock at a moment, in epoch milliseconds. */
export const setClock = operation(
  Schema.Struct({ at: Schema.Finite }),
  Nothing,
  ({ stage: { world } }, { at }) => {
    world.clock.set(at)
    return null
  }
)

/** Moves the forge's clock. */
export const advanceClock = operation(
  Schema.Struct({ millis: Schema.Finite }),
  Nothing,
  ({ stage: { world } }, { millis }) => {
    world.clock.advance(millis)
    return null
  }
)

/** Changes some settings and answers with all of them. */
export const configure = operation(SettingsChange, Settings, ({ stage }, change) => {
  stage.settings = { ...stage.settings, ...change }
  return stage.settings
})

/** Makes matching requests go wrong, `times` of them or all until `liftFault`. */
export const fault = operation(
  Schema.Struct({ match: Match, failure: Failure, times: Schema.optionalKey(Schema.Int) }),
  Schema.Struct({ fault: Schema.Int }),
  ({ faults }, { match, failure, times }) => ({ fault: faults.add(match, failure, times) })
)

/** Ends a fault, or all of them, and lets go what it holds. */
export const liftFault = operation(
  Schema.Struct({ fault: Schema.optionalKey(Schema.Int) }),
  Nothing,
  ({ faults }, { fault }) => {
    faults.lift(fault)
    return null
  }
)

/** Sets what is left of an account's hour, and in how many milliseconds that hour is over. */
export const setRate = operation(
  Schema.Struct({ login: Schema.String, remaining: Schema.Int, resetIn: Schema.Finite }),
  Nothing,
  ({ stage: { world }, meter }, { login, remaining, resetIn }) => {
    meter.setRate(world.account(login), remaining, resetIn)
    return null
  }
)

/** The requests so far, in the order of arrival; the controls' own are not among them. */
export const log = operation(Schema.Struct({}), Schema.Array(LoggedRequest), ({ meter }) => [...meter.log])

/** What the requests came to. */
export const usage = operation(Schema.Struct({}), Usage, ({ meter }) => meter.usage)

/** Forgets the log and the counters. */
export const resetLog = operation(Schema.Struct({}), Nothing, ({ meter }) => {
  meter.reset()
  return null
})
