/**
 * `heed stop`: asks the daemon to stop and waits until it is gone.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Stopping from "../control/Stop.ts"
import { pidfileName } from "../disk/RunLock.ts"
import { refused } from "./Failure.ts"
import { House } from "./House.ts"
import { reach } from "./Reach.ts"
import { durationFlag } from "./Root.ts"

export const stop = Command.make(
  "stop",
  {
    timeout: durationFlag("timeout").pipe(
      Flag.withDescription("how long to wait until it is gone (30s)"),
      Flag.withDefault(30_000)
    )
  },
  Effect.fn("cli.stop")(function* (input) {
    const house = yield* House
    const path = yield* Path.Path
    const { state } = yield* reach
    const pid = yield* Stopping.stop({
      socket: yield* house.socket(state),
      pidfile: path.join(state.root, pidfileName),
      timeout: Duration.millis(input.timeout)
    }).pipe(
      Effect.provide(house.lock(state)),
      Effect.catchTag(["StopError", "RunLockError"], (error) => Effect.fail(refused(error.message)))
    )
    yield* Console.log(pid === undefined ? "stopped" : `stopped (pid ${pid})`)
  })
).pipe(
  Command.withDescription("Asks the daemon to stop and waits until it is gone. Agents at work go on."),
  Command.withShortDescription("stop the daemon and wait until it is gone"),
  Command.withExamples([
    { command: "heed stop" },
    { command: "heed stop --timeout 2m && heed start", description: "start anew" }
  ])
)
