/** Kinds of the tests' own: a tracker with keys of every sort, and two sinks. */
import * as Schema from "effect/Schema"
import { required, withDefault } from "../../src/domain/Key.ts"
import type { Kinds, ProviderKind, SettingsProblem } from "../../src/config/Kinds.ts"
import type { Rooms } from "../../src/config/Read.ts"

const Label = Schema.NonEmptyString

const Settings = {
  host: withDefault(Schema.String, "github.com", "The host; an Enterprise Server is fine."),
  apiUrl: Schema.optionalKey(
    Schema.String.pipe(
      Schema.annotateEncoded({ description: "Default: from `host`. Plain http only to loopback." })
    )
  ),
  auth: withDefault(
    Schema.Union([
      Schema.Struct({
        from: required(Schema.Literal("gh"), "Ask `gh` for its login's token."),
        binary: withDefault(Schema.String, "gh", "The `gh` to ask.")
      }),
      Schema.Struct({ env: required(Schema.String, "The variable that holds the token.") }),
      Schema.Struct({ file: required(Schema.String, "The file that holds the token.") })
    ]),
    { from: "gh" },
    "Where the token comes from."
  ),
  repos: required(
    Schema.Array(
      Schema.String.pipe(
        Schema.annotate({ expected: "a repository like owner/name" }),
        Schema.check(Schema.isPattern(/^[\w.-]+\/[\w.-]+$/u, { expected: "a repository like owner/name" }))
      )
    ),
    "The repositories to watch."
  ),
  label: Schema.optionalKey(
    Label.pipe(Schema.annotateEncoded({ description: "The label that asks for an agent.", default: "agent" }))
  ),
  labels: Schema.optionalKey(
    Schema.Union([
      Schema.Struct({ anyOf: Schema.Array(Label) }),
      Schema.Struct({ allOf: Schema.Array(Label) })
    ]).pipe(Schema.annotateEncoded({ description: "Several labels, in place of `label`." }))
  ),
  monitor: withDefault(
    Schema.Struct({
      issues: withDefault(Schema.Boolean, true, "Watch issues."),
      pullRequests: withDefault(Schema.Boolean, true, "Watch pull requests.")
    }),
    {},
    "What is watched."
  )
}

const decode = Schema.decodeUnknownSync(Schema.Struct(Settings))

const github: ProviderKind = {
  name: "github",
  fields: Settings,
  check: (settings): ReadonlyArray<SettingsProblem> => {
    const { label, labels } = decode(settings)
    return [
      ...(label?.includes(",") === true
        ? [{ path: ["label"], message: "a label cannot hold a comma here; write another label" }]
        : []),
      ...(label !== undefined && labels !== undefined
        ? [{ path: ["labels"], message: "label and labels together; remove one of them" }]
        : [])
    ]
  }
}

const kinds: Kinds = {
  providers: [github],
  sinks: [
    { name: "process", fields: {} },
    { name: "stdout", fields: {}, commandless: true }
  ],
  notYet: { providers: ["gitlab", "jira"], sinks: ["github-actions", "gitlab-pipeline"] }
}

export const rooms: Rooms = {
  kinds,
  templates: {
    builtIn: { start: "built-in start", comment: "built-in comment", resume: "built-in resume" },
    check: (_prompt, text) => (text.includes("{{ broken") ? "a tag is not closed; close it" : undefined)
  }
}
