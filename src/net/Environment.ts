/**
 * Environment: the variables of the process, as a reference that a test or an embedder may replace.
 */
import * as Context from "effect/Context"

export type Variables = { readonly [name: string]: string | undefined }

/** Read anew at each use: a variable may be set while the process runs. */
export const Environment = Context.Reference<() => Variables>("heed/net/Environment", {
  defaultValue: () => () => process.env
})
