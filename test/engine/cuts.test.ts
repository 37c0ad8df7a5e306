/** Wherever heed cuts a text, no character is cut in two, nothing comes twice, and what people read says that it was cut. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { wordEvent } from "../../src/domain/decide/events.ts"
import { stripControl } from "../../src/domain/PlainText.ts"
import { visibleText } from "../../src/domain/VisibleText.ts"
import { EventLog } from "../../src/state/EventLog.ts"
import { fitting } from "../../src/tracker/github/Posting.ts"
import { item, word } from "../domain/story.ts"
import { processWorld } from "../sink/process/world.ts"
import { memoryWorld } from "./memoryWorld.ts"

/** Seven code points that are one character to people, in eleven UTF-16 units and 25 bytes. */
const family = "👨‍👩‍👧‍👦"

/** 60,000 characters of it, shifted so that a cut anywhere falls into each of its units once; lone halves between. */
const bodies = Array.from({ length: 11 }, (_, shift) =>
  `${"x".repeat(shift)}${family.repeat(2_000)}\ud83d${family.repeat(2_000)}\udc68${family.repeat(2_000)}`.slice(
    0,
    60_000
  )
)

const isWhole = (text: string) => text.isWellFormed() && Buffer.from(text, "utf8").toString("utf8") === text

describe("a cut", () => {
  it("of an event's body is a beginning of it, in whole code points", () => {
    for (const body of bodies) {
      const { transition } = wordEvent(item(), word(1, body))
      const cut = "comment" in transition ? (transition.comment?.body ?? "") : ""
      assert.strictEqual([...cut].length, 4_096)
      assert.isTrue(body.startsWith(cut))
      const json = JSON.stringify(cut)
      assert.strictEqual(JSON.parse(Buffer.from(json, "utf8").toString("utf8")), cut)
    }
  })

  it.effect("of a prompt says so, and what follows it follows once", () =>
    Effect.gen(function* () {
      for (const [shift, body] of bodies.entries()) {
        const w = yield* memoryWorld({ capacity: 5_000 + shift })
        yield* w.hands.open({ title: "it" })
        yield* w.once()
        for (const text of [body, "say-after"]) yield* w.hands.comment({ number: 1 }, { body: text })
        yield* w.once()
        yield* w.once()
        const [, cut, after, ...more] = yield* w.received
        assert.isTrue(isWhole(cut?.prompt ?? "\ud83d"))
        assert.match(cut?.prompt ?? "", /\[cut after \d+ characters: the rest is at /u)
        assert.isAtMost(cut?.prompt.length ?? 0, 5_000 + shift)
        const shown = /\n\n(x*👨[^\n]*)\n\[(?:heed|cut)/u.exec(cut?.prompt ?? "")?.[1] ?? "none"
        assert.isTrue(visibleText(body, "trusted").text.startsWith(shown), "it is its beginning")
        assert.include(after?.prompt, "say-after")
        assert.notInclude(after?.prompt, family)
        assert.deepStrictEqual(more, [])
      }
    }).pipe(Effect.scoped)
  )

  it("of a comment of heed's says so, and keeps its mark", () => {
    for (const body of bodies) {
      const text = `${stripControl(body)}${stripControl(body)}\n\n<!-- heed:0123 -->`
      const cut = fitting(text)
      assert.isTrue(isWhole(cut))
      assert.isAtMost(cut.length, 65_536)
      assert.match(cut, /\(cut by heed: [^\n]*\)\s*<!-- heed:0123 -->$/u)
      assert.isTrue(text.startsWith(cut.slice(0, cut.indexOf("\n\n… (cut"))))
    }
  })

  it.live("of an agent's last words leaves the last 500 code points, whole", () =>
    Effect.gen(function* () {
      const world = yield* processWorld
      for (const shift of [0, 1, 2, 3]) {
        const one = world.script(
          `printf '%s' "$SAID" >&2; exit 3`,
          {},
          { env: { SAID: `${"👨".repeat(600)}${"x".repeat(shift)}` } }
        )
        yield* world.sink.prepare(one)
        yield* world.sink.send(one)
        const result = yield* world.sink.result(one)
        const why = result._tag === "Failed" ? result.why : ""
        assert.isTrue(isWhole(why))
        assert.match(why, /: 👨{490,}x*$/u)
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("of a line of the event log says so, and the line stays valid", () =>
    Effect.gen(function* () {
      const root = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        for (const body of bodies) yield* log.append({ event: "poll.item_failed", level: "warn", why: body })
      }).pipe(Effect.provide(EventLog.layerUnlocked({ root }).pipe(Layer.provide(NodeServices.layer))))
      const text = readFileSync(join(root, "events.jsonl"))
      assert.isTrue(Buffer.from(text.toString("utf8"), "utf8").equals(text))
      const lines = text.toString("utf8").split("\n").slice(0, -1)
      for (const [place, line] of lines.entries()) {
        const { shortened, why }: { readonly shortened?: boolean; readonly why: string } = JSON.parse(line)
        assert.isTrue(shortened)
        assert.isTrue(why.endsWith("…"))
        assert.isTrue(bodies[place]?.startsWith(why.slice(0, -1)), `${place}: ${why.slice(-4)}`)
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
