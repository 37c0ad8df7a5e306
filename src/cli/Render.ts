/**
 * Render: what people read on a terminal, as pure functions from values to text. No line is wider than `columns`, and
 * nothing that others wrote reaches the terminal as anything but text (G5.2).
 */
import type { Status } from "../control/Protocol.ts"
import type { Instant } from "../domain/Item.ts"
import type { DryRun, Explanation, SessionLine } from "../engine/Inspector.ts"
import type { Beat, Health } from "../state/Heartbeat.ts"
import { count, oneLine, pad, span, table, width, wrap } from "./Text.ts"

/** How and for whom text is made. */
export interface Page {
  readonly columns: number
  readonly colour: boolean
  /** Epoch milliseconds: what "3m ago" counts from. */
  readonly now: number
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Tone = keyof typeof codes

/** A text in a colour or weight, where the page has colours. */
export const tone = (page: Pick<Page, "colour">, name: Tone, text: string): string =>
  page.colour && text !== "" ? `\u001b[${codes[name]}m${text}\u001b[0m` : text

/** Lines below a heading, indented, none wider than the page. */
const paragraph = (page: Page, text: string, first = "  ", rest = first): ReadonlyArray<string> =>
  wrap(oneLine(text), Math.max(8, page.columns - Math.max(first.length, rest.length))).map(
    (line, at) => (at === 0 ? first : rest) + line
  )

/** Epoch milliseconds; not domain's own, so that a glance loads nothing for it. */
const millis = (at: Instant): number => Date.parse(at)

const heading = (page: Page, text: string): string => tone(page, "bold", text)

const ago = (page: Page, at: Instant): string => `${span(page.now - millis(at))} ago`
const ahead = (page: Page, at: Instant): string =>
  millis(at) <= page.now ? "now" : `in ${span(millis(at) - page.now)}`

/** A budget whose hour is over is full again. */
const untilThen = (page: Page, at: Instant): string =>
  millis(at) <= page.now ? "in the last hour it was counted" : `within ${span(millis(at) - page.now)}`

const cells = (...texts: ReadonlyArray<string>): ReadonlyArray<string> => texts.map(oneLine)

/** A ref as short as it stays readable: without its tracker, and without a host that everybody knows. */
export const shortRef = (ref: string): string => oneLine(ref).replace(/^[^:/]+:(?:[^/]*\.com\/)?/u, "")

const indent = (rows: ReadonlyArray<string>): ReadonlyArray<string> => rows.map((row) => `  ${row}`)

/** A session's state, and whether an agent of it is at work or waits for words. */
const stateOf = ({ open, state, working }: SessionLine): string =>
  working ? `${state}, working` : open ? `${state}, open` : state

/** The table of sessions, under a line of titles. */
export const sessions = (page: Page, all: ReadonlyArray<SessionLine>): string => {
  if (all.length === 0) return "no sessions"
  const rows = all.map((session) =>
    cells(
      shortRef(session.ref),
      session.agent,
      stateOf(session),
      session.waiting === 0 ? "-" : String(session.waiting),
      session.waitingFor ?? session.why ?? ""
    )
  )
  const [titles = "", ...body] = table([["ITEM", "AGENT", "STATE", "WAITS", "WHY"], ...rows], page.columns)
  return [tone(page, "dim", titles), ...body].join("\n")
}

const lastCycle = (page: Page, beat: Beat): string => {
  const cycle = beat.lastCycle
  if (cycle === undefined) return "none yet"
  const parts = [
    `${ago(page, cycle.at)}, ${Math.round(cycle.ms)} ms`,
    count(cycle.items, "item"),
    `${count(cycle.requests, "request")} (${cycle.notModified} not modified)`,
    ...(cycle.errors > 0 ? [count(cycle.errors, "error")] : []),
    ...(cycle.interrupted ? ["interrupted"] : [])
  ]
  return parts.join(", ")
}

const health = (page: Page, source: Health): ReadonlyArray<string> =>
  cells(
    `${source.source} ${source.scope}`,
    source.state,
    count(source.items, "item"),
    source.state === "ok"
      ? source.okAt === undefined
        ? "not asked yet"
        : ago(page, source.okAt)
      : [
          `${count(source.failures, "failure")} in a row`,
          ...(source.nextAt === undefined ? [] : [`asked again ${ahead(page, source.nextAt)}`])
        ].join(", ")
  )

const running = (page: Page, value: Status): string => {
  if (!value.running) return tone(page, "yellow", "heed is not running")
  const { pid, role, beat } = value
  const facts = [
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(beat !== undefined && beat.pid === pid ? [`up ${span(page.now - millis(beat.startedAt))}`] : []),
    ...(value.from === "disk" && role === "daemon" ? ["does not answer"] : [])
  ]
  const who = role === undefined || role === "daemon" ? "heed is running" : `heed is busy (${role})`
  return tone(page, value.from === "daemon" ? "green" : "yellow", [who, ...facts].join(", "))
}

/** `heed status`. */
export const status = (page: Page, value: Status): string => {
  const { beat } = value
  const warnings = [...new Set([...value.warnings, ...(beat?.warnings ?? [])])]
  const out = [running(page, value), ...paragraph(page, value.root, "  state  ", "         ")]
  if (beat !== undefined) {
    out.push(...paragraph(page, lastCycle(page, beat), "  cycle  ", "         "))
    out.push(`  cycles ${beat.cycles}, of which ${beat.idleCycles} idle`)
  }
  if (warnings.length > 0) {
    out.push("", heading(page, "WARNINGS"))
    for (const warning of warnings)
      out.push(...paragraph(page, warning, "! ", "  ").map((line) => tone(page, "yellow", line)))
  }
  if (beat !== undefined && beat.sources.length > 0) {
    out.push("", heading(page, "SOURCES"))
    const rows = table(
      beat.sources.map((source) => health(page, source)),
      page.columns - 2
    )
    beat.sources.forEach((source, at) => {
      out.push(tone(page, source.state === "ok" ? "green" : "red", `  ${rows[at] ?? ""}`))
      if (source.message !== undefined) out.push(...paragraph(page, source.message, "    "))
    })
    for (const { limit, remaining, resetAt, source } of beat.budgets ?? [])
      out.push(`  ${oneLine(source)} may ask ${remaining} of ${limit} times more ${untilThen(page, resetAt)}`)
  }
  out.push("", heading(page, "SESSIONS"))
  out.push(...indent(sessions({ ...page, columns: page.columns - 2 }, value.sessions).split("\n")))
  out.push(...givenUp(page, value.sessions))
  return out.join("\n")
}

/** What only a person can have tried again, and how. */
const givenUp = (page: Page, all: ReadonlyArray<SessionLine>): ReadonlyArray<string> => {
  const lines = all.flatMap(({ agent, gaveUp = [], ref, state }) => {
    const words = gaveUp.filter((key) => key !== "start")
    const what = [
      ...(state === "blocked" || words.length < gaveUp.length ? ["its start"] : []),
      ...(words.length === 0 ? [] : [words.length > 3 ? count(words.length, "word") : words.join(", ")])
    ]
    if (what.length === 0) return []
    const item = shortRef(ref)
    return [
      ...paragraph(page, `${item}, ${agent}: ${what.join(", ")}`, "  ", "    "),
      ...paragraph(page, `heed retry ${item}`, "    ")
    ]
  })
  return lines.length === 0 ? [] : ["", heading(page, "GIVEN UP"), ...lines]
}

/** A word in one line, or what became of it below it: nothing of that is cut. */
const words = (page: Page, all: Explanation["words"]): ReadonlyArray<string> => {
  const heads = table(
    all.map((word) => cells(word.key, word.at ?? "", word.by ?? "")),
    page.columns - 2
  )
  const widest = Math.max(...heads.map(width))
  return all.flatMap((word, at) => {
    const head = heads[at] ?? ""
    const said = oneLine(word.detail === undefined ? word.outcome : `${word.outcome}: ${word.detail}`)
    return widest + 4 + width(said) <= page.columns
      ? [`  ${pad(head, widest)}  ${said}`.trimEnd()]
      : [`  ${head}`, ...paragraph(page, said, "      ")]
  })
}

/** What comes next: the next cycle's decisions, what is waited for, and what a person alone can set going. */
const nextOf = (page: Page, value: Explanation): ReadonlyArray<string> => {
  const retry =
    value.words.some(({ outcome }) => outcome === "gave up") ||
    value.sessions.some(({ gaveUp, state }) => state === "blocked" || gaveUp !== undefined)
  const out = [
    ...steps(page, value.next),
    ...value.sessions.flatMap(({ agent, waitingFor }) =>
      waitingFor === undefined ? [] : paragraph(page, `${agent} waits: ${waitingFor}`, "  ", "    ")
    ),
    ...(retry
      ? paragraph(
          page,
          `what was given up is tried again by "heed retry ${shortRef(value.ref)}"`,
          "  ",
          "    "
        )
      : [])
  ]
  return out.length === 0 ? ["  nothing"] : out
}

const steps = (page: Page, planned: DryRun["items"][number]["steps"]): ReadonlyArray<string> =>
  planned.flatMap((step) => [
    ...paragraph(page, `${step.decision}${step.detail === "" ? "" : `: ${step.detail}`}`, "  → ", "    "),
    ...paragraph(page, `because ${step.reason}`, "    ").map((line) => tone(page, "dim", line))
  ])

/** `heed plan`. */
export const plan = (page: Page, dryRun: DryRun): string => {
  const busy = dryRun.items.filter((item) => item.steps.length > 0)
  const out: Array<string> = []
  for (const failure of dryRun.failures)
    out.push(
      ...paragraph(page, `${failure.source} ${failure.scope}: ${failure.message}`, "! ", "  ").map((line) =>
        tone(page, "red", line)
      )
    )
  for (const item of busy) {
    if (out.length > 0) out.push("")
    out.push(...title(page, item), ...steps(page, item.steps))
  }
  const idle = dryRun.items.length - busy.length
  if (out.length > 0) out.push("")
  out.push(
    busy.length === 0
      ? `nothing would happen (${count(dryRun.items.length, "item")} looked at)`
      : `${count(busy.length, "item")} would be acted on, ${idle} left as they are; nothing was written`
  )
  return out.join("\n")
}

const title = (page: Page, item: { readonly ref: string; readonly title: string; readonly url: string }) => [
  ...paragraph(page, `${shortRef(item.ref)}  ${item.title}`, "").map((line) => heading(page, line)),
  ...(item.url === "" ? [] : paragraph(page, item.url, "  ").map((line) => tone(page, "dim", line)))
]

/** `heed explain`. */
export const explain = (page: Page, value: Explanation): string => {
  const out = [...title(page, value), ...paragraph(page, `${value.state}, seen ${value.seen}`)]
  for (const [name, text] of [
    ["frozen", value.frozen],
    ["paused", value.paused],
    ["unfinished", value.look]
  ] as const)
    if (text !== undefined)
      out.push(...paragraph(page, `${name}: ${text}`, "! ", "  ").map((line) => tone(page, "yellow", line)))
  out.push("", heading(page, "SESSIONS"))
  if (value.sessions.length === 0) out.push("  none")
  for (const session of value.sessions) {
    out.push(
      ...paragraph(
        page,
        `${session.agent} (generation ${session.generation}): ${stateOf(session)}, since ${session.since}; ${session.why}`,
        "  ",
        "    "
      ),
      ...paragraph(page, session.session, "    ").map((line) => tone(page, "dim", line))
    )
    if (session.waiting > 0)
      out.push(
        ...paragraph(
          page,
          `${count(session.waiting, "word")} waiting${session.waitingFor === undefined ? "" : `: ${session.waitingFor}`}`,
          "    "
        )
      )
  }
  out.push("", heading(page, "WORDS"))
  if (value.words.length === 0) out.push("  none")
  else out.push(...words(page, value.words))
  out.push("", heading(page, "NEXT"), ...nextOf(page, value))
  return out.join("\n")
}
