/**
 * The keys of a configuration file, with their defaults and descriptions. What a source or an agent has beside the
 * common keys comes from its kind (`Kinds`); nothing here names one.
 */
import * as Schema from "effect/Schema"
import { Duration } from "../domain/Duration.ts"
import { atLeast, optional, required, withDefault } from "../domain/Key.ts"
import type { Kinds, ProviderKind, SinkKind } from "./Kinds.ts"
import { Size } from "./Size.ts"

/** The version of this file's format. */
export const formatVersion = 1

const Name = Schema.String.pipe(
  Schema.annotate({ expected: "a name of letters, digits, `-`, `_` and `.`" }),
  Schema.check(
    Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, {
      expected: "a name of at most 64 letters, digits, `-`, `_` and `.` that begins with a letter or digit"
    })
  )
)

const pathText = "a path, without `~`, which nobody expands here, and without NUL characters"
const FilePath = Schema.String.pipe(
  Schema.annotate({ expected: pathText }),
  Schema.check(Schema.isPattern(/^(?!~)[^\0]+$/u, { expected: pathText }))
)

const Words = Schema.Array(
  Schema.String.pipe(Schema.check(Schema.isPattern(/^[^\0]*$/u, { expected: "text without NUL characters" })))
)

/** As `execve` and every shell take it. */
const EnvName = Schema.String.pipe(
  Schema.annotate({ expected: "the name of an environment variable, such as MY_SETTING" }),
  Schema.check(
    Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]*$/u, {
      expected: "the name of an environment variable, such as MY_SETTING"
    })
  )
)

const State = Schema.Struct({
  root: withDefault(FilePath, ".heed", "Where heed keeps its state. A change needs a restart."),
  keep: withDefault(Duration, "30d", "How long ended items are kept; a small tombstone stays for good."),
  runs: withDefault(
    Schema.Struct({
      keep: withDefault(Duration, "14d", "How long the files of finished runs are kept."),
      maxPerRun: withDefault(Size, "100MB", "The most output that is kept of one run."),
      maxTotal: withDefault(Size, "5GB", "The most that all finished runs may hold; the oldest go first.")
    }),
    {},
    "What is kept of the agents' runs."
  ),
  events: withDefault(
    Schema.Struct({
      maxSize: withDefault(Size, "50MB", "The size at which the event log is rotated."),
      files: withDefault(atLeast(1), 5, "How many files the event log has at most.")
    }),
    {},
    "The event log."
  ),
  allowNetworkFs: withDefault(
    Schema.Boolean,
    false,
    "Allow a root on a network file system, whose locks are not always real."
  )
})

const Polling = Schema.Struct({
  interval: withDefault(
    Duration.pipe(
      Schema.check(Schema.isGreaterThanOrEqualTo(10, { expected: "at least 10ms between two cycles" }))
    ),
    "60s",
    "From the end of one cycle to the start of the next, jittered."
  ),
  concurrency: withDefault(atLeast(1), 4, "Items in hand at once, per source."),
  sweepEvery: withDefault(Duration, "15m", "How often a cycle trusts no cache and looks at everything."),
  attempts: withDefault(atLeast(1), 3, "How often a delivery is tried before heed gives it up."),
  retryAfter: withDefault(
    Schema.Array(Duration).pipe(
      Schema.check(Schema.isMinLength(1, { expected: "at least one duration, such as [1m, 5m, 15m]" }))
    ),
    ["1m", "5m", "15m"],
    "How long to wait before the 2nd, 3rd, … attempt; the last one repeats."
  ),
  firstRun: withDefault(
    Schema.Struct({
      max: withDefault(
        atLeast(0),
        25,
        "A new root that would start more sessions than this starts none until told how (`--accept-backlog`)."
      )
    }),
    {},
    "The guard against a backlog that would start everything at once."
  )
})

const User = Schema.String.pipe(
  Schema.annotate({ expected: "a login or account id" }),
  Schema.check(Schema.isPattern(/^\S+$/u, { expected: "a login or account id without spaces" }))
)

const Access = Schema.Struct({
  users: withDefault(
    Schema.Array(User),
    [],
    "Logins and account ids whose words, and no others, instruct an agent; `TRACKER:NAME` binds one to a tracker. Empty: nobody. What somebody else wrote on an item that one of them started stands in its prompt as a fenced quote."
  )
})

const Control = Schema.Struct({
  prefix: withDefault(
    Schema.String.pipe(
      Schema.check(
        Schema.isPattern(/^\/[A-Za-z0-9][A-Za-z0-9_-]*$/u, { expected: "a slash and a word, such as /heed" })
      )
    ),
    "/heed",
    "The word that makes a comment a command to heed."
  ),
  requireStart: withDefault(
    Schema.Boolean,
    false,
    "Begin a session only when somebody comments `/heed start`."
  )
})

const Limits = Schema.Struct({
  handOvers: withDefault(atLeast(1), 4, "Hand-overs that are sent at once."),
  sessions: withDefault(atLeast(1), 16, "Agents at work at once."),
  perItemPerHour: withDefault(
    atLeast(1),
    30,
    "Words that one item's agents are given in an hour before heed pauses the item."
  ),
  drain: withDefault(Duration, "10s", "How long a stop waits for hand-overs that are being sent.")
})

