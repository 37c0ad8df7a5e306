/** Where a token comes from, and what is said when it does not (traps B45, B47, B48, B102). */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { Credentials, type Auth } from "../../src/net/Credentials.ts"
import { Environment, type Variables } from "../../src/net/Environment.ts"
import { withWallClock } from "../support/wallClock.ts"

const path = process.env["PATH"] ?? ""

const withVariables = (variables: Variables) =>
  Layer.fresh(Credentials.layer).pipe(
    Layer.provide(Layer.succeed(Environment, () => variables)),
    Layer.provideMerge(NodeServices.layer)
  )

const tokenOf = (auth: Auth, host = "github.com") =>
  Effect.gen(function* () {
    return Redacted.value((yield* (yield* Credentials).current(auth, host)).token)
  })

const refusal = (auth: Auth, host = "github.com") =>
  Effect.map(Effect.flip(tokenOf(auth, host)), ({ message }) => message)

/** A `gh` of our own, whose script sees its folder as $DIR. */
const fakeGh = Effect.fnUntraced(function* (script: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const binary = `${folder}/gh`
  yield* fs.writeFileString(binary, `#!/bin/sh\nDIR='${folder}'\n${script}\n`)
  yield* fs.chmod(binary, 0o755)
  return { folder, auth: { from: "gh", binary } as const }
})

