/**
 * Live: the real rooms that the commands stand on. Each is imported when a command first needs it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { refused } from "./Failure.ts"
import { House } from "./House.ts"

const missing = Effect.fail(refused("this heed is not put together yet"))

export const layer: Layer.Layer<House> = Layer.succeed(
  House,
  House.of({
    check: () => missing,
    schema: () => Effect.die("not yet"),
    socket: () => missing,
    lock: () => Layer.unwrap(missing),
    records: () => Layer.unwrap(missing),
    inspector: () => Layer.unwrap(missing),
    engine: () => Layer.unwrap(missing)
  })
)
