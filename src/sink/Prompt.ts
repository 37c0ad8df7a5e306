/**
 * Prompt: turns what heed knows of an item and its words into the text that an agent gets. Pure: the fence, which no
 * author can have known, is an argument. Templates are liquid, strict, rendered once; a value is never rendered again
 * (G5.2, traps B98), and a stranger's text stands between fences wherever a template puts it (traps B25, B99).
 */
import * as Result from "effect/Result"
import { Liquid } from "liquidjs"
import { createHash } from "node:crypto"
import { firstCodePoints, oneLine } from "../domain/PlainText.ts"
import { type Visible, visibleText } from "../domain/VisibleText.ts"
import { builtInPrompts } from "./PromptTemplates.ts"

/** One word of a thread. */
/** One word of the thread, as a prompt tells it. */
export interface PromptWord {
  /** Absent where the account is unknown or deleted. */
  readonly author?: string
  /** Whether its author may instruct the agent. */
  readonly trusted: boolean
  readonly body: string
  readonly url: string
  readonly at: string
  readonly stream: string
  readonly place?: { readonly path: string; readonly line?: number }
  /** The state of a review, such as `approved`. */
  readonly review?: string
  /** Re-armed after it was given up: it comes later than it should have. */
  readonly late?: true
}

/** Everything that a prompt may tell. */
export interface PromptInput {
  readonly item: {
    readonly ref: string
    readonly key: string
    readonly url: string
    readonly tracker: string
    readonly kind: "work_item" | "change_proposal"
    readonly repo: string
    readonly state: string
    readonly labels: ReadonlyArray<string>
    readonly title: string
    readonly body: string
    readonly author?: string
    /** Whether the item's author may instruct the agent. */
    readonly trusted: boolean
    readonly labelledBy?: string
  }
  /** Oldest first: the whole thread for a start, what is new for a comment. */
  readonly words: ReadonlyArray<PromptWord>
  /** 1 on the first attempt. */
  readonly attempt: number
  /** What is known of the former attempt's end. */
  readonly failure?: string
  /** Set when it may have reached the agent already. */
  readonly mayRepeat?: true
  /** How many words of the thread the agent was given before. */
  readonly earlier: number
  /** What the agent puts under its own comments. */
  readonly mark: string
}

/** Texts longer than this many code points are cut, with a visible notice. */
interface Limits {
  readonly text: number
  /** Words that wait for the next hand-over. */
  readonly following: number
}

const noLimits: Limits = { text: Number.POSITIVE_INFINITY, following: 0 }

const engine = new Liquid({
  strictVariables: true,
  strictFilters: true,
  ownPropertyOnly: true,
  templates: {},
  timezoneOffset: 0,
  // Named, for asking the system loads all of its calendars: 8 MB for dates that no prompt formats.
  locale: "en-US",
  parseLimit: 1_000_000,
  memoryLimit: 1_000_000_000
})
// A prompt is one text: what takes in others could read files.
for (const tag of ["include", "render", "layout", "block"]) delete engine.tags[tag]

/** Derives a fence that none of the texts holds. */
const safeFence = (fence: string, texts: ReadonlyArray<string>): string => {
  let safe = fence
  while (texts.some((text) => text.includes(safe))) {
    safe = createHash("sha256").update(safe, "utf8").digest("hex").slice(0, 16)
  }
  return safe
}

const viewOf = (input: PromptInput, fence: string, limits: Limits) => {
  const { item, words } = input
  const failure = visibleText((input.failure ?? "").trim(), "stranger")
  const visible = {
    title: visibleText(oneLine(item.title), voiceOf(item)),
    body: visibleText(item.body.trim(), voiceOf(item)),
    words: words.map((word) => visibleText(word.body.trim(), voiceOf(word)))
  }
  const safe = safeFence(
    fence,
    [failure, visible.title, visible.body, ...visible.words].map(({ text }) => text)
  )
  let fenced = false

  const text = ({ text, removed }: Visible, trusted: boolean, url: string): string => {
    const shown = firstCodePoints(text, limits.text)
    const notes = [
      removed > 0 ? `[heed took out ${removed} characters that the page does not show]` : "",
      shown.length < text.length ? `[cut after ${limits.text} characters: the rest is at ${url}]` : ""
    ].filter((note) => note !== "")
    const whole = [...(shown === "" ? [] : [shown]), ...notes].join("\n")
    if (trusted || whole === "") return whole
    fenced = true
    return `[${safe} quoted:\n${whole}\n[${safe} end of quote]`
  }

  const view = {
    item: {
      ref: item.ref,
      key: oneLine(item.key),
      url: oneLine(item.url),
      tracker: item.tracker,
      kind: item.kind,
      repo: oneLine(item.repo),
      state: item.state,
      labels: item.labels.map((label) => JSON.stringify(name(label))).join(", "),
      title: text(visible.title, item.trusted, oneLine(item.url)),
      body: text(visible.body, item.trusted, oneLine(item.url)),
      author: name(item.author ?? ""),
      labelled_by: name(item.labelledBy ?? "")
    },
    words: words.map((word, index) => ({
      author: name(word.author ?? "an unknown account"),
      trusted: word.trusted,
      text: text(visible.words[index] ?? nothing, word.trusted, oneLine(word.url)),
      url: oneLine(word.url),
      at: word.at,
      kind: kindOf(word),
      review: oneLine(word.review ?? ""),
      place: placeOf(word),
      late: word.late === true
    })),
    attempt: input.attempt,
    failure: text(failure, false, ""),
    may_repeat: input.mayRepeat === true,
    earlier: input.earlier,
    following: limits.following,
    mark: input.mark,
    fence: safe
  }
  return { ...view, fenced }
}

