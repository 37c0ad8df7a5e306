/** Bad configurations and exactly what is to be said of each: line, path, what is wrong, what to write instead. */

export const good = `sources:
  - provider: github
    repos: [acme/app]
access: { users: [alice] }
agents:
  default: { sink: process, command: [claude] }
`

/** `good` with more keys before it, so that these stand from line 1 on. */
const top = (text: string) => `${text}\n${good}`
/** `good` with another source, whose keys stand from line 2 on. */
export const source = (text: string) =>
  `sources:\n${text}\naccess: { users: [alice] }\nagents: { default: { sink: process, command: [claude] } }\n`
/** `good` with another default agent, whose keys stand from line 2 on. */
export const agent = (text: string) =>
  `agents:\n${text}\naccess: { users: [alice] }\nsources: [{ provider: github, repos: [acme/app] }]\n`
/** `good` with other users, in line 1. */
const users = (text: string) =>
  good.replace("access: { users: [alice] }\n", "").replace(/^/u, `access: { users: ${text} }\n`)

const duration = "a duration: a number and a unit, such as 500ms, 60s, 15m, 2h, 30d or 60 seconds"
const noSecret =
  "a secret is never a value in this file; remove it, and name where it comes from: `auth: { env: NAME }` or `auth: { file: PATH }`"