describe("Credentials", () => {
  it.live("a variable, trimmed; empty is missing, and its name is said", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* tokenOf({ env: "A" }), "t0k3n")
      for (const env of ["B", "C", "D"]) assert.include(yield* refusal({ env }), `The variable ${env} `)
    }).pipe(Effect.provide(withVariables({ A: " t0k3n\r\n", B: " \n", D: "two words" })))
  )

  it.live("a file, trimmed; its path, and its mode where there is one, are said", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const file = `${folder}/token`
      yield* fs.writeFileString(file, "t0k3n\n")
      assert.strictEqual(yield* tokenOf({ file }), "t0k3n")
      assert.include(yield* refusal({ file: `${folder}/none` }), `${folder}/none cannot be read (NotFound`)
      assert.include(yield* refusal({ file: folder }), "mode 0700")
      yield* fs.writeFileString(`${folder}/empty`, "\n")
      assert.include(yield* refusal({ file: `${folder}/empty` }), `${folder}/empty is empty`)
    }).pipe(Effect.scoped, Effect.provide(withVariables({})))
  )

  const noisy = {
    PATH: path,
    HOME: "/home/x",
    GH_TOKEN: "cloud-token",
    GITHUB_TOKEN: "cloud-token",
    GH_ENTERPRISE_TOKEN: "enterprise-token",
    CLICOLOR_FORCE: "1",
    GH_FORCE_TTY: "0",
    GH_PAGER: "less",
    GH_DEBUG: "api",
    GH_HOST: "elsewhere",
    SECRET: "x"
  }

  it.live("gh is called for the host with a clean environment, and a token goes to no foreign host", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { folder, auth } = yield* fakeGh(
        'env > "$DIR/env"; echo "$@" > "$DIR/args"; cat > "$DIR/in"; echo t0k3n'
      )
      const called = Effect.fnUntraced(function* (host: string) {
        yield* tokenOf(auth, host)
        const names = (yield* fs.readFileString(`${folder}/env`))
          .split("\n")
          .map((line) => line.split("=")[0] ?? "")
          .filter(
            (name) => name !== "" && name !== "_" && name !== "PWD" && name !== "SHLVL" && name !== "OLDPWD"
          )
        return { names: names.toSorted(), args: (yield* fs.readFileString(`${folder}/args`)).trim() }
      })
      const clean = [
        "CLICOLOR_FORCE",
        "GH_NO_UPDATE_NOTIFIER",
        "GH_PROMPT_DISABLED",
        "HOME",
        "LC_ALL",
        "NO_COLOR",
        "PATH"
      ]
      assert.deepStrictEqual(yield* called("github.com"), {
        names: [...clean, "GH_TOKEN", "GITHUB_TOKEN"].toSorted(),
        args: "auth token --hostname github.com"
      })
      assert.deepStrictEqual(yield* called("ghe.example"), {
        names: [...clean, "GH_ENTERPRISE_TOKEN"].toSorted(),
        args: "auth token --hostname ghe.example"
      })
      assert.include(yield* fs.readFileString(`${folder}/env`), "CLICOLOR_FORCE=0")
    }).pipe(Effect.scoped, Effect.provide(withVariables(noisy)))
  )

  it.live("gh's failures are told apart, each with its mend, and none quotes what gh printed", () =>
    Effect.gen(function* () {
      const silent = yield* fakeGh("exit 0")
      const refused = yield* fakeGh("echo ghp_leak; echo ghp_leak >&2; exit 1")
      const flooding = yield* fakeGh("yes ghp_leak | head -c 300000")
      assert.include(yield* refusal(silent.auth), "gh auth login --hostname github.com")
      assert.include(yield* refusal(refused.auth), "gh auth login --hostname github.com")
      assert.include(yield* refusal(refused.auth, "ghe.example"), "GH_ENTERPRISE_TOKEN")
      assert.include(yield* refusal({ from: "gh", binary: "no-such-gh" }), "no-such-gh was not found in PATH")
      for (const { auth } of [silent, refused, flooding]) assert.notInclude(yield* refusal(auth), "ghp_leak")
    }).pipe(Effect.scoped, Effect.provide(withVariables({ PATH: path })))
  )

  it.effect("a gh that hangs is killed after 10 seconds with its children, even those that ignore TERM", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { folder, auth } = yield* fakeGh(
        `trap '' TERM; sleep 1000 & echo $! > "$DIR/.pid"; mv "$DIR/.pid" "$DIR/pid"; wait; wait`
      )
      const asking = yield* Effect.forkChild(refusal(auth))
      const breath = TestClock.withLive(Effect.sleep("20 millis"))
      const until = (effect: Effect.Effect<boolean>) =>
        effect.pipe(
          Effect.tap(() => breath),
          Effect.repeat({ while: (done) => !done })
        )
      yield* until(Effect.orDie(fs.exists(`${folder}/pid`)))
      const pid = Number(yield* fs.readFileString(`${folder}/pid`))
      assert.isAbove(pid, 1)
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(asking.pollUnsafe())
      yield* until(
        Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.sync(() => asking.pollUnsafe() !== undefined)
        )
      )
      assert.include(yield* Fiber.join(asking), "did not answer within 10 seconds")
      // A killed orphan may stay for a moment as a zombie of init's.
      const gone = fs.readFileString(`/proc/${pid}/stat`).pipe(
        Effect.map((stat) => /\) [ZX]/u.test(stat)),
        Effect.orElseSucceed(() => true)
      )
      yield* until(gone)
    }).pipe(Effect.scoped, Effect.provide(withVariables({ PATH: path })))
  )

  it.live("resolved once, by however many; asked again after a refusal", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { folder, auth } = yield* fakeGh('echo x >> "$DIR/calls"; echo "t$(wc -l < "$DIR/calls")"')
      const credentials = yield* Credentials
      const all = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => credentials.current(auth, "github.com"),
        {
          concurrency: "unbounded"
        }
      )
      const [one] = all
      if (one === undefined) return assert.fail("no credential")
      assert.match(one.fingerprint, /^[0-9a-f]{12}$/u)
      assert.strictEqual(new Set(all.map(({ fingerprint }) => fingerprint)).size, 1)
      const renewed = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => credentials.renewed(auth, "github.com", one, 0),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(renewed.map(({ token }) => Redacted.value(token))), new Set(["t2"]))
      assert.strictEqual((yield* fs.readFileString(`${folder}/calls`)).length, 4)
      assert.notInclude(JSON.stringify(renewed), "t2")
    }).pipe(Effect.scoped, Effect.provide(withVariables({ PATH: path })))
  )

  it.effect("a clock that is set back does not keep a refused token for a year", () =>
    withWallClock((move) =>
      Effect.gen(function* () {
        const { auth } = yield* fakeGh('echo x >> "$DIR/calls"; echo "t$(wc -l < "$DIR/calls")"')
        const credentials = yield* Credentials
        const first = yield* credentials.current(auth, "github.com")
        yield* move("-365 days")
        yield* TestClock.adjust("1 minute")
        const second = yield* credentials.renewed(auth, "github.com", first, 30_000)
        assert.strictEqual(Redacted.value(second.token), "t2")
        yield* move("365 days")
        const third = yield* credentials.renewed(auth, "github.com", second, 30_000)
        assert.strictEqual(Redacted.value(third.token), "t2", "it was asked a moment ago")
      })
    ).pipe(Effect.scoped, Effect.provide(withVariables({ PATH: path })))
  )
})