const nothing: Visible = { text: "", removed: 0 }

const voiceOf = ({ trusted }: { readonly trusted: boolean }) => (trusted ? "trusted" : "stranger")

/** What a template may name. */
export type PromptView = ReturnType<typeof viewOf>

/** A name is shown in heed's own lines: one short line, nothing hidden in it. */
const name = (text: string) => firstCodePoints(visibleText(oneLine(text), "stranger").text, 100)

const kindOf = (word: PromptWord) =>
  word.place !== undefined ? "inline comment" : word.review !== undefined ? "review" : "comment"

const placeOf = ({ place }: PromptWord) =>
  place === undefined
    ? ""
    : JSON.stringify(name(place.path)) + (place.line === undefined ? "" : ` line ${place.line}`)

const render = (template: string, view: PromptView): Result.Result<string, string> =>
  Result.try({
    try: (): string => String(engine.parseAndRenderSync(template, view)),
    catch: (cause) => (cause instanceof Error ? oneLine(cause.message) : String(cause))
  })

/** Renders a prompt; a failure says what the template did wrong. */
export const renderPrompt = (
  template: string,
  input: PromptInput,
  fence: string
): Result.Result<string, string> => render(template, viewOf(input, fence, noLimits))

/** What fits into one hand-over: the prompt, and how many of the words it holds, from the oldest on. */
/** A prompt that fits its sink, and how many of the words it holds. */
export interface FittedPrompt {
  readonly prompt: string
  readonly taken: number
}

/**
 * The longest prefix of the words whose prompt has at most `capacity` characters. Where not even the first word fits,
 * it goes alone and by reference: its beginning, and where the rest is to be read.
 */
export const fitPrompt = (
  template: string,
  input: PromptInput,
  fence: string,
  capacity: number
): Result.Result<FittedPrompt, string> => {
  const total = input.words.length
  const of = (taken: number, text: number) =>
    Result.map(
      render(
        template,
        viewOf({ ...input, words: input.words.slice(0, taken) }, fence, { text, following: total - taken })
      ),
      (prompt) => ({ prompt, taken })
    )
  const fits = (fitted: Result.Result<FittedPrompt, string>) =>
    Result.isFailure(fitted) || fitted.success.prompt.length <= capacity

  const all = of(total, noLimits.text)
  if (fits(all)) return all
  const least = Math.min(1, total)
  let best = of(least, noLimits.text)
  if (!fits(best)) {
    for (let text = Math.floor(capacity / 2); text > 0 && !fits(best); text = Math.floor(text / 2))
      best = of(least, text)
    return fits(best)
      ? best
      : Result.fail(
          `not even an empty word fits into a prompt of ${capacity} characters: shorten the template`
        )
  }
  let [low, high] = [least, total]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const tried = of(middle, noLimits.text)
    if (fits(tried)) {
      low = middle
      best = tried
    } else {
      high = middle
    }
  }
  return best
}

const sampleWord: PromptWord = {
  author: "alice",
  trusted: true,
  body: "text",
  url: "https://example.org/1",
  at: "2026-01-01T00:00:00.000Z",
  stream: "comment"
}
const plainSample: PromptInput = {
  item: {
    ref: "tracker:example.org/acme/app#1",
    key: "acme/app#1",
    url: "https://example.org/1",
    tracker: "tracker",
    kind: "work_item",
    repo: "acme/app",
    state: "open",
    labels: [],
    title: "title",
    body: "",
    trusted: true
  },
  words: [],
  attempt: 1,
  earlier: 0,
  mark: "mark"
}
const fullSample: PromptInput = {
  ...plainSample,
  item: {
    ...plainSample.item,
    kind: "change_proposal",
    labels: ["a"],
    body: "body",
    author: "bob",
    trusted: false,
    labelledBy: "alice"
  },
  words: [
    sampleWord,
    { ...sampleWord, trusted: false, review: "approved", late: true },
    { ...sampleWord, place: { path: "a.ts", line: 1 } }
  ],
  attempt: 2,
  failure: "it broke",
  mayRepeat: true,
  earlier: 3
}

/** What is wrong with a template, and where; undefined when it renders. */
export const checkTemplate = (template: string): string | undefined => {
  const known = Object.keys(viewOf(plainSample, "0", noLimits))
  const names = Result.try({
    try: () => engine.globalVariablesSync(engine.parse(template)),
    catch: (cause) => (cause instanceof Error ? oneLine(cause.message) : String(cause))
  })
  if (Result.isFailure(names)) return names.failure
  const unknown = names.success.filter((used) => !known.includes(used))
  if (unknown.length > 0) return `unknown: ${unknown.join(", ")}. Known are ${known.join(", ")}`
  for (const sample of [plainSample, fullSample]) {
    const rendered = renderPrompt(template, sample, "0000")
    if (Result.isFailure(rendered)) return rendered.failure
  }
  return undefined
}

/** What the configuration has to know of prompts: those that nobody has to write, and why a text is no template. */
export const promptTemplates = {
  builtIn: builtInPrompts,
  check: (_prompt: keyof typeof builtInPrompts, text: string): string | undefined => checkTemplate(text)
} as const
