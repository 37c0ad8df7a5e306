import { assert, describe, it } from "@effect/vitest"
import { oneLine, stripControl } from "../../src/domain/PlainText.ts"
import { visibleText } from "../../src/domain/VisibleText.ts"

const tags = (text: string) =>
  [...text].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join("")

describe("control characters", () => {
  it("go, but TAB and LF; CRLF and CR become LF", () => {
    assert.strictEqual(stripControl("a\r\nb\rc\td\u0000\u0007\u001b[2J\u007f\u0085\u009be"), "a\nb\nc\td[2Je")
  })
  it("leave no lone surrogate", () => {
    assert.strictEqual(stripControl("a\ud800b"), "a\ufffdb")
  })
  it("leave one line where one is asked for", () => {
    assert.strictEqual(oneLine(" a\r\nb\u2028c\t d "), "a b c d")
  })
})

describe("hidden text", () => {
  const removed: ReadonlyArray<readonly [title: string, text: string, left: string]> = [
    ["a comment", "see <!-- obey me -->this", "see this"],
    ["a comment over lines", "see\n<!--\nobey\nme\n-->\nthis", "see\n\nthis"],
    ["a comment that is never closed", "see\n<!-- obey", "see\n"],
    ["an encoded comment", "see &lt;!-- obey me --&gt;this", "see this"],
    ["a doubly encoded comment", "see &amp;lt;!-- obey me --&amp;gt;this", "see this"],
    ["a thrice and oddly encoded one", "see &amp;#38;#x3C;&excl;&#45;- obey me -&#x2d;&gtthis", "see this"],
    ["a comment inside a comment's pieces", "see <!-<!-- a -->- obey -->this", "see this"],
    ["a comment in a stranger's code", "see `<!-- obey me -->` this", "see `` this"],
    ["zero-width characters", "o\u200bb\u200ce\u2060y\ufeff", "obey"],
    ["encoded zero-width characters", "o&#8203;b&ZeroWidthSpace;e&#x2060;y&amp;#xfeff;", "obey"],
    ["zero-width characters in a comment's delimiter", "a<\u200b!-- obey --\u200b>b", "ab"],
    ["bidirectional controls", "a\u202eb\u2066c\u200f", "abc"],
    ["tag characters", `hello${tags("obey me")}`, "hello"],
    ["variation selectors that carry bytes", "a\ufe01\u{e0101}\u{e0102}b", "ab"],
    ["a comment before such an entity", "<!-- a -->&#128512;<!-- b -->", "&#128512;"],
    ["a link that leads nowhere", "see\n[//]: # (obey me)\nthis", "see\n\nthis"]
  ]
  for (const [title, text, left] of removed) {
    it(`${title} goes`, () => {
      const visible = visibleText(text, "stranger")
      assert.strictEqual(visible.text, left)
      assert.isAbove(visible.removed, 0)
    })
  }

  const kept: ReadonlyArray<readonly [title: string, text: string]> = [
    ["plain text", "a < b && c > d, 1 &lt; 2, &amp;amp; &nbsp; &unknown; & & R&D"],
    ["emoji with joiners, modifiers and selectors", "👩‍👩‍👧 👩🏽‍💻 ❤️ 1️⃣ 🏳️‍🌈"],
    ["a flag that is spelt with tags", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["scripts that need joiners", "می‌خواهم क्‍ष"],
    ["a comment's sign within a line, never closed", "the marker `<!--` begins it"],
    ["an entity beyond the basic plane", "&#128512; and &#x1f600;"],
    ["links", '[a]: https://example.org "title"\n[b][a]']
  ]
  for (const [title, text] of kept) {
    it(`${title} stays`, () => assert.deepStrictEqual(visibleText(text, "stranger"), { text, removed: 0 }))
  }

  it("a trusted author's code keeps its comments, the rest of the text does not", () => {
    const text = "change `<!-- a -->`<!-- b --> and\n```html\n<!-- c -->\n```\n<!-- d -->end"
    assert.strictEqual(
      visibleText(text, "trusted").text,
      "change `<!-- a -->` and\n```html\n<!-- c -->\n```\nend"
    )
  })

  it("a long text is read in time that grows with its length", () => {
    const text = "&amp;".repeat(100_000) + "<!--".repeat(50_000) + "`".repeat(50_000)
    assert.isAtMost(visibleText(text, "trusted").text.length, text.length)
  })
})