const Log = Schema.Struct({
  level: withDefault(
    Schema.Literals(["debug", "info", "warn", "error"]),
    "info",
    "The least that is logged."
  ),
  format: withDefault(
    Schema.Literals(["pretty", "json"]),
    "pretty",
    "How it is logged: `pretty` on a terminal and json elsewhere, or always `json`."
  )
})

const AgentKeys = {
  command: optional(
    Words.pipe(Schema.check(Schema.isMinLength(1, { expected: "a command, such as [claude, --print]" }))),
    "The program and its arguments for a conversation's first run. No shell reads it. May hold `{{ conversation.id }}`, `{{ session.id }}`, `{{ item.slug }}` and `{{ repo.slug }}`."
  ),
  resume: optional(
    Words.pipe(Schema.check(Schema.isMinLength(1, { expected: "a command, or no `resume` at all" }))),
    "The same for every later run of a conversation; without it, `command` runs again."
  ),
  cwd: withDefault(
    FilePath,
    ".",
    "Where the agent works; made when missing. May hold `{{ item.slug }}` and `{{ repo.slug }}`."
  ),
  env: withDefault(
    Schema.Record(EnvName, Schema.String),
    {},
    "Variables for the agent, beside PATH, HOME, LANG, TERM and `HEED_*`. No secrets: see `passEnv`."
  ),
  passEnv: withDefault(
    Schema.Array(EnvName),
    [],
    "Variables of heed's own environment that the agent gets too."
  ),
  prompts: withDefault(
    Schema.Struct({
      start: optional(FilePath, "The template of a session's first prompt."),
      comment: optional(FilePath, "The template of a prompt with new words."),
      resume: optional(FilePath, "The template of a prompt that resumes a lost session.")
    }),
    {},
    "Files with Liquid templates, in place of the built-in ones."
  ),
  coalesce: withDefault(Schema.Boolean, true, "Hand over together what waits together."),
  timeout: withDefault(Duration, "30m", "The longest that one run may take, in time the machine is awake."),
  endGrace: withDefault(Duration, "5m", "What a running agent gets to finish when its item ends.")
}

const kindKey = (name: string, description: string) => required(Schema.Literal(name), description)

/** One entry of `sources` for a provider. */
export const sourceSchema = (kind: ProviderKind) =>
  Schema.Struct({
    provider: kindKey(kind.name, "The tracker that this source watches."),
    name: withDefault(Name, kind.name, "The source's name; unique. Default: the provider's name."),
    onUnlabel: withDefault(
      Schema.Literals(["keep", "stop"]),
      "keep",
      "What becomes of a session whose open item lost its label: `keep` lets it go on, `stop` ends it."
    ),
    ...kind.fields
  })

/** The keys of a source that only its provider reads. */
export const settingsSchema = (kind: ProviderKind) => Schema.Struct(kind.fields)

/** One entry of `agents` for a sink. */
export const agentSchema = (kind: SinkKind) =>
  Schema.Struct({
    sink: kindKey(kind.name, "How work reaches this agent. There is no default: say which."),
    ...AgentKeys,
    ...kind.fields
  })

/** The keys that every agent has, whatever its sink. */
export const CommonAgent = Schema.Struct({ sink: Schema.String, ...AgentKeys })
export type CommonAgent = typeof CommonAgent.Type

const common = {
  version: withDefault(Schema.Literal(formatVersion), formatVersion, "The version of this file's format."),
  state: withDefault(State, {}, "What heed remembers, and for how long."),
  polling: withDefault(Polling, {}, "How often heed looks, and how often it tries.")
}
const rest = {
  access: withDefault(Access, {}, "Whose words instruct an agent."),
  control: withDefault(Control, {}, "Commands to heed in comments.")
}
const last = {
  limits: withDefault(Limits, {}, "What heed does at most."),
  log: withDefault(Log, {}, "What heed logs about itself, on stderr.")
}

/** The file as it is read first: its sources and agents are each read again by their own kind's schema. */
export const Outline = Schema.Struct({
  ...common,
  sources: Schema.Array(Schema.Unknown).pipe(
    Schema.annotateKey({
      messageMissingKey: "missing; write `sources:` and below it `- provider:` with its keys"
    })
  ),
  ...rest,
  agents: Schema.Record(Name, Schema.Unknown).pipe(
    Schema.annotateKey({
      messageMissingKey: "missing; write `agents:` and below it `default:` with its `sink:`"
    })
  ),
  ...last
})
export type Outline = typeof Outline.Type

/** The whole file, for its JSON Schema and reference. */
export const fileSchema = (kinds: Kinds) =>
  Schema.Struct({
    ...common,
    sources: required(Schema.Array(Schema.Union(kinds.providers.map(sourceSchema))), "What heed watches."),
    ...rest,
    agents: required(
      Schema.Record(Name, Schema.Union(kinds.sinks.map(agentSchema))),
      "What heed starts. The agent `default` gets what no route sends elsewhere."
    ),
    ...last
  })
