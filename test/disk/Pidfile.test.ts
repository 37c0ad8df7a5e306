import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { format, parse, type Holder } from "../../src/disk/Pidfile.ts"

const holder: Holder = { pid: 4711, startTime: "139911", bootId: "f0c7-0fe5", role: "daemon" }

describe("Pidfile", () => {
  it("reads what it writes, dates with spaces included", () => {
    const dated = { ...holder, startTime: "Mon Nov 30 12:00:00 2026" }
    for (const known of [holder, dated]) assert.deepStrictEqual(parse(format(known)), Result.succeed(known))
    assert.strictEqual(format(holder).split("\n")[0], "4711")
  })

  const rest = "\n139911\nf0c7\ndaemon\n"
  const wrong = [
    "",
    "\n",
    ...["0", "-1", "1", "12abc", "+12", "012", "1e3", "0x10", " 12", "12 ", "12.0", "９", "2147483648"].map(
      (pid) => pid + rest
    ),
    "4711",
    "4711\n",
    "4711\n139911\n",
    "4711\n139911\nf0c7\nking\n",
    "4711\n139911\nf0c7\ndaemon\nmore\n",
    "4711\n139911\nf0c7\ndaemon",
    "4711\n\nf0c7\ndaemon\n",
    "4711\r\n139911\r\nf0c7\r\ndaemon\r\n",
    `4711${rest}${"x".repeat(1_000_000)}`
  ]
  it("takes nothing else for a holder", () => {
    for (const content of wrong) {
      const read = parse(content)
      assert.isTrue(Result.isFailure(read), JSON.stringify(content.slice(0, 40)))
      if (Result.isFailure(read)) assert.include(read.failure, "pidfile")
    }
  })
})
