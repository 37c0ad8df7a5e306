/** G3.2 after violence: a wrapper, an agent or both are killed while no heed looks, or the whole machine went down. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repo, type World, world } from "../support/world.ts"

/** Whether it runs: what is dead and not read yet does not. */
const lives = (pid: number): boolean => {
  try {
    return !/\) [ZX]/u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    // There is none.
    return false
  }
}

const killed = (w: World, pid: number) =>
  Effect.gen(function* () {
    assert.isAbove(pid, 1)
    process.kill(pid, "SIGKILL")
    yield* w.until(`process ${pid} is gone`, () => !lives(pid))
  })

interface Claim {
  readonly pid: number
  readonly startTime: string
  readonly bootId: string
}

/** A run at work, whose heed was killed. */
const abandoned = Effect.fnUntraced(function* () {
  const w = yield* world({ polling: { attempts: 3, retryAfter: ["10ms"] } })
  const one = yield* w.issue("say-start")
  w.agent.behave(`[ "$HEED_ATTEMPT" != 1 ] || { echo "I had begun" >&2; ${w.agent.waiting()}; }`)
  const heed = yield* w.start("start")
  yield* w.untilGiven("say-start")
  yield* heed.kill
  const [run] = w.agent.runs()
  const handOver = run?.handOver ?? ""
  const file = join(w.root, "runs", handOver, "1", "claim")
  const claim: Claim = JSON.parse(readFileSync(file, "utf8"))
  return { w, one, file, claim, handOver, agent: run?.pid ?? 0 }
})

const attempts = (w: World) => w.agent.runs().map(({ attempt }) => attempt)

/** The next heed makes a second attempt, whose prompt says how the first one ended. */
const triedAgain = Effect.fnUntraced(function* (w: World, one: number, handOver: string, why: string) {
  yield* w.untilState(one, "live")
  yield* w.untilListed(2)
  assert.deepStrictEqual(attempts(w), [1, 2])
  const prompt = w.prompt(handOver, 2)
  assert.include(prompt, "This is attempt 2")
  assert.include(prompt, why)
})

describe("G3.2", () => {
  it.live("a wrapper that was killed: its agent is adopted, and nobody works beside it", () =>
    Effect.gen(function* () {
      const { agent, claim, handOver, one, w } = yield* abandoned()
      yield* killed(w, claim.pid)
      assert.isTrue(lives(agent))
      const next = yield* w.start("start")
      yield* w.untilEvent("session.adopted")
      yield* w.say(one, "say-meanwhile")
      yield* w.until("the word waits", () => (w.record(one)?.waiting.length ?? 0) > 1)
      yield* w.untilListed(5)
      assert.deepStrictEqual(attempts(w), [1])
      w.agent.release()
      yield* w.untilGiven("say-meanwhile")
      yield* w.untilState(one, "live")
      yield* w.untilQuiet
      yield* next.stop
      assert.deepStrictEqual(attempts(w).slice(0, 2), [1, 2])
      assert.include(w.prompt(handOver, 2), "vanished without an exit code")
    }).pipe(Effect.scoped)
  )

  it.live("an agent that was killed under its wrapper: a failed attempt, and the next one knows", () =>
    Effect.gen(function* () {
      const { agent, handOver, one, w } = yield* abandoned()
      yield* killed(w, agent)
      const next = yield* w.start("start")
      yield* triedAgain(w, one, handOver, "exit code 137: I had begun")
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  it.live("both killed: a failed attempt, and the next one knows", () =>
    Effect.gen(function* () {
      const { agent, claim, handOver, one, w } = yield* abandoned()
      yield* killed(w, claim.pid)
      yield* killed(w, agent)
      const next = yield* w.start("start")
      yield* triedAgain(w, one, handOver, "vanished without an exit code: I had begun")
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  for (const [what, foreign, why] of [
    ["another boot", { bootId: "00000000-0000-0000-0000-000000000000" }, "the machine went down"],
    ["another start time", { startTime: "1" }, "vanished without an exit code"]
  ] as const) {
    for (const isClosed of [false, true]) {
      it.live(
        `after a reboot, its number now a stranger's (${what}${isClosed ? ", the item closed meanwhile" : ""}): nobody is signalled`,
        () =>
          Effect.gen(function* () {
            const { agent, claim, file, handOver, one, w } = yield* abandoned()
            yield* killed(w, claim.pid)
            yield* killed(w, agent)
            const stranger = yield* Effect.acquireRelease(
              Effect.sync(() => spawn("sleep", ["1000"], { detached: true, stdio: "ignore" })),
              (child) => Effect.sync(() => void child.kill("SIGKILL"))
            )
            const pid = stranger.pid ?? 0
            yield* w.until("the stranger lives", () => lives(pid))
            writeFileSync(file, JSON.stringify({ ...claim, version: 1, pid, ...foreign }))
            // As a power cut leaves them: the pidfile of the former daemon, and its socket.
            const { bootId, startTime } = { ...claim, ...foreign }
            writeFileSync(join(w.root, "heed.pid"), `${pid}\n${startTime}\n${bootId}\ndaemon\n`)
            assert.isTrue(existsSync(join(w.root, "heed.sock")))
            if (isClosed) yield* w.forge.close({ repo, number: one, by: "alice" })
            const next = yield* w.start("start")
            if (isClosed) {
              yield* w.untilState(one, "ended")
              assert.deepStrictEqual(attempts(w), [1])
            } else {
              yield* triedAgain(w, one, handOver, why)
            }
            assert.strictEqual((yield* w.run("stop")).code, 0)
            assert.strictEqual((yield* next.ended).code, 0)
            assert.isTrue(lives(pid), "the stranger was signalled")
            assert.isNull(stranger.signalCode)
          }).pipe(Effect.scoped)
      )
    }
  }
})
