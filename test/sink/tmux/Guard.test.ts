/** The guard, condition by condition: what is true when it was seen, and no more when the list is carried out. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Guard from "../../../src/sink/tmux/Guard.ts"
import type { Pane } from "../../../src/sink/tmux/Pane.ts"
import * as TmuxServer from "../../../src/sink/tmux/Server.ts"
import * as Tmux from "../../../src/sink/tmux/Tmux.ts"
import { opened, reads, takesAll, type TmuxWorld, tmuxWorld } from "./world.ts"

/** An open session that nothing was given yet, and what types into it. */
const begin = Effect.fnUntraced(function* (world: TmuxWorld) {
  const one = world.script(takesAll("log"))
  const session = yield* opened(world.sink, one)
  const tmux = yield* Tmux.make({ socket: world.options.tmuxSocket, variables: process.env }).pipe(
    Effect.provide(NodeServices.layer)
  )
  const server = TmuxServer.make(tmux)
  const see = Effect.gen(function* () {
    const seen = yield* server.contact(undefined)
    const pane = seen._tag === "Seen" ? TmuxServer.paneOf(seen, session.id) : undefined
    return pane ?? (yield* Effect.die(new Error("no pane")))
  })
  const paste = (pane: Pane, epoch = server.epoch) =>
    tmux.ask(Guard.paste(pane, one, { epoch, buffer: "words", now: 1 }), { input: "words" })
  const submit = (pane: Pane, epoch = server.epoch) => tmux.ask([Guard.submit(pane, one, { epoch, now: 1 })])
  return { one, session, server, see, paste, submit, home: world.home(session.id) }
})

const test = (
  title: string,
  body: (world: TmuxWorld, at: Effect.Success<ReturnType<typeof begin>>) => Effect.Effect<void, unknown>
) =>
  it.live(title, () =>
    Effect.flatMap(tmuxWorld, (world) => Effect.flatMap(begin(world), (at) => body(world, at)))
  )

describe("the guard lets nothing through", () => {
  const changes: ReadonlyArray<
    readonly [string, (world: TmuxWorld, at: Effect.Success<ReturnType<typeof begin>>) => void]
  > = [
    ["once another heed may type", (world) => world.tmux("set-option", "-s", "@heed-epoch", "another")],
    ["to a pane that is scrolled", (world, { home }) => world.tmux("copy-mode", "-t", home)],
    [
      "to a pane that was given something since",
      (world, { home }) => world.tmux("set-option", "-p", "-t", home, "@heed-at", "other/1 submitted")
    ]
  ]
  for (const [title, change] of changes) {
    test(title, (world, at) =>
      Effect.gen(function* () {
        const seen = yield* at.see
        change(world, at)
        yield* at.paste(seen)
        yield* at.submit(seen)
        assert.strictEqual((yield* at.see).mark, title.includes("given") ? "other/1 submitted" : "")
        assert.strictEqual(world.tmux("list-buffers"), "")
        assert.notInclude(yield* world.read("log"), "words")
        assert.notInclude(yield* world.read("log"), "\r")
      })
    )
  }

  test("to a dead pane, and the server survives it", (world, at) =>
    Effect.gen(function* () {
      const seen = yield* at.see
      process.kill(seen.pid, "SIGKILL")
      yield* world.sink.stays.left(at.session)
      yield* at.paste(seen)
      yield* at.submit(seen)
      assert.strictEqual((yield* at.see).mark, "")
      assert.strictEqual(world.tmux("list-buffers"), "")
    }))

  test("twice", (world, at) =>
    Effect.gen(function* () {
      const seen = yield* at.see
      yield* at.paste(seen)
      yield* at.paste(seen)
      const pasted = yield* at.see
      yield* at.submit(pasted)
      yield* at.submit(pasted)
      yield* reads(world, "log", (text) => text.endsWith("\r"))
      assert.strictEqual(yield* world.read("log"), "\u001b[200~words\u001b[201~\r")
    }))

  test("where something was written since the screen was seen", (_world, at) =>
    Effect.gen(function* () {
      yield* at.paste(yield* at.see)
      const pasted = yield* at.see
      yield* at.submit({ ...pasted, cursor: "0.0.0" })
      assert.strictEqual((yield* at.see).mark, pasted.mark)
      yield* at.submit(pasted)
      assert.notStrictEqual((yield* at.see).mark, pasted.mark)
    }))
})