export const badFiles: ReadonlyArray<readonly [name: string, text: string, problems: ReadonlyArray<string>]> =
  [
    ["an unknown key", top("pollling: {}"), [`1 pollling: unknown key; did you mean "polling"?`]],
    [
      "an unknown key like no other",
      top("zzz: 1"),
      [
        "1 zzz: unknown key; remove it, or write one of: version, state, polling, sources, access, control, agents, limits, log"
      ]
    ],
    [
      "a key in the spelling of others",
      top("limits: { hand_overs: 3 }"),
      [`1 limits.hand_overs: unknown key; did you mean "handOvers"?`]
    ],
    ["another version", top("version: 2"), ["1 version: expected 1"]],
    [
      "a bare number for a duration",
      top("polling:\n  interval: 60"),
      [`2 polling.interval: expected ${duration}, and YAML reads a number here: write it out, or quote it`]
    ],
    [
      "a number that looks octal (B91)",
      top("polling:\n  interval: 010"),
      [`2 polling.interval: expected ${duration}, and YAML reads a number here: write it out, or quote it`]
    ],
    [
      "a duration without a unit",
      top(`polling: { sweepEvery: "60" }`),
      [`1 polling.sweepEvery: expected ${duration}`]
    ],
    [
      "a duration beyond all sense",
      top("polling: { sweepEvery: 99999d }"),
      ["1 polling.sweepEvery: too long; write at most 3650d"]
    ],
    [
      "no pause between cycles",
      top("polling: { interval: 0s }"),
      ["1 polling.interval: expected at least 10ms between two cycles"]
    ],
    [
      "no attempt",
      top("polling: { attempts: 0 }"),
      ["1 polling.attempts: expected a whole number, at least 1"]
    ],
    [
      "half an attempt",
      top("polling: { attempts: 1.5 }"),
      ["1 polling.attempts: expected a whole number, at least 1"]
    ],
    [
      "attempts in words",
      top("polling: { attempts: three }"),
      ["1 polling.attempts: expected a whole number, at least 1"]
    ],
    [
      "nothing to wait for",
      top("polling: { retryAfter: [] }"),
      ["1 polling.retryAfter: expected at least one duration, such as [1m, 5m, 15m]"]
    ],
    [
      "a size without a unit",
      top("state: { runs: { maxPerRun: 100 } }"),
      [
        "1 state.runs.maxPerRun: expected a size: a number and a unit, such as 500kB, 100MB, 5GB or 64MiB, and YAML reads a number here: write it out, or quote it"
      ]
    ],
    [
      "a path that only a shell would expand",
      top("state: { root: ~/heed }"),
      ["1 state.root: expected a path, without `~`, which nobody expands here, and without NUL characters"]
    ],
    [
      "a section that is empty",
      top("polling:"),
      [
        "1 polling: nothing stands here; expected a mapping such as { interval, concurrency, sweepEvery, attempts, retryAfter, firstRun }, or remove the key"
      ]
    ],
    [
      "yes for a boolean",
      top("state: { allowNetworkFs: yes }"),
      ["1 state.allowNetworkFs: expected true or false"]
    ],
    [
      "an unknown level",
      top("log: { level: loud }"),
      ["1 log.level: expected one of: debug, info, warn, error"]
    ],
    [
      "a prefix without a slash",
      top("control: { prefix: heed }"),
      ["1 control.prefix: expected a slash and a word, such as /heed"]
    ],

    [
      "no source's provider",
      source("  - repos: [a/b]"),
      ["2 sources[0].provider: missing; write `provider:` with one of: github"]
    ],
    [
      "an unknown provider",
      source("  - provider: githb"),
      [`2 sources[0].provider: unknown provider; did you mean "github"?`]
    ],
    [
      "a provider to come",
      source("  - provider: gitlab"),
      ["2 sources[0].provider: not yet: the provider gitlab; write one of: github"]
    ],
    [
      "a source that is text",
      source("  - acme/app"),
      ["2 sources[0]: expected a mapping; write `provider: github` and its keys"]
    ],
    [
      "a provider's missing key",
      source("  - provider: github"),
      ["2 sources[0].repos: missing; write `repos:` with a list of: a repository like owner/name"]
    ],
    [
      "a label that is no text (B91)",
      source("  - provider: github\n    repos: [a/b]\n    label: true"),
      ["4 sources[0].label: expected text, and YAML reads a boolean here: quote it"]
    ],
    [
      "what a provider itself refuses",
      source("  - provider: github\n    repos: [a/b]\n    label: a, b"),
      ["4 sources[0].label: a label cannot hold a comma here; write another label"]
    ],
    [
      "two sources of one name",
      source("  - { provider: github, repos: [a/b] }\n  - provider: github\n    repos: [c/d]"),
      ["3 sources[1].name: sources[0] has this name too; write another `name:` here"]
    ],
    [
      "no shape of a union",
      source("  - { provider: github, repos: [a/b], auth: {} }"),
      ["2 sources[0].auth: expected one of: { from, binary }, { env }, { file }"]
    ],
    [
      "one shape of a union, and a slip",
      source("  - { provider: github, repos: [a/b], auth: { from: gh, binry: x } }"),
      [`2 sources[0].auth.binry: unknown key; did you mean "binary"?`]
    ],
    [
      "a token under auth",
      source("  - provider: github\n    repos: [a/b]\n    auth: { token: hunter2 }"),
      [
        `4 sources[0].auth.token: ${noSecret}`,
        "4 sources[0].auth: expected one of: { from, binary }, { env }, { file }"
      ]
    ],
    [
      "a token by its looks",
      source("  - provider: github\n    repos: [a/b]\n    host: ghp_0123456789abcdefABCDEF0123"),
      [`4 sources[0].host: this looks like a token, and ${noSecret}`]
    ],

    [
      "a user that YAML reads as a number (B91)",
      users("[1e3]"),
      [
        "1 access.users[0]: expected a login or account id, and YAML reads a number here: write it out, or quote it"
      ]
    ],
    [
      "users that are none",
      users(`["@bob", a@b.c, "Bob B", "githb:x", "jira:557"]`),
      [
        "1 access.users[2]: expected a login or account id without spaces",
        "1 access.users[0]: a login is written without @; remove it",
        "1 access.users[1]: an e-mail address is nobody's login; write the login or account id",
        `1 access.users[3]: no tracker that heed knows stands before the colon; did you mean "github"?`,
        "1 access.users[4]: not yet: the tracker jira; remove this entry"
      ]
    ],

    [
      "no sink",
      agent("  default: { command: [claude] }"),
      ["2 agents.default.sink: missing; write `sink:` with one of: process, stdout"]
    ],
    [
      "an unknown sink",
      agent("  default: { sink: proces }"),
      [`2 agents.default.sink: unknown sink; did you mean "process"?`]
    ],
    [
      "a sink to come",
      agent("  default: { sink: github-actions }"),
      ["2 agents.default.sink: not yet: the sink github-actions; write one of: process, stdout"]
    ],
    [
      "no command",
      agent("  default: { sink: process }"),
      [
        "2 agents.default.command: missing; write `command:` with the program and its arguments, such as [claude, --print]"
      ]
    ],
    [
      "an empty command",
      agent("  default: { sink: process, command: [] }"),
      ["2 agents.default.command: expected a command, such as [claude, --print]"]
    ],
    [
      "a command as one text",
      agent("  default: { sink: process, command: claude --print }"),
      ["2 agents.default.command: expected a command, such as [claude, --print]"]
    ],
    [
      "a program without a name",
      agent(`  default: { sink: process, command: [" "] }`),
      ["2 agents.default.command[0]: the program's name is empty; write it"]
    ],
    [
      "an unknown name in a command",
      agent("  default: { sink: process, command: [claude, '{{ item.title }}'] }"),
      [
        "2 agents.default.command[1]: no name that can stand here, or one that is not closed; write one of: {{ conversation.id }}, {{ session.id }}, {{ item.slug }}, {{ repo.slug }}"
      ]
    ],
    [
      "a tag in a folder",
      agent("  default: { sink: process, command: [claude], cwd: '{% if x %}' }"),
      [
        "2 agents.default.cwd: only names can stand here, no {% tags %}; write one of: {{ item.slug }}, {{ repo.slug }}"
      ]
    ],
    [
      "heed's own variables",
      agent("  default: { sink: process, command: [claude], env: { HEED_MARK: x }, passEnv: [HEED_MARK] }"),
      [
        "2 agents.default.env.HEED_MARK: HEED_* is heed's own; write another name",
        "2 agents.default.passEnv[0]: HEED_* is heed's own; remove it"
      ]
    ],
    [
      "a secret in env",
      agent("  default: { sink: process, command: [claude], env: { MY_API_KEY: hunter2 } }"),
      [
        "2 agents.default.env.MY_API_KEY: a secret is never a value in this file; remove it, set MY_API_KEY where heed runs, and add it to passEnv"
      ]
    ],
    [
      "a variable that no shell would take",
      agent("  default: { sink: process, command: [claude], env: { A-B: x } }"),
      [
        "2 agents.default.env.A-B: a bad name; expected the name of an environment variable, such as MY_SETTING"
      ]
    ],
    [
      "a NUL in a variable",
      agent(`  default: { sink: process, command: [claude], env: { A: "x\\0y" } }`),
      ["2 agents.default.env.A: a variable cannot hold a NUL character; remove it"]
    ],
    [
      "no agent called default",
      agent("  other: { sink: process, command: [claude] }"),
      [
        "1 agents.default: missing; without routes every item goes to the agent `default`: write it, or rename one to it"
      ]
    ],
    [
      "a prompt that is not there",
      agent("  default:\n    sink: process\n    command: [claude]\n    prompts:\n      start: nope.md"),
      ["6 agents.default.prompts.start: there is no such file; write it, or name another"]
    ],
    [
      "a prompt that is no template",
      agent("  default: { sink: process, command: [claude], prompts: { comment: bad.md } }"),
      ["2 agents.default.prompts.comment: this file is no template; mend it: a tag is not closed; close it"]
    ],
    [
      "neither sources nor agents",
      "access: { users: [alice] }",
      [
        "- sources: missing; write `sources:` and below it `- provider:` with its keys",
        "- agents: missing; write `agents:` and below it `default:` with its `sink:`"
      ]
    ],

    [
      "keys of later versions",
      `${agent("  default: { sink: process, command: [claude], onEdit: forward }")}routes: [{ agent: x }]\nwebhook: { enabled: true }\nacknowledge: true\n`,
      [
        "2 agents.default.onEdit: not yet: onEdit; remove it, or write ignore",
        "5 routes: not yet: routes; remove it; without routes, an item in scope starts the agent `default`",
        "6 webhook: not yet: webhook; remove it, or write { enabled: false }; heed polls",
        "7 acknowledge: not yet: acknowledge; remove it, or write false"
      ]
    ],
    [
      "keys of later versions in a source and in access",
      `sources:\n  - provider: github\n    repos: [a/b]\n    linkPullRequests: true\n    onUnlabel: end\n    confidential: deliver\naccess: { users: [], roles: [write], bots: [x] }\nagents: { default: { sink: process, command: [claude] } }\n`,
      [
        "4 sources[0].linkPullRequests: not yet: linkPullRequests; remove it, or write false",
        "5 sources[0].onUnlabel: expected one of: keep, stop",
        "6 sources[0].confidential: not yet: confidential; remove it, or write skip",
        "7 access.roles: not yet: roles; remove it, and name people in access.users",
        "7 access.bots: not yet: bots; remove it; bots are not listened to"
      ]
    ]
  ]
