/** KillPoint: the hook of the suite in test/knife. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { killPoints } from "../../src/disk/KillPoint.ts"

const run = (knife: string | undefined) => {
  const folder = mkdtempSync(join(tmpdir(), "heed-kill-point-"))
  const path = join(folder, "record")
  const { signal, status, stdout } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "killed.ts"), path],
    {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...(knife === undefined ? {} : { HEED_KNIFE: knife }) }
    }
  )
  const content = readFileSync(path, "utf8")
  rmSync(folder, { recursive: true })
  return { signal, status, stdout, content }
}

describe("KillPoint", () => {
  it("kills at the point and the occurrence that are named, and not a step later", () => {
    assert.deepStrictEqual(run("record.begun:3"), {
      signal: "SIGKILL",
      status: null,
      stdout: "12",
      content: "2"
    })
    assert.deepStrictEqual(run("record.renamed:2"), {
      signal: "SIGKILL",
      status: null,
      stdout: "1",
      content: "2"
    })
  })

  for (const knife of [undefined, "", "record.renamed:4", "heartbeat.renamed", "record", "knife"]) {
    it(`does nothing with HEED_KNIFE=${knife ?? "unset"}`, () => {
      assert.deepStrictEqual(run(knife), { signal: null, status: 0, stdout: "123", content: "3" })
    })
  }

  it("names no point twice", () => {
    assert.strictEqual(new Set(killPoints).size, killPoints.length)
  })
})
