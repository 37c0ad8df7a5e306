/** What a status and its headers mean (traps B26 to B28). */
import { assert, describe, it } from "@effect/vitest"
import { links } from "../../src/net/Links.ts"
import { verdict, words, type Headers } from "../../src/net/Verdict.ts"

const date = "Mon, 30 Nov 2026 12:00:00 GMT"
const server = Date.parse(date)
const reset = (seconds: number) => String(server / 1000 + seconds)

const cases: ReadonlyArray<readonly [string, number, Headers, string, unknown]> = [
  ["429 bare", 429, {}, "", { reason: "Limited" }],
  ["429 as a page of HTML", 429, { "content-type": "text/html" }, "<html>", { reason: "Limited" }],
  ["403 with retry-after", 403, { "retry-after": "30" }, "", { reason: "Limited", retryAfter: 30_000 }],
  ["403 with retry-after 0", 403, { "retry-after": "0" }, "", { reason: "Limited", retryAfter: 0 }],
  [
    "403 with nothing remaining",
    403,
    { date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset(30) },
    "",
    { reason: "Limited", retryAfter: 31_000 }
  ],
  [
    "a reset in the past",
    403,
    { date, "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset(-30) },
    "",
    { reason: "Limited", retryAfter: 1000 }
  ],
  [
    "403 that only says so, with budget left",
    403,
    { date, "x-ratelimit-remaining": "4000", "x-ratelimit-reset": reset(30) },
    "You have exceeded a secondary rate limit",
    { reason: "Limited" }
  ],
  ["403 with budget left", 403, { "x-ratelimit-remaining": "4000" }, "Nope", { reason: "Forbidden" }],
  ["401", 401, {}, "Bad credentials", { reason: "Unauthorized" }],
  ["404", 404, {}, "", { reason: "Missing" }],
  ["410", 410, {}, "", { reason: "Gone" }],
  ["301", 301, {}, "", { reason: "Moved" }],
  ["307", 307, {}, "", { reason: "Moved" }],
  ["422", 422, {}, "", { reason: "Refused" }],
  ["502", 502, {}, "", { reason: "Unavailable" }]
]

describe("verdict", () => {
  for (const [name, status, headers, said, expected] of cases) {
    it(`judges ${name}`, () => {
      // The own clock is two hours ahead, and does not matter.
      assert.deepStrictEqual(verdict(status, headers, said, server + 7_200_000), expected)
    })
  }

  it("a server's words are one bounded line without control characters and without the token", () => {
    const said = words(`a\u001b[31m\n secret-token ${"x".repeat(500)}`, "secret-token")
    assert.isTrue(said.startsWith("a [31m [token] xxx"))
    assert.isBelow(said.length, 210)
  })

  it("a Link header gives its targets by relation, and nonsense gives none", () => {
    assert.deepStrictEqual(
      links('<https://h/a?b=1,2&page=2>; rel="next", <https://h/a?page=9>; rel="last"'),
      {
        next: "https://h/a?b=1,2&page=2",
        last: "https://h/a?page=9"
      }
    )
    assert.deepStrictEqual(links('<https://h/x>; title="a"; rel="prev first"'), {
      prev: "https://h/x",
      first: "https://h/x"
    })
    for (const nothing of [undefined, "", "next", "<", ";rel=next"])
      assert.deepStrictEqual(links(nothing), {})
  })
})
