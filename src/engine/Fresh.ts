/**
 * Fresh: names that were never used before and cannot be guessed. A reference, so that a test can make them known.
 */
import * as Context from "effect/Context"
import { randomUUID } from "node:crypto"

export const Fresh = Context.Reference<{ readonly uuid: () => string }>("heed/engine/Fresh", {
  defaultValue: () => ({ uuid: () => randomUUID() })
})
