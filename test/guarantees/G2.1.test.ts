/**
 * G2.1: a signal is sent only while the lock is held and the file names the very process that took it. What could make
 * heed signal 0, -1 or a stranger runs in a pid namespace of its own.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { daemon, finished, program, run } from "../cli/process.ts"
import { folder, world } from "../cli/run.ts"

/** What a pidfile may say; `@` is the pid of a process that has nothing to do with heed, `#` its start, `!` the boot; `%` is who holds the lock. */
const contents = {
  zero: "0\n1\n!\ndaemon\n",
  minusOne: "-1\n1\n!\ndaemon\n",
  init: "1\n1\n!\ndaemon\n",
  stranger: "@\n1\n!\ndaemon\n",
  strangerOfAnotherBoot: "@\n#\n00000000-0000-0000-0000-000000000000\ndaemon\n",
  holderOfAnotherStart: "%\n1\n!\ndaemon\n",
  nonsense: "12abc\n",
  empty: ""
}

/** For each file: with nobody and with somebody else holding the lock. Prints one line each. */
const script = `
sleep 600 & stranger=$!
start=$(sed 's/.*) //' /proc/$stranger/stat | cut -d' ' -f20)
boot=$(cat /proc/sys/kernel/random/boot_id)
for name in ${Object.keys(contents).join(" ")}; do
  for lock in free held; do
    mkdir -p .heed
    touch .heed/heed.pid
    holder=
    if [ $lock = held ]; then
      flock .heed/heed.pid sh -c 'echo > locked; exec sleep 600' & holder=$!
      while [ ! -e locked ]; do sleep 0.02; done
    fi
    sed "s/@/$stranger/; s/#/$start/; s/!/$boot/; s/%/\${holder:-$stranger}/" cases/$name > .heed/heed.pid
    "$NODE" "$PROGRAM" '{}' stop --timeout 1s >out 2>err
    code=$?
    file=gone; [ -e .heed/heed.pid ] && file=there
    alive=dead; kill -0 $stranger && kill -0 \${holder:-$stranger} && alive=alive
    echo "$name $lock $code $file $alive $(tr '\\n' ' ' < err)"
    if [ -n "$holder" ]; then
      kill $holder $(cat /proc/$holder/task/$holder/children)
      wait $holder
      rm -f locked
    fi
    rm -rf .heed
  done
done 2>/dev/null
kill $stranger
`

describe("G2.1", () => {
  it.live("no pidfile makes stop signal anybody but the lock's own holder", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      yield* fs.makeDirectory(`${path}/cases`)
      for (const [name, text] of Object.entries(contents))
        yield* fs.writeFileString(`${path}/cases/${name}`, text)
      yield* fs.writeFileString(`${path}/script.sh`, script)
      const apart = ["--pid", "--fork", "--kill-child", "--mount-proc"]
      const variables = [`NODE=${process.execPath}`, `PROGRAM=${program}`]
      const running = yield* run("unshare", [...apart, "env", ...variables, "sh", "script.sh"], path)
      const { code, err, out } = yield* running.ended
      assert.strictEqual(code, 0, err)
      const lines = out.trimEnd().split("\n")
      assert.lengthOf(lines, Object.keys(contents).length * 2)
      for (const line of lines) {
        const [, lock, exit, file, alive] = line.split(" ")
        assert.deepStrictEqual([exit, alive], ["1", "alive"], line)
        assert.strictEqual(file, lock === "free" ? "gone" : "there", line)
        assert.match(
          line,
          lock === "free" ? /was stale and is removed; no process was signalled/u : /is locked, but/u
        )
      }
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("a daemon that does not answer is signalled, since it is the lock's holder", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      const running = yield* daemon(path)
      yield* fs.remove(`${path}/.heed/heed.sock`)
      const { code, out } = yield* finished(path, ["stop"])
      assert.deepStrictEqual([code, out], [0, `stopped (pid ${running.pid})\n`])
      assert.strictEqual((yield* running.ended).code, 0)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("stop asks over the socket, and nothing to stop is an error", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      const running = yield* daemon(path)
      assert.strictEqual((yield* finished(path, ["stop"])).code, 0)
      const { code, err } = yield* running.ended
      assert.strictEqual(code, 0)
      assert.include(err, '"event":"control.command"')
      assert.isFalse(yield* fs.exists(`${path}/.heed/heed.pid`))
      const again = yield* finished(path, ["stop"])
      assert.deepStrictEqual([again.code, again.out], [1, ""])
      assert.match(again.err, /^heed: nothing to stop: no heed holds .*heed\.pid$/mu)
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
