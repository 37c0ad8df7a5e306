/** How the agents fare, on a disk that fails now and then. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { well } from "../../src/domain/AgentHealth.ts"
import { Agents } from "../../src/state/Agents.ts"
import { Root } from "../../src/state/Root.ts"
import * as FaultyFileSystem from "../disk/FaultyFileSystem.ts"
import { inFolder } from "./ledgers.ts"

describe("Agents", () => {
  inFolder(
    "says once of each time that the disk cannot be written, and writes all of it afterwards",
    (root) => {
      const faults: FaultyFileSystem.Faults = { now: undefined }
      const said: Array<unknown> = []
      return Effect.gen(function* () {
        const agents = yield* Agents
        const change = (agent: string) => agents.modify(agent, () => [undefined, well("an entry")])
        const full = { step: "write", code: "ENOSPC" } as const
        faults.now = full
        yield* change("one")
        yield* change("two")
        assert.strictEqual(said.length, 1)
        assert.deepStrictEqual(Object.keys(yield* agents.all), ["one", "two"])
        faults.now = undefined
        yield* change("three")
        const stored: unknown = JSON.parse(readFileSync(join(root, "agents.json"), "utf8"))
        assert.deepStrictEqual(stored, { version: 1, agents: yield* agents.all })
        faults.now = full
        yield* change("four")
        assert.strictEqual(said.length, 2)
      }).pipe(
        Effect.provide(
          Agents.layer.pipe(
            Layer.provide(Root.layer({ path: root })),
            Layer.provide(FaultyFileSystem.layer(faults)),
            Layer.merge(Logger.layer([Logger.make(({ message }) => void said.push(message))]))
          )
        ),
        Effect.orDie
      )
    }
  )
})
