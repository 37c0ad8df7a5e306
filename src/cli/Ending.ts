/**
 * Ending: what the process answers with when a signal interrupts it.
 */
import * as Context from "effect/Context"
import type * as Ref from "effect/Ref"

/** 130, as shells expect of an interrupted command, until a command says that for it an interruption is a stop. */
export class Ending extends Context.Service<Ending, { readonly interrupted: Ref.Ref<number> }>()(
  "heed/cli/Ending"
) {}
