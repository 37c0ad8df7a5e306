/**
 * Places: where a configuration may lie, in the order in which commands look.
 */
import { join, resolve } from "node:path"

export interface Asked {
  /** The working folder. */
  readonly from: string
  /** `--config`. */
  readonly file: string | undefined
  /** `$HEED_CONFIG`, `$XDG_CONFIG_HOME` and `$HOME`; an empty one is none. */
  readonly named: string | undefined
  readonly xdg: string | undefined
  readonly home: string | undefined
}

/** One place that was asked for and is taken even if nothing is there, or those of which the first that is there is. */
export type Places =
  | { readonly _tag: "Asked"; readonly place: string }
  | { readonly _tag: "First"; readonly places: ReadonlyArray<string> }

const given = (text: string | undefined): text is string => text !== undefined && text !== ""

/** Absolute paths. */
export const places = ({ from, file, named, xdg, home }: Asked): Places => {
  if (given(file)) return { _tag: "Asked", place: resolve(from, file) }
  if (given(named)) return { _tag: "Asked", place: resolve(from, named) }
  const folder = given(xdg) ? xdg : given(home) ? join(home, ".config") : undefined
  return {
    _tag: "First",
    places: [
      resolve(from, "heed.yaml"),
      ...(folder === undefined ? [] : [resolve(from, folder, "heed", "heed.yaml")])
    ]
  }
}
