/** G2.1 and G2.2: stop is true when it returns, and signals nobody but the very process that holds the lock. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { world } from "../support/world.ts"

const isFree = (pidfile: string) => spawnSync("flock", ["-n", pidfile, "true"]).status === 0

describe("G2.1, G2.2", () => {
  it.live("stop returns 0 once the daemon is gone and its lock is free; then there is nothing to stop", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const heed = yield* w.start("start")
      yield* w.untilListed(1)
      const stop = yield* w.run("stop")
      assert.strictEqual(stop.code, 0, stop.err)
      assert.isFalse(existsSync(join(w.root, "heed.pid")))
      assert.strictEqual((yield* heed.ended).code, 0)
      const again = yield* w.run("stop")
      assert.strictEqual(again.code, 1)
      assert.include(again.err, "nothing to stop")
    }).pipe(Effect.scoped)
  )

  it.live("without its socket the holder itself is signalled", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const heed = yield* w.start("start")
      yield* w.untilListed(1)
      unlinkSync(join(w.root, "heed.sock"))
      const stop = yield* w.run("stop")
      assert.strictEqual(stop.code, 0, stop.err)
      assert.strictEqual((yield* heed.ended).code, 0)
    }).pipe(Effect.scoped)
  )

  it.live("a daemon that does not end in time: stop says so and exits 1, and the lock is still held", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const heed = yield* w.start("start")
      yield* w.untilListed(1)
      yield* heed.signal("SIGSTOP")
      const stop = yield* w.run("stop", "--timeout", "300ms")
      assert.strictEqual(stop.code, 1)
      assert.include(stop.err, String(heed.pid))
      assert.include(stop.err, "300ms")
      assert.isFalse(isFree(join(w.root, "heed.pid")))
      yield* heed.signal("SIGCONT")
      assert.strictEqual((yield* heed.ended).code, 0, "it was asked, and ends as soon as it can")
    }).pipe(Effect.scoped)
  )

  it.live("a held lock whose file says nothing is reported, not guessed at", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const heed = yield* w.start("start")
      yield* w.untilListed(1)
      unlinkSync(join(w.root, "heed.sock"))
      writeFileSync(join(w.root, "heed.pid"), "")
      const stop = yield* w.run("stop")
      assert.strictEqual(stop.code, 1)
      assert.include(stop.err, "does not say by whom")
      yield* w.untilListed(1)
      yield* heed.kill
    }).pipe(Effect.scoped)
  )

  it.live("a pidfile of a live process that is not the holder: nothing is signalled", () =>
    Effect.gen(function* () {
      const w = yield* world()
      const heed = yield* w.start("start")
      yield* w.untilListed(1)
      unlinkSync(join(w.root, "heed.sock"))
      const pidfile = join(w.root, "heed.pid")
      const [pid, , boot, role] = readFileSync(pidfile, "utf8").split("\n")
      // Its pid, recycled: another start time.
      writeFileSync(pidfile, `${pid}\n1\n${boot}\n${role}\n`)
      assert.strictEqual((yield* w.run("stop")).code, 1)
      yield* w.untilListed(1)
      yield* heed.kill
    }).pipe(Effect.scoped)
  )

  // A mistake here would end every process there is, so it happens where there are only its own.
  const names = ["0", "-1", "1", "stranger", "-stranger", "garbage"]
  it.live.each(names.flatMap((named) => [[named, "stale"] as const, [named, "held by another"] as const]))(
    "a pidfile that names %s and is %s: exit 1, nobody is signalled",
    ([named, how]) =>
      Effect.gen(function* () {
        const w = yield* world()
        mkdirSync(w.root, { mode: 0o700 })
        const pidfile = join(w.root, "heed.pid")
        const script = `
          sleep 60 & stranger=$!
          case '${named}' in stranger) pid=$stranger;; -stranger) pid=-$stranger;; *) pid='${named}';; esac
          printf '%s\\n1\\n%s\\ndaemon\\n' "$pid" "$(cat /proc/sys/kernel/random/boot_id)" > '${pidfile}'
          if [ '${how}' != stale ]; then
            flock --no-fork '${pidfile}' sh -c 'touch "$0.held"; exec sleep 60' '${pidfile}' & holder=$!
            until [ -e '${pidfile}.held' ]; do sleep 0.02; done
          fi
          '${process.execPath}' '${inject("heed")}' stop --timeout 1s --config '${w.file}'; echo "code $?"
          kill -0 $stranger && echo "stranger lives"
          [ -z "$holder" ] || { kill -0 $holder && echo "holder lives"; }
          [ -e '${pidfile}' ] && echo "file stays"
          kill $stranger $holder; exit 0`
        const said = execFileSync(
          "unshare",
          [
            "--user",
            "--map-root-user",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "sh",
            "-c",
            script
          ],
          {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "pipe"],
            env: { ...process.env, HEED_TEST_TOKEN: "x" }
          }
        )
        assert.strictEqual(
          said,
          how === "stale" ? "code 1\nstranger lives\n" : "code 1\nstranger lives\nholder lives\nfile stays\n"
        )
      }).pipe(Effect.scoped)
  )
})
