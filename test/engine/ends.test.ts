/** Ends: what an agent at work gets when its item ends, who is killed, and who never is. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { repo, type World, world } from "../support/world.ts"

const item = (number: number) => `${repo}#${number}`
/** A dead process that nobody has collected yet is dead. */
const isAlive = (pid: number) => {
  if (!existsSync(`/proc/${pid}`)) return false
  return !/\) [ZX] /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
}
const pidOf = (w: World, number: number) =>
  w.agent.runs().findLast((run) => run.item === item(number))?.pid ?? 0

describe("ends", () => {
  it.live("within its grace a run finishes; after it, whoever ignores TERM is killed, children too", () =>
    Effect.gen(function* () {
      const w = yield* world({ agent: { endGrace: "1s" } })
      const [polite, stubborn, parent] = [yield* w.issue(), yield* w.issue(), yield* w.issue()]
      const child = (number: number) => Number(w.read(`child-${number}`))
      // Of the other two one ignores TERM, and the other obeys it but has a child that does not.
      w.agent.behave(
        `number=\${HEED_WORK_ITEM_KEY##*#}
         [ $number != ${polite} ] || { ${w.agent.waiting()}; exit 0; }
         sh -c 'trap "" TERM; echo $$ > "$0"; while :; do sleep 0.1; done' '${w.folder}/child-'$number > /dev/null 2>&1 &
         [ $number != ${stubborn} ] || trap '' TERM
         ${w.agent.waiting("never")}`
      )
      const heed = yield* w.start("start")
      yield* w.until(
        "they run",
        () => w.agent.runs().length === 3 && child(stubborn) > 0 && child(parent) > 0
      )
      for (const number of [polite, stubborn, parent]) {
        yield* w.forge.close({ repo, number, by: "alice" })
        yield* w.untilState(number, "ending")
      }
      w.agent.release()
      for (const number of [polite, stubborn, parent]) yield* w.untilState(number, "ended")
      yield* heed.stop
      for (const pid of [pidOf(w, stubborn), child(stubborn), pidOf(w, parent), child(parent)])
        assert.isFalse(isAlive(pid), `${pid} outlives its item`)
      assert.deepStrictEqual(w.record(stubborn)?.waiting, [])
      assert.strictEqual(w.agent.runs().length, 3)
    }).pipe(Effect.scoped)
  )

  it.live("the deadline is in the record: a later heed keeps it", () =>
    Effect.gen(function* () {
      const w = yield* world({ agent: { endGrace: "500ms" } })
      const one = yield* w.issue("say-title")
      w.agent.behave(w.agent.waiting("never"))
      const heed = yield* w.start("start")
      yield* w.untilGiven("say-title")
      yield* w.forge.close({ repo, number: one, by: "alice" })
      yield* w.untilState(one, "ending")
      yield* heed.kill
      assert.isTrue(isAlive(pidOf(w, one)))
      const next = yield* w.start("start")
      yield* w.untilState(one, "ended")
      yield* next.stop
      assert.strictEqual(w.events().filter(({ event }) => event === "session.adopted").length, 1)
      assert.isFalse(isAlive(pidOf(w, one)))
      assert.strictEqual(w.agent.runs().length, 1)
    }).pipe(Effect.scoped)
  )

  it.live(
    "heed sessions stop: what waits settles, a run has its grace, and a later word starts nothing",
    () =>
      Effect.gen(function* () {
        const w = yield* world({ agent: { endGrace: "200ms" } })
        const [idle, busy] = [yield* w.issue("say-idle"), yield* w.issue("say-busy")]
        const heed = yield* w.start("start")
        yield* w.untilState(idle, "live")
        yield* w.untilState(busy, "live")
        w.agent.behave(w.agent.waiting("never"))
        yield* w.say(busy, "say-work")
        yield* w.untilGiven("say-work")
        yield* w.say(busy, "say-late")
        yield* w.until("it waits", () => w.record(busy)?.waiting.length === 2)
        for (const number of [idle, busy])
          assert.strictEqual((yield* w.run("sessions", "stop", item(number))).code, 0)
        yield* w.untilState(idle, "ended")
        yield* w.untilState(busy, "ended")
        for (const number of [idle, busy])
          yield* w.untilEvent("session.ended", ({ ref }) => ref?.endsWith(`#${number}`) === true)
        yield* w.say(busy, "say-after")
        yield* w.untilListed(3)
        assert.isFalse(isAlive(pidOf(w, busy)))
        assert.strictEqual((yield* w.run("sessions", "stop", item(idle))).code, 1)
        yield* heed.stop
        assert.notInclude(w.agent.words(item(busy)), "say-late")
        assert.notInclude(w.agent.words(item(busy)), "say-after")
      }).pipe(Effect.scoped)
  )

  it.live(
    "a source that is taken out of the configuration ends nothing; its sessions go on when it is back",
    () =>
      Effect.gen(function* () {
        const w = yield* world()
        yield* w.forge.addRepo({ repo: "acme/web" })
        const other = { sources: [w.source({ repos: ["acme/web"] })] }
        const one = yield* w.issue("say-title")
        w.agent.behave(w.agent.waiting())
        const heed = yield* w.start("start")
        yield* w.untilGiven("say-title")
        yield* w.configure(other)
        yield* w.untilEvent("config.reloaded")
        w.agent.release()
        yield* w.untilState(one, "live")
        yield* w.say(one, "say-detached")
        yield* w.configure({})
        yield* w.untilGiven("say-detached")
        yield* w.untilQuiet
        yield* heed.stop
        assert.deepStrictEqual(w.agent.words(item(one)), ["say-title", "say-detached"])
        assert.strictEqual(w.record(one)?.sessions["default"]?.generation, 1)
      }).pipe(Effect.scoped)
  )
})
