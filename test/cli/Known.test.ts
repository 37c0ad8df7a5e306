import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { origin, originOf, repositoryOf, userOf } from "../../src/cli/Known.ts"
import { world } from "./run.ts"

describe("Known", () => {
  it.each([
    ["https://github.com/acme/app.git", "acme/app"],
    ["https://token@github.com/acme/app", "acme/app"],
    ["git@github.com:acme/app.git", "acme/app"],
    ["ssh://git@github.com:22/acme/app.js/", "acme/app.js"],
    ["github.com:acme/app", "acme/app"],
    ["ssh://git@ssh.github.com:443/acme/app.git", "acme/app"],
    ["https://gitlab.com/acme/app.git", undefined],
    ["https://github.com.evil.org/acme/app", undefined],
    ["https://github.com/acme/app/tree/main", undefined]
  ])("%s is the repository %s", (url, name) =>
    assert.strictEqual(Option.getOrUndefined(repositoryOf(url)), name)
  )

  it("reads origin, whatever stands around it", () => {
    const config =
      '[remote "up"]\n\turl = https://github.com/up/app\n[remote "origin"]\n\tfetch = +refs\n\turl = git@github.com:acme/app.git\n[branch "main"]\n\tremote = origin\n'
    assert.strictEqual(Option.getOrUndefined(originOf(config)), "git@github.com:acme/app.git")
    assert.isTrue(Option.isNone(originOf("[core]\n\tbare = false\n")))
  })

  it.live("finds the clone that a folder is in, a worktree included", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempDirectoryScoped()
      const url = "git@github.com:acme/app.git"
      yield* fs.makeDirectory(`${path}/clone/.git/worktrees/w`, { recursive: true })
      yield* fs.makeDirectory(`${path}/clone/src/deep`, { recursive: true })
      yield* fs.makeDirectory(`${path}/w/src`, { recursive: true })
      yield* fs.writeFileString(`${path}/clone/.git/config`, `[remote "origin"]\n\turl = ${url}\n`)
      yield* fs.writeFileString(`${path}/clone/.git/worktrees/w/commondir`, "../..\n")
      yield* fs.writeFileString(`${path}/w/.git`, `gitdir: ${path}/clone/.git/worktrees/w\n`)
      for (const folder of ["clone", "clone/src/deep", "w", "w/src"])
        assert.strictEqual(Option.getOrUndefined(yield* origin(`${path}/${folder}`)), url, folder)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it("reads gh's user in both layouts of hosts.yml", () => {
    const old =
      "ghe.acme.org:\n    user: boss\ngithub.com:\n    oauth_token: x\n    user: alice\n    git_protocol: ssh\n"
    const recent =
      "github.com:\n    users:\n        alice:\n        bob:\n    git_protocol: https\n    user: bob\n"
    assert.strictEqual(Option.getOrUndefined(userOf(old, "github.com")), "alice")
    assert.strictEqual(Option.getOrUndefined(userOf(recent, "github.com")), "bob")
    assert.isTrue(Option.isNone(userOf(old, "gitlab.com")))
  })
})
