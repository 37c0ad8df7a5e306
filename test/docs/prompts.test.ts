/** docs/prompts.md says every name that a prompt template may use, and no other. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { checkTemplate, type PromptInput, renderPrompt } from "../../src/sink/Prompt.ts"

const input: PromptInput = {
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
    body: "body",
    trusted: true
  },
  words: [
    { trusted: true, body: "text", url: "https://example.org/1", at: "2026-01-01T00:00:00.000Z", stream: "c" }
  ],
  attempt: 1,
  earlier: 0,
  mark: "mark"
}

/** The properties of a value, as a template finds them. */
const properties = (path: string): ReadonlyArray<string> =>
  Result.getOrThrow(renderPrompt(`{% for pair in ${path} %}{{ pair[0] }} {% endfor %}`, input, "0000"))
    .trim()
    .split(" ")

describe("the page on prompts", () => {
  const page = readFileSync("docs/prompts.md", "utf8")

  it("names everything that a template may name, and nothing else", () => {
    const top =
      /Known are (.*)$/u.exec(checkTemplate("{{ nothing_of_that_name }}") ?? "")?.[1]?.split(", ") ?? []
    assert.includeMembers(top, ["item", "words", "fence"])
    const names = [
      ...top.filter((name) => name !== "item"),
      ...properties("item").map((name) => `item.${name}`),
      ...properties("words[0]").map((name) => `words.${name}`)
    ]
    const section = page.slice(page.indexOf("## Every name"), page.indexOf("## What strangers wrote"))
    const named = [...section.matchAll(/^\| `([a-z_.]+)`/gmu)].map(([, name]) => name)
    assert.sameMembers(named, names)
  })

  it("shows templates that are valid", () => {
    const shown = [...page.matchAll(/`(\{% for [^`]*)`/gu), ...page.matchAll(/```liquid\n([\s\S]*?)```/gu)]
    assert.lengthOf(shown, 2)
    for (const [, template = ""] of shown) assert.isUndefined(checkTemplate(template), template)
  })
})
