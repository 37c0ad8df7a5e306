/** The scripts that the pages give people to copy do what the pages say. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "heed-scripts-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = (name: string, text: string) => {
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, 0o700)
  return file
}

describe("the script for a checkout per item", () => {
  const page = readFileSync("docs/getting-started.md", "utf8")
  const script = program("in-worktree", /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/u.exec(page)?.[1] ?? "")
  const [origin, clone] = [join(folder, "origin"), join(folder, "clone")]
  const git = (cwd: string, ...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
  const work = (item: string, agent: string) => {
    const cwd = join(folder, "work", item)
    mkdirSync(cwd, { recursive: true })
    return execFileSync(script, ["/bin/sh", "-c", agent], {
      cwd,
      encoding: "utf8",
      env: { ...process.env, HEED_CONFIG: join(clone, "heed.yaml") }
    })
  }

  it("gives each item its own worktree, which its later runs find as it was", { timeout: 30_000 }, () => {
    mkdirSync(origin)
    git(origin, "init", "--quiet", "--initial-branch=main")
    writeFileSync(join(origin, "file"), "one")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "one")
    git(folder, "clone", "--quiet", origin, clone)

    assert.strictEqual(work("item-1", "cat file; echo mine > made"), "one")
    assert.strictEqual(work("item-1", "cat made; git branch --show-current"), "mine\nagent/item-1\n")
    assert.strictEqual(work("item-2", "ls; git branch --show-current"), "file\nagent/item-2\n")
    assert.isFalse(existsSync(join(clone, "made")))

    // A folder that somebody removed comes back on its branch, with what was committed there.
    work("item-1", "git add . && git -c user.name=a -c user.email=a@example.org commit --quiet -m two")
    rmSync(join(folder, "work", "item-1"), { recursive: true })
    assert.strictEqual(work("item-1", "cat made"), "mine\n")
  })
})

describe("the crontab line", () => {
  const page = readFileSync("docs/running.md", "utf8")
  const line = /^\* \* \* \* \* (.*)$/mu.exec(page)?.[1] ?? ""
  const bin = join(folder, "bin")
  mkdirSync(join(folder, "work"), { recursive: true })
  mkdirSync(bin)
  const mail = (code: number) => {
    program("bin/heed", `#!/bin/sh\necho "said: $*" >&2\nexit ${code}\n`)
    return spawnSync("/bin/sh", ["-c", line], {
      encoding: "utf8",
      env: { HOME: folder, PATH: [bin, process.env["PATH"]].join(delimiter) }
    })
  }

  it("is quiet when all is well, and says everything when not", () => {
    // A percent sign would be cron's end of the line.
    assert.notInclude(line, "%")
    assert.deepInclude(mail(0), { status: 0, stdout: "", stderr: "" })
    assert.include(mail(75).stdout, "exit 75: said: start --once --skip-if-held")
  })
})
