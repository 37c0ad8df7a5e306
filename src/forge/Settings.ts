/** What is adjustable about the whole forge while it runs. */
import * as Schema from "effect/Schema"

export const Settings = Schema.Struct({
  /** Milliseconds that every request takes before it is looked at. */
  delay: Schema.Finite,
  /** What `per_page` is cut to. */
  maxPerPage: Schema.Int,
  /** Whether `Link` names the last page. */
  lastLink: Schema.Boolean,
  /** Whether a 304 repeats the `Link` of the page. */
  linkWhenNotModified: Schema.Boolean,
  /** Whether what was updated at exactly `since` is listed. */
  since: Schema.Literals(["inclusive", "exclusive"]),
  /** Which end of an item's history comes first; GitHub begins with the oldest. */
  history: Schema.Literals(["oldest-first", "newest-first"]),
  /** What bodies suffer on their way out (traps B17, B21). */
  bodies: Schema.Literals(["raw", "without-html-comments", "null"])
})
export type Settings = typeof Settings.Type

export const defaults: Settings = {
  delay: 0,
  maxPerPage: 100,
  lastLink: true,
  linkWhenNotModified: false,
  since: "inclusive",
  history: "oldest-first",
  bodies: "raw"
}

/** Some of the settings. */
export const SettingsChange = Schema.Struct({
  delay: Schema.optionalKey(Schema.Finite),
  maxPerPage: Schema.optionalKey(Schema.Int),
  lastLink: Schema.optionalKey(Schema.Boolean),
  linkWhenNotModified: Schema.optionalKey(Schema.Boolean),
  since: Schema.optionalKey(Settings.fields.since),
  history: Schema.optionalKey(Settings.fields.history),
  bodies: Schema.optionalKey(Settings.fields.bodies)
})
