/** A start that failed by a wrong entry of the configuration is healed by mending that; a session that lives keeps its own. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "../../src/domain/queue.ts"
import type { ItemRecord } from "../../src/domain/Record.ts"
import { replanned } from "../../src/engine/Unbegun.ts"
import { after, claim, live, plan, policy, word } from "../domain/story.ts"
import { repo, world } from "../support/world.ts"

describe("a mended entry of an agent", () => {
  const mended = policy({ agents: { default: plan({ command: ["mended"] }) } })
  const commandOf = (record: ItemRecord) =>
    replanned(record, "default", mended).sessions["default"]?.plan.command[0]
  const words = { comments: [word(1, "hello")] }

  it("is followed by a start that waits, and by nothing that has begun", () => {
    const wanted = after(undefined)
    assert.strictEqual(commandOf(wanted), "mended")
    assert.strictEqual(commandOf(claim(wanted)), "agent", "a start that is at work")
    assert.strictEqual(commandOf(live()), "agent", "a session that lives")
    const lost = Queue.conversationLost(claim(after(live(), words)), "default")
    assert.strictEqual(commandOf(lost), "agent", "one whose conversation was lost")
    assert.strictEqual(replanned(wanted, "default", policy()), wanted, "the same entry changes nothing")
    assert.strictEqual(replanned(wanted, "default", policy({ agents: {} })), wanted, "nor does none")
    const session = wanted.sessions["default"]
    if (session === undefined) return
    const seated = { ...wanted, sessions: { default: { ...session, seat: "a pane" } } }
    assert.strictEqual(commandOf(seated), "agent", "one that its sink has opened")
  })

  it("is followed by every session in when it is ready and how long it may be idle", () => {
    const ready = { delay: 1, pattern: "^>$", timeout: 1 }
    const changed = policy({ agents: { default: plan({ command: ["mended"], ready, idleAfter: 5 }) } })
    const after = replanned(live(), "default", changed)
    assert.deepInclude(after.sessions["default"]?.plan, { command: ["agent"], ready, idleAfter: 5 })
    assert.strictEqual(replanned(after, "default", changed), after)
    const other = policy({ agents: { default: plan({ sink: "another", ready }) } })
    assert.notProperty(replanned(live(), "default", other).sessions["default"]?.plan, "ready")
  })

  it.live(
    "is what starts go by that have not succeeded yet, blocked ones included once they are re-armed",
    () =>
      Effect.gen(function* () {
        const polling = { attempts: 3, retryAfter: ["10ms", "1h"] }
        const w = yield* world({ polling })
        const heed = yield* w.start("start")
        const lives = yield* w.issue("say-lives")
        yield* w.untilState(lives, "live")
        yield* w.configure({ polling, agent: { command: ["no-such-agent-here"] } })
        yield* w.untilEvent("config.reloaded")
        const waits = yield* w.issue("say-waits")
        yield* w.untilEvent("dispatch.failed", ({ ref }) => ref?.endsWith(`#${waits}`) === true, 2)
        yield* w.configure({ polling: { attempts: 1 }, agent: { command: ["no-such-agent-here"] } })
        const blocked = yield* w.issue("say-blocked")
        yield* w.untilState(blocked, "blocked")
        yield* w.say(lives, "say-more")
        yield* w.untilGiven("say-more")

        yield* w.configure({ polling })
        yield* w.untilEvent("config.reloaded", () => true, 3)
        yield* w.say(blocked, "say-again")
        yield* w.untilState(blocked, "live")
        assert.strictEqual((yield* w.run("retry", `${repo}#${waits}`)).code, 0)
        yield* w.untilState(waits, "live")
        yield* heed.stop
        assert.deepStrictEqual(w.agent.words(`${repo}#${blocked}`), ["say-blocked", "say-again"])
      }).pipe(Effect.scoped)
  )
})
