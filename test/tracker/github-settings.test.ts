/** A GitHub entry of `sources`: defaults, mistakes, and the names people write. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Ref } from "../../src/domain/Ref.ts"
import { resolve } from "../../src/tracker/github/Names.ts"
import { fitting, longestComment } from "../../src/tracker/github/Posting.ts"
import { apiUrl, kind, labelSets, Settings } from "../../src/tracker/github/Settings.ts"

const decoded = Schema.decodeUnknownSync(Settings)({ repos: ["acme/app"] })

const problems = (more: { readonly [key: string]: Schema.Json }) =>
  kind.check({ ...decoded, ...more }).map(({ path, message }) => `${path.join(".")} ${message}`)

describe("GitHub settings", () => {
  it("are JSON with their defaults filled in", () => {
    assert.deepStrictEqual(JSON.parse(JSON.stringify(decoded)), {
      host: "github.com",
      auth: { from: "gh", binary: "gh" },
      repos: ["acme/app"],
      monitor: { issues: true, pullRequests: true }
    })
    assert.strictEqual(apiUrl(decoded), "https://api.github.com")
    assert.strictEqual(apiUrl({ host: "ghe.example.org" }), "https://ghe.example.org/api/v3")
    assert.strictEqual(apiUrl({ host: "acme.ghe.com" }), "https://api.acme.ghe.com")
    assert.strictEqual(apiUrl({ host: "github.com", apiUrl: "http://localhost:1/" }), "http://localhost:1")
    assert.deepStrictEqual(labelSets(decoded), [["agent"]])
    assert.deepStrictEqual(labelSets({ labels: { anyOf: ["a", "b"] } }), [["a"], ["b"]])
    assert.deepStrictEqual(labelSets({ labels: { allOf: ["a", "b"] } }), [["a", "b"]])
    assert.deepStrictEqual(problems({}), [])
  })

  const mistakes: ReadonlyArray<readonly [{ readonly [key: string]: Schema.Json }, string]> = [
    [{ label: "a,b" }, "label has a comma"],
    [{ labels: { anyOf: ["a", "b,c"] } }, "labels.anyOf.1 has a comma"],
    [{ label: "a", labels: { allOf: ["b"] } }, "labels stands beside label"],
    [{ label: " a" }, "label begins or ends with a space"],
    [{ repos: [] }, "repos names no repository"],
    [{ repos: ["acme/app", "Acme/App"] }, "repos.1 names Acme/App a second time"],
    [{ apiUrl: "http://ghe.example.org/api/v3" }, "apiUrl would send the token unencrypted"],
    [{ apiUrl: "https://u:p@ghe.example.org" }, "apiUrl holds a user or password"],
    [{ apiUrl: "ghe.example.org" }, "apiUrl is no URL"],
    [{ monitor: { issues: false, pullRequests: false } }, "monitor switches everything off"]
  ]
  for (const [more, expected] of mistakes) {
    it(`says: ${expected}`, () => {
      assert.strictEqual(problems(more).length, 1)
      assert.include(problems(more)[0], expected)
      assert.notInclude(problems(more)[0], "u:p")
    })
  }

  it("plain http is fine to loopback alone", () => {
    for (const ok of ["http://127.0.0.1:80", "http://localhost", "http://[::1]:8080"]) {
      assert.deepStrictEqual(problems({ apiUrl: ok }), [])
    }
    for (const bad of ["http://127.0.0.1.example.org", "http://localhost.example.org", "ftp://localhost"]) {
      assert.strictEqual(problems({ apiUrl: bad }).length, 1)
    }
  })

  it("paths are relative to the configuration's folder, commands are not", () => {
    const auth = (auth: Schema.Json) => {
      const rooted = kind.rooted({ ...decoded, auth }, (path) => `/etc/heed/${path}`)
      return Schema.decodeUnknownSync(Settings)(rooted).auth
    }
    assert.deepStrictEqual(auth({ file: "token" }), { file: "/etc/heed/token" })
    assert.deepStrictEqual(auth({ from: "gh", binary: "bin/gh" }), {
      from: "gh",
      binary: "/etc/heed/bin/gh"
    })
    assert.deepStrictEqual(auth({ from: "gh" }), { from: "gh", binary: "gh" })
    assert.deepStrictEqual(auth({ env: "TOKEN" }), { env: "TOKEN" })
  })

  it("a repository is owner/name", () => {
    for (const repo of [
      "acme",
      "acme/app/x",
      "acme/ app",
      "../x",
      "x/..",
      "./x",
      "https://github.com/acme/app",
      "acme/app?x"
    ]) {
      assert.throws(() => Schema.decodeUnknownSync(Settings)({ repos: [repo] }), undefined, undefined, repo)
    }
  })

  it("names of an item: full, address, short, and bare where there is one repository", () => {
    const one = { host: "github.com", repos: ["Acme/App"] }
    const ref = [Ref.make("github:github.com/acme/app#12")]
    for (const text of [
      "github:github.com/acme/app#12",
      "GitHub:GitHub.com/Acme/App#12",
      "https://github.com/acme/app/issues/12",
      "https://github.com/acme/app/pull/12/files#diff",
      "https://github.com/Acme/App/issues/12#issuecomment-5",
      "acme/app#12",
      " ACME/app#12 ",
      "#12",
      "12"
    ]) {
      assert.deepStrictEqual(resolve(one, text), ref, text)
    }
    for (const text of [
      "acme/web#12",
      "https://gitlab.com/acme/app/issues/12",
      "https://github.com/acme/app/tree/12",
      "github:ghe.example/acme/app#12",
      "acme/app#0",
      "APP-12",
      "",
      "#"
    ]) {
      assert.deepStrictEqual(resolve(one, text), [], text)
    }
    assert.deepStrictEqual(resolve({ ...one, repos: ["acme/app", "acme/web"] }, "#12"), [])
  })

  it("a long comment is cut between code points with a notice, and keeps its mark (B17)", () => {
    const mark = "\n\n<!-- heed abcdef -->"
    const text = `${"😀".repeat(40_000)}${mark}`
    const cut = fitting(text)
    assert.isAtMost(cut.length, longestComment)
    assert.isTrue(cut.endsWith(mark))
    assert.include(cut, "cut by heed")
    assert.isTrue(cut.isWellFormed())
    assert.isTrue(fitting(`x${text}`).isWellFormed())
    assert.strictEqual(fitting("short"), "short")
  })
})
