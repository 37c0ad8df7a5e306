/** The floors of the house (docs/architecture.md): a room imports from below, from its own room, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

/** From the ground up; rooms on one floor do not know one another. */
const floors: ReadonlyArray<ReadonlyArray<string>> = [
  ["domain"],
  ["disk"],
  ["net"],
  ["tracker", "sink", "state", "config"],
  ["engine"],
  ["live"],
  ["control", "webhook"],
  ["cli"]
]
/** No part of the daemon's path: the forge stands apart, and these files put the house together. */
const apart = new Set(["forge", "main.ts", "index.ts", "testing.ts"])

const floorOf = (room: string) => floors.findIndex((rooms) => rooms.includes(room))
const roomOf = (file: string) => file.split("/")[1] ?? ""

const imports = globSync("src/**/*.ts").flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/gu)].map((match) => ({
    file,
    target: normalize(join(dirname(file), match[1] ?? ""))
  }))
)

describe("floors", () => {
  it("every import goes down or stays in its room", () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)]
      if (apart.has(from) || from === to) return false
      if (from === "cli" && to === "forge") return false
      return apart.has(to) || floorOf(to) === -1 || floorOf(to) >= floorOf(from)
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("engine and domain name no tracker and no sink, beside the event schema's own literals", () => {
    const named = globSync("src/{engine,domain}/**/*.ts")
      .filter((file) => file !== "src/domain/Event.ts")
      .flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => !/^\s*(?:\*|\/\*\*|\/\/)/u.test(line) && /github|gitlab|jira|tmux/iu.test(line))
          .map((line) => `${file}: ${line.trim()}`)
      )
    assert.deepStrictEqual(named, [])
  })
})
