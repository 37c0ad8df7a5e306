/**
 * The forge as GitHub's own command line sees it, by address and over the socket that `gh` can be pointed at. A plain
 * client that sends the same is always there, so that the forge's side is tested where `gh` is not installed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { Forge } from "../../src/forge/Forge.ts"
import { ask, furnished, link } from "../forge/asking.ts"

interface Ran {
  readonly out: string
  readonly failed: boolean
}

interface Client {
  readonly name: string
  readonly agent: string
  /** All pages, one JSON document after another. */
  readonly every: (path: string) => Effect.Effect<Ran>
  /** One answer with its status line and headers before the body. */
  readonly included: (path: string, etag?: string) => Effect.Effect<Ran>
  readonly comment: (path: string, body: string) => Effect.Effect<Ran>
}

type Connect = (forge: Forge["Service"]) => Effect.Effect<Client, never, Scope.Scope>

const plain: Connect = (forge) =>
  Effect.succeed({
    name: "a plain client",
    agent: "node",
    every: (path) =>
      Effect.gen(function* () {
        const pages: Array<string> = []
        let next: string | undefined = `/${path}`
        while (next !== undefined) {
          const got = yield* ask(forge, next)
          pages.push(got.text)
          next = link(got, "next")
        }
        return { out: pages.join(""), failed: false }
      }),
    included: (path, etag) =>
      Effect.map(ask(forge, `/${path}`, etag === undefined ? {} : { etag }), ({ status, headers, text }) => ({
        out: [
          `HTTP/1.1 ${status}`,
          ...[...headers].map(([name, value]) => `${name}: ${value}`),
          "",
          text
        ].join("\r\n"),
        failed: status >= 300
      })),
    comment: (path, body) =>
      Effect.map(
        ask(forge, `/${path}`, { method: "POST", body: JSON.stringify({ body }) }),
        ({ text, status }) => ({
          out: text,
          failed: status >= 300
        })
      )
  })

const emptyFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heed-gh-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** `gh api` with nothing of its user's configuration; `prefix` goes before each path. */
const commandLine = (binary: string, config: string, prefix: string): Omit<Client, "name"> => {
  const env = {
    PATH: process.env["PATH"],
    GH_CONFIG_DIR: config,
    GH_TOKEN: "alice-token",
    GH_ENTERPRISE_TOKEN: "alice-token",
    GH_NO_UPDATE_NOTIFIER: "1",
    NO_COLOR: "1"
  }
  const run = (...args: ReadonlyArray<string>) =>
    Effect.callback<Ran>((resume) => {
      const child = execFile(binary, ["api", ...args], { env, maxBuffer: 1e8 }, (error, out) =>
        resume(Effect.succeed({ out, failed: error !== null }))
      )
      child.stdin?.end()
    })
  return {
    agent: "GitHub CLI",
    every: (path) => run("--paginate", `${prefix}${path}`),
    included: (path, etag) =>
      run("-i", ...(etag === undefined ? [] : ["-H", `if-none-match: ${etag}`]), `${prefix}${path}`),
    comment: (path, body) => run(`${prefix}${path}`, "-f", `body=${body}`)
  }
}

const byAddress =
  (binary: string): Connect =>
  (forge) =>
    Effect.map(emptyFolder, (config) => ({
      name: "gh, by address",
      ...commandLine(binary, config, `${forge.url}/`)
    }))

/** What `gh` takes for api.github.com is the forge: its socket passes every byte on. */
const overSocket =
  (binary: string): Connect =>
  (forge) =>
    Effect.gen(function* () {
      const folder = yield* emptyFolder
      const socket = join(folder, "s")
      const port = Number(new URL(forge.url).port)
      yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((client) => {
            const upstream = connect(port, "127.0.0.1")
            client.pipe(upstream).pipe(client)
            // Either end may go first; what the other one then fails to write is nobody's.
            client.on("error", () => upstream.destroy())
            upstream.on("error", () => client.destroy())
          })
          server.listen(socket, () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      writeFileSync(join(folder, "config.yml"), `http_unix_socket: ${socket}\n`)
      return { name: "gh, over its socket", ...commandLine(binary, folder, "") }
    })

const executable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Not there, or not ours to run: then it is not used.
    return false
  }
}

const gh = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "gh"))
  .find(executable)

const clients: ReadonlyArray<readonly [string, Connect]> = [
  ["a plain client", plain],
  ...(gh === undefined
    ? []
    : ([
        ["gh api, by address", byAddress(gh)],
        ["gh api, over its socket", overSocket(gh)]
      ] as const))
]

const repo = "acme/app"
const Said = Schema.fromJsonString(Schema.Struct({ id: Schema.Int, body: Schema.String }))

describe.each(clients)("%s", (_, connected) => {
  it.live("pages, one document after another", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      const client = yield* connected(forge)
      for (let n = 0; n < 101; n += 1) yield* forge.openIssue({ repo, title: `t${n}`, labels: ["agent"] })
      const { out } = yield* client.every(`repos/${repo}/issues?labels=agent&per_page=100`)
      assert.strictEqual([...out.matchAll(/"timeline_url"/gu)].length, 101)
      assert.isTrue(out.includes("]["))
      const log = yield* forge.log({})
      assert.deepStrictEqual(
        log.map(({ login, query }) => [login, query["page"]]),
        [
          ["alice", undefined],
          ["alice", "2"]
        ]
      )
      assert.isTrue(log.every(({ headers }) => headers["user-agent"]?.startsWith(client.agent)))
    })
  )

  it.live("shows headers, and a 304 as a failure", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      const client = yield* connected(forge)
      yield* forge.openIssue({ repo, title: "one" })
      const first = yield* client.included(`repos/${repo}/issues/1`)
      assert.isTrue(first.out.startsWith("HTTP/1.1 200") && !first.failed)
      const etag = /^etag: (\S+)\r?$/imu.exec(first.out)?.[1] ?? ""
      assert.isTrue(etag.startsWith('W/"'))
      const second = yield* client.included(`repos/${repo}/issues/1`, etag)
      assert.isTrue(second.out.startsWith("HTTP/1.1 304") && second.failed)
      assert.deepStrictEqual((yield* forge.usage({})).notModified, 1)
    })
  )

  it.live("posts a comment", () =>
    Effect.gen(function* () {
      const forge = yield* furnished
      const client = yield* connected(forge)
      yield* forge.openIssue({ repo, title: "one" })
      const { out } = yield* client.comment(`repos/${repo}/issues/1/comments`, "from the shell")
      const { id, body } = Schema.decodeUnknownSync(Said)(out)
      assert.deepStrictEqual(yield* forge.comments({ repo, number: 1 }), [{ id, body, login: "alice" }])
    })
  )
})
