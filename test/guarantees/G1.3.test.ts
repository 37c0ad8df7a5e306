/** G1.3: no interleaving of start, stop, probe and kill yields two holders, and no probe makes a start fail. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as processes from "../disk/processes.ts"
import { withRoot } from "../disk/roots.ts"

/** Steps at which somebody else worked although the one before had neither left nor died. */
const overlaps = (steps: ReadonlyArray<readonly [string, string]>, killed: ReadonlySet<string>) => {
  const wrong: Array<string> = []
  const last = new Map(steps.map(([pid], at) => [pid, at]))
  let inside: string | undefined
  for (const [at, [pid, step]] of steps.entries()) {
    if (step === "refused") continue
    if (step === "failed:") {
      wrong.push(`${at}: ${pid} neither got the lock nor was told that another has it`)
      continue
    }
    if (step !== "enter" && inside !== pid) wrong.push(`${at}: ${pid} ${step} while ${inside} is inside`)
    if (step === "enter" && inside !== undefined && (!killed.has(inside) || (last.get(inside) ?? 0) > at)) {
      wrong.push(`${at}: ${pid} enters while ${inside} is inside`)
    }
    inside = step === "leave" ? undefined : pid
  }
  return wrong
}

describe("G1.3", () => {
  withRoot("500 rounds of start, stop, probe and kill never see two holders", (root) =>
    Effect.gen(function* () {
      const log = `${root}.steps`
      mkdirSync(root)
      writeFileSync(log, "")
      const steps = () =>
        readFileSync(log, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => {
            const [pid = "", step = ""] = line.split(" ")
            return [pid, step] as const
          })
      const rounds = () => steps().filter(([, step]) => step === "enter").length
      const killed = new Set<string>()
      yield* processes.holder("look", root)
      const worker = processes.holder("loop", root, log)
      let [one, other, third] = yield* Effect.all([worker, worker, worker], { concurrency: 3 })
      for (let kills = 0; kills < 10 || rounds() < 500; kills++) {
        const enough = rounds() + 50
        yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => rounds() < enough }))
        killed.add(String(one.pid))
        yield* one.end("SIGKILL")
        ;[one, other, third] = [other, third, yield* worker]
      }
      for (const last of [one, other, third]) {
        killed.add(String(last.pid))
        yield* last.end("SIGTERM")
      }
      assert.deepStrictEqual(overlaps(steps(), killed), [])
      assert.isAbove(rounds(), 499)
    })
  )

  withRoot("a probe never makes a start fail", (root, lock) =>
    Effect.gen(function* () {
      yield* Effect.all([processes.holder("look", root), processes.holder("look", root)], { concurrency: 2 })
      for (let round = 0; round < 100; round++) yield* Effect.scoped(lock.acquire("once"))
    })
  )

  withRoot("a lock on a file that lost its name is not enough", (root, lock) =>
    Effect.gen(function* () {
      const pidfile = join(root, "heed.pid")
      const scope = yield* Scope.make()
      yield* Scope.provide(lock.acquire("daemon"), scope)
      unlinkSync(pidfile)
      writeFileSync(pidfile, "somebody else's")
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.strictEqual(readFileSync(pidfile, "utf8"), "somebody else's", "only its own file is removed")
    })
  )

  withRoot("a second file in the pidfile's place is not the first one's lock", (root, lock) =>
    Effect.gen(function* () {
      const pidfile = join(root, "heed.pid")
      mkdirSync(root)
      const starting = yield* processes.holder("gap", root)
      renameSync(pidfile, join(root, "aside"))
      assert.deepStrictEqual(yield* lock.probe, { _tag: "Free", leftover: false })
      yield* starting.end("SIGKILL")
    })
  )

  const impostors: ReadonlyArray<readonly [string, (path: string) => void]> = [
    ["a symbolic link", (path) => symlinkSync(`${path}.target`, path)],
    [
      "a symbolic link to a file",
      (path) => (writeFileSync(`${path}.target`, "precious"), symlinkSync(`${path}.target`, path))
    ],
    [
      "a hard link",
      (path) => (writeFileSync(`${path}.target`, "precious"), linkSync(`${path}.target`, path))
    ],
    ["a folder", (path) => mkdirSync(path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])]
  ]
  for (const [what, make] of impostors) {
    withRoot(`${what} as pidfile is refused and left alone`, (root, lock) =>
      Effect.gen(function* () {
        const pidfile = join(root, "heed.pid")
        mkdirSync(root)
        make(pidfile)
        const acquired = Effect.asVoid(Effect.scoped(lock.acquire("daemon")))
        for (const attempt of [acquired, Effect.asVoid(lock.probe), Effect.asVoid(lock.clean)]) {
          const failure = yield* Effect.flip(attempt)
          assert.strictEqual(failure.reason, "Refused")
          assert.include(failure.message, pidfile)
        }
        if (existsSync(`${pidfile}.target`))
          assert.strictEqual(readFileSync(`${pidfile}.target`, "utf8"), "precious")
      })
    )
  }

  withRoot("a leftover is removed under the lock, a held file is not", (root, lock) =>
    Effect.gen(function* () {
      const pidfile = join(root, "heed.pid")
      assert.isTrue(yield* lock.clean)
      const holder = yield* processes.holder("hold", root)
      assert.isFalse(yield* lock.clean)
      assert.isTrue(existsSync(pidfile))
      yield* holder.end("SIGKILL")
      assert.isTrue(existsSync(pidfile))
      assert.isTrue(yield* lock.clean)
      assert.isFalse(existsSync(pidfile))
    })
  )
})
