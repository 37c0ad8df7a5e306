/** A forge in a process of its own, driven over its control surface. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Forge } from "../../src/forge/Forge.ts"
import { ask, numbers } from "./asking.ts"

const main = fileURLToPath(new URL("../../src/forge/main.ts", import.meta.url))
const Printed = Schema.fromJsonString(Schema.Struct({ url: Schema.String, pid: Schema.Int }))

const elsewhere = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "inherit"] })
    const [line]: ReadonlyArray<unknown> = await once(createInterface(child.stdout), "line")
    const { url, pid } = Schema.decodeUnknownSync(Printed)(line)
    assert.strictEqual(pid, child.pid)
    return { child, url }
  }),
  ({ child }) =>
    Effect.promise(async () => {
      const gone = once(child, "exit")
      if (child.exitCode === null && child.kill("SIGTERM")) await gone
    })
)

const repo = "acme/app"

describe("a forge in another process", () => {
  it.live("is driven like one in this process", () =>
    Effect.gen(function* () {
      const { url } = yield* elsewhere
      const forge = Forge.connect(url)
      yield* forge.addAccount({ login: "alice" })
      yield* forge.addToken({ token: "alice-token", login: "alice" })
      assert.deepStrictEqual(yield* forge.addRepo({ repo }), { id: 7000 })
      const { number } = yield* forge.openIssue({ repo, title: "one", labels: ["agent"], author: "alice" })
      const waiting = yield* Effect.forkChild(
        forge.waitFor((log) =>
          log.some(({ path, state }) => path.endsWith("/issues") && state === "answered")
        )
      )
      assert.deepStrictEqual(numbers(yield* ask(forge, `/repos/${repo}/issues`)), [number])
      const log = yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        log.map(({ method, path, status, login }) => [method, path, status, login]),
        [["GET", `/repos/${repo}/issues`, 200, "alice"]]
      )
      yield* forge.fault({ match: {}, failure: { kind: "status", status: 503 }, times: 1 })
      assert.strictEqual((yield* ask(forge, "/user")).status, 503)
      assert.deepStrictEqual((yield* forge.usage({})).requests, 2)
      yield* forge.resetLog({})
      assert.deepStrictEqual(yield* forge.log({}), [])
    })
  )

  it.live("what the state refuses, and what is no operation, is said and changes nothing", () =>
    Effect.gen(function* () {
      const forge = yield* Forge.make()
      const remote = Forge.connect(forge.url)
      for (const driven of [forge, remote]) {
        const exit = yield* Effect.exit(driven.openIssue({ repo: "no/where", title: "one" }))
        assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
      }
      const post = (name: string, body: string) =>
        Effect.promise(async () => {
          const response = await fetch(`${forge.url}/_forge/${name}`, { method: "POST", body })
          return { status: response.status, text: await response.text() }
        })
      const unknown = yield* post("conquer", "{}")
      assert.deepStrictEqual([unknown.status, unknown.text.includes("openIssue")], [400, true])
      const wrong = yield* post("addRepo", '{"repo":7}')
      assert.deepStrictEqual([wrong.status, wrong.text.includes("repo")], [400, true])
      assert.strictEqual((yield* post("addRepo", "{")).status, 400)
      assert.deepStrictEqual(yield* forge.log({}), [])
    })
  )

  it.live("closing the scope ends what it holds", () =>
    Effect.gen(function* () {
      const held = yield* Effect.scoped(
        Effect.gen(function* () {
          const forge = yield* Forge.make()
          yield* forge.fault({ match: {}, failure: { kind: "hang" } })
          const held = yield* Effect.forkDetach(Effect.exit(ask(forge, "/user")))
          yield* forge.waitFor((log) => log.length === 1)
          return held
        })
      )
      assert.isTrue(Exit.isFailure(yield* Fiber.join(held)))
    })
  )
})
