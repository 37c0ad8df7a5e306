/** G5.3: heed's tokens stand nowhere but in requests; what heed keeps is for its user alone. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lstatSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { repo, token, world } from "../support/world.ts"

describe("G5.3", () => {
  it.live("no token in files, arguments, addresses, comments, output or the agent's environment", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 1 }, agent: { passEnv: ["HOME"] } })
      w.agent.behave(`env > '${w.folder}/environment'; ${w.agent.waiting()}; echo failing >&2; exit 1`)
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-title")
      const argv = readFileSync(`/proc/${heed.pid}/cmdline`, "utf8")
      const agents = w.agent.runs().map(({ pid }) => readFileSync(`/proc/${pid}/environ`, "utf8"))
      w.agent.release()
      yield* w.untilState(one, "blocked")
      // A failing source is told of at length.
      yield* w.forge.fault({ match: { path: "/issues$" }, failure: { kind: "status", status: 401 } })
      yield* w.forge.edit({ repo, number: one, title: "another" })
      yield* w.untilEvent("poll.source_failed")
      const status = yield* w.run("status")
      yield* heed.stop
      const { err, out } = yield* heed.ended
      const posted = yield* w.forge.comments({ repo, number: one })
      const asked = (yield* w.forge.log({})).map(({ path, query }) => `${path} ${JSON.stringify(query)}`)
      for (const text of [
        argv,
        ...agents,
        err,
        out,
        status.out,
        status.err,
        ...posted.map(({ body }) => body),
        ...asked
      ])
        assert.notInclude(text, token)
      assert.isAtLeast(agents.length, 1)

      const names = readdirSync(w.root, { recursive: true, encoding: "utf8" })
      for (const name of ["", ...names]) {
        const path = join(w.root, name)
        const stat = lstatSync(path)
        assert.strictEqual(stat.mode & 0o077, 0, `${path} is open to others`)
        if (stat.isFile()) assert.notInclude(readFileSync(path, "utf8"), token, path)
      }
      assert.include(names.join("\n"), "validators.json")
      assert.notInclude(readFileSync(join(w.folder, "environment"), "utf8"), token)
    }).pipe(Effect.scoped)
  )

  it.live("an agent that went looking for the token and prints it spreads it no further", () =>
    Effect.gen(function* () {
      const w = yield* world({ polling: { attempts: 2 } })
      w.agent.behave(`echo "remote: https://x:${token}@host refused" >&2; exit 1`)
      const one = yield* w.issue("say-title")
      const heed = yield* w.start("start")
      yield* w.untilState(one, "blocked")
      yield* heed.stop
      const { err } = yield* heed.ended
      assert.notInclude(err, token)
      const names = readdirSync(w.root, { recursive: true, encoding: "utf8" })
      // What the agent itself printed is kept as it printed it; nothing that heed wrote has it.
      for (const name of names.filter((each) => !each.endsWith("stderr"))) {
        const path = join(w.root, name)
        if (lstatSync(path).isFile()) assert.notInclude(readFileSync(path, "utf8"), token, path)
      }
      const [, second] = w.agent.runs()
      assert.include(w.prompt(second?.handOver ?? "", 2), "refused")
    }).pipe(Effect.scoped)
  )
})
