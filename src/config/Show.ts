/**
 * Show: the effective configuration as a file that says every default, for `heed config show`.
 */
import type * as Schema from "effect/Schema"
import * as Yaml from "yaml"

/** YAML 1.2 that heed would read as the same configuration. */
export const showText = (effective: Schema.Json): string =>
  Yaml.stringify(effective, { version: "1.2", schema: "core", lineWidth: 0, aliasDuplicateObjects: false })
