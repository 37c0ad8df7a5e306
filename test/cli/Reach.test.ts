/** A heed that runs can be stopped and steered whatever became of its configuration. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { rootIn } from "../../src/cli/Reach.ts"
import { daemon } from "./process.ts"
import { folder, heed, heedYaml, world } from "./run.ts"

describe("Reach", () => {
  it.live(
    "reaches a running daemon with a broken file and without any; without a daemon exit 78 stands",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* folder()
        const file = `${path}/heed.yaml`
        yield* daemon(path)
        yield* fs.writeFileString(file, `${heedYaml}bogus: 1\n`)
        const pause = yield* heed(["sessions", "pause", "acme/app#12", "--config", file])
        assert.deepInclude(pause, { code: 0, out: "pause github:github.com/acme/app#12" })
        assert.match(pause.err, /heed\.yaml:4: bogus[^]*the heed that holds .*\.heed is asked all the same$/u)
        assert.strictEqual((yield* heed(["retry", "acme/app#12", "--config", file])).code, 0)
        assert.match((yield* heed(["status", "--config", file])).out, /^heed is running/u)
        assert.match((yield* heed(["events", "--config", file])).out, /poller\.started/u)
        yield* fs.remove(file)
        assert.match((yield* heed(["sessions", "--config", file])).out, /acme\/app#12/u)
        const stop = yield* heed(["stop", "--config", file])
        assert.deepInclude(stop, { code: 0 })
        assert.match(stop.out, /^stopped \(pid \d+\)$/u)
        for (const args of [["stop"], ["sessions"], ["retry", "acme/app#12"], ["status"], ["events"]])
          assert.strictEqual((yield* heed([...args, "--config", file])).code, 78)
      }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.each([
    ["state:\n  keep: 30d\n  root: ../x/.heed # here\nagents: [\n", "../x/.heed"],
    ["state: { keep: 30d, root: 'a b' }\n", "a b"],
    ['state:\r\n  root: "a"\r\nbogus\r\n', "a"],
    ["agents:\n  default:\n    root: a\n", undefined],
    ["state:\n  keep: 30d\nagents:\n  root: a\n", undefined],
    ["", undefined]
  ])("of %j the root seems to be %s", (text, root) => assert.strictEqual(rootIn(text), root))
})
