import { assert, describe, it } from "@effect/vitest"
import { count, cut, lines, oneLine, pad, span, table, width, wrap } from "../../src/cli/Text.ts"

describe("Text", () => {
  it.each([
    ["plain", 5],
    ["日本語", 6],
    ["한국", 4],
    ["ｆｕｌｌ", 8],
    ["é", 1],
    ["e\u0301", 1],
    ["👍", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["a\u200bb", 2],
    ["", 0]
  ])("a terminal gives %j %i columns", (text, columns) => assert.strictEqual(width(text), columns))

  it.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007after", "after"],
    ["\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["\u009b2Jcleared", "cleared"],
    ["\u001bc reset", "reset"],
    ["a\rb\nc\td", "a b c d"],
    ["bell\u0007 nul\u0000 del\u007f", "bell nul del"],
    ["\u202eevil\u2066", "evil"],
    ["\u001b[31", "31"],
    ["👨‍👩‍👧 stays", "👨‍👩‍👧 stays"]
  ])("of %j a terminal sees %j", (text, seen) => assert.strictEqual(oneLine(text), seen))

  it("keeps lines, and nothing else that moves a cursor", () =>
    assert.strictEqual(lines("a\u001b[2K\r\nb\tc\u0008\rd"), "a\nb  c\nd"))

  it("cuts between characters, never through one", () => {
    assert.strictEqual(cut("日本語です", 6), "日本…")
    assert.strictEqual(cut("日本語です", 5), "日本…")
    assert.strictEqual(cut("ab👨‍👩‍👧‍👦cd", 4), "ab…")
    assert.strictEqual(cut("fits", 4), "fits")
    assert.strictEqual(cut("fits", 0), "")
  })

  it("pads to columns, not to characters", () => assert.strictEqual(pad("日本", 6), "日本  "))

  it("wraps at spaces, and words that are too long anywhere", () => {
    assert.deepStrictEqual(wrap("one two three", 7), ["one two", "three"])
    assert.deepStrictEqual(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"])
    assert.deepStrictEqual(wrap("日本語日本語", 5), ["日本", "語日", "本語"])
    assert.deepStrictEqual(wrap("", 5), [""])
  })

  it("aligns a table and takes what is too much from its widest columns", () => {
    assert.deepStrictEqual(
      table(
        [
          ["ITEM", "WHY"],
          ["日本/語#1", "short"],
          ["a#1", "a reason that goes on and on"]
        ],
        24
      ),
      ["ITEM       WHY", "日本/語#1  short", "a#1        a reason tha…"]
    )
  })

  it("says spans in their largest unit, and counts with their noun", () => {
    assert.deepStrictEqual([0, 59_000, 61_000, 3_600_000, 47 * 3_600_000, 49 * 3_600_000].map(span), [
      "0s",
      "59s",
      "1m",
      "1h",
      "47h",
      "2d"
    ])
    assert.deepStrictEqual([count(1, "item"), count(0, "item")], ["1 item", "0 items"])
  })
})
