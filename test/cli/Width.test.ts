import { assert, describe, it } from "@effect/vitest"
import { complaint, fold } from "../../src/cli/Text.ts"
import { columnsOf } from "../../src/cli/Width.ts"

describe("Width", () => {
  it.each([
    [{ isTTY: true, columns: 120 }, "", 120],
    [{ isTTY: true, columns: 0 }, "", 80],
    [{}, "", Number.POSITIVE_INFINITY],
    [{}, "200", 200],
    [{ isTTY: true, columns: 120 }, "100", 100],
    [{}, "wide", Number.POSITIVE_INFINITY]
  ])("%j with COLUMNS %j is %s wide", (stream, asked, columns) =>
    assert.strictEqual(columnsOf(stream, asked), columns)
  )

  it("folds at spaces alone, so that a path can be copied", () => {
    const path = `/very/${"long/".repeat(10)}heed.yaml`
    assert.strictEqual(fold(`no file at ${path}; write one`, 20), `no file at\n  ${path};\n  write one`)
    assert.strictEqual(fold("a:\n  b c d e f", 8), "a:\n  b c d\n    e f")
    assert.strictEqual(complaint("heed", "a\u001b[31m b", Number.POSITIVE_INFINITY), "heed: a b")
  })
})
