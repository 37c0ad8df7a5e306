/** docs/heed.service lets agents outlive heed, and heed end by itself. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { Plan } from "../../src/index.ts"

const settings = new Map(
  readFileSync("docs/heed.service", "utf8")
    .split("\n")
    .filter((line) => /^[A-Z]\w*=/u.test(line))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const)
)

describe("the systemd unit", () => {
  it("stops heed alone, never the group that its agents are in", () => {
    assert.strictEqual(settings.get("KillMode"), "process")
    assert.strictEqual(settings.get("OOMPolicy"), "continue")
    for (const other of ["KillSignal", "ExecStop", "FinalKillSignal"])
      assert.isFalse(settings.has(other), other)
  })

  it("waits longer than heed's own stop takes", () => {
    const { limits } = Plan.make({ agents: {} })
    // A send in hand takes 5 seconds at most, and so does each release; four times that is a slow machine's margin.
    assert.isAtLeast(Number(settings.get("TimeoutStopSec")) * 1000, limits.drain + 4 * 5_000)
  })

  it("starts the daemon itself, in the foreground, and not again when its configuration is wrong", () => {
    assert.match(settings.get("ExecStart") ?? "", /\bheed start\b(?!.*--once)/u)
    assert.strictEqual(settings.get("Type"), "exec")
    assert.strictEqual(settings.get("Restart"), "on-failure")
    assert.include((settings.get("RestartPreventExitStatus") ?? "").split(" "), "78")
  })
})
