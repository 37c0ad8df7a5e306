/** Operations on the server itself: its clock, settings, faults, budgets and log. */
import * as Schema from "effect/Schema"
import { Failure, Match } from "./Faults.ts"
import { LoggedRequest, Usage } from "./Meter.ts"
import { Nothing, operation } from "./Operation.ts"
import { Settings, SettingsChange } from "./Settings.ts"

export const setClock = operation(
  Schema.Struct({ at: Schema.Finite }),
  Nothing,
  ({ stage: { world } }, { at }) => {
    world.clock.set(at)
    return null
  }
)

export const advanceClock = operation(
  Schema.Struct({ millis: Schema.Finite }),
  Nothing,
  ({ stage: { world } }, { millis }) => {
    world.clock.advance(millis)
    return null
  }
)

export const configure = operation(SettingsChange, Settings, ({ stage }, change) => {
  stage.settings = { ...stage.settings, ...change }
  return stage.settings
})

export const fault = operation(
  Schema.Struct({ match: Match, failure: Failure, times: Schema.optionalKey(Schema.Int) }),
  Schema.Struct({ fault: Schema.Int }),
  ({ faults }, { match, failure, times }) => ({ fault: faults.add(match, failure, times) })
)

export const liftFault = operation(
  Schema.Struct({ fault: Schema.optionalKey(Schema.Int) }),
  Nothing,
  ({ faults }, { fault }) => {
    faults.lift(fault)
    return null
  }
)

export const setRate = operation(
  Schema.Struct({ login: Schema.String, remaining: Schema.Int, resetIn: Schema.Finite }),
  Nothing,
  ({ stage: { world }, meter }, { login, remaining, resetIn }) => {
    meter.setRate(world.account(login), remaining, resetIn)
    return null
  }
)

export const log = operation(Schema.Struct({}), Schema.Array(LoggedRequest), ({ meter }) => [...meter.log])

export const usage = operation(Schema.Struct({}), Usage, ({ meter }) => meter.usage)

export const resetLog = operation(Schema.Struct({}), Nothing, ({ meter }) => {
  meter.reset()
  return null
})
