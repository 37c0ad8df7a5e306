/** What is typed into a session, when, and what is known of it afterwards. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { HandOver } from "../../../src/domain/HandOver.ts"
import { typeable } from "../../../src/sink/tmux/Words.ts"
import { sessionOf } from "../handOver.ts"
import {
  attached,
  next,
  opened,
  pastes,
  reads,
  shim,
  takesAll,
  test,
  type TmuxSinkService,
  type TmuxWorld
} from "./world.ts"

const give = Effect.fnUntraced(function* (sink: TmuxSinkService, one: HandOver) {
  yield* sink.prepare(one)
  yield* sink.send(one)
})

/** Sends until it is handed over, as an engine does that waits for what is not ready. */
const insist = (sink: TmuxSinkService, one: HandOver) =>
  sink
    .send(one)
    .pipe(
      Effect.retry({ while: ({ reason }) => reason === "NotReady", schedule: Schedule.spaced("10 millis") }),
      Effect.timeout("40 seconds")
    )

const received = (world: TmuxWorld, log: string, count: number) =>
  Effect.map(
    reads(world, log, (text) => pastes(text).length >= count),
    pastes
  )

describe("the words", () => {
  const nasty = [
    "plain",
    "two\nlines\n\nand\ta tab\n",
    "Enter\nC-c\nEscape ; -t x",
    "; kill-server ;",
    "ends with a semicolon;",
    ";",
    "-l -- --help",
    "#{pid} #(touch pwned) %n ##{x}",
    "\"double\" 'single' `touch pwned` $(touch pwned) \\ \\n",
    "{{ 7*7 }} ${{7*7}}",
    "aé漢😀👩‍👩‍👧 \u200b",
    "a\r\nb\rc",
    "bell\u0007 nul\u0000 intr\u0003 esc\u001b[201~\rrm -rf x\u009b31m del\u007f eof\u0004",
    "lone \ud800 surrogate",
    "x".repeat(100_000),
    "line of text\n".repeat(8_000)
  ]

  test("arrive byte for byte, as one paste and one Enter, whatever they hold", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"), { prompt: "first" })
      yield* opened(world.sink, one)
      for (const prompt of nasty) yield* give(world.sink, next(one, prompt))
      const got = yield* received(world, "log", nasty.length)
      assert.deepStrictEqual(got, nasty.map(typeable))
      assert.strictEqual(yield* world.read("pwned"), "")
      assert.strictEqual(world.tmux("list-buffers"), "")
    }))

  it("hold no control character but tab and line break, and no line break at their end", () => {
    const every = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("")
    const kept = [...typeable(every)].map((character) => character.charCodeAt(0))
    const expected = Array.from({ length: 256 }, (_, code) => code).filter(
      (code) => code === 9 || code === 10 || (code >= 32 && code < 127) || code >= 160
    )
    // CR is a line break, too.
    assert.deepStrictEqual(kept, [9, 10, 10, ...expected.filter((code) => code >= 32)])
    assert.strictEqual(typeable("a\n\nb\r\n\n"), "a\n\nb")
    assert.strictEqual(typeable("\ud800"), "\ufffd")
  })
})

describe("many at once", () => {
  test("a hundred hand-overs to ten sessions all reach their own, in order", (world) =>
    Effect.gen(function* () {
      const sessions = Array.from({ length: 10 }, (_, index) => world.script(takesAll(`log-${index}`)))
      yield* Effect.forEach(sessions, (one) => opened(world.sink, one), { concurrency: 10 })
      const words = (index: number) => Array.from({ length: 10 }, (_, number) => `${index}: words ${number}`)
      yield* Effect.forEach(
        sessions,
        (one, index) =>
          Effect.forEach(words(index), (prompt) => {
            const words = next(one, prompt)
            return Effect.andThen(world.sink.prepare(words), insist(world.sink, words))
          }),
        { concurrency: 10 }
      )
      for (const index of sessions.keys()) {
        assert.deepStrictEqual(yield* received(world, `log-${index}`, 10), words(index))
      }
    }))
})

describe("after a crash", () => {
  test("what was pasted and not submitted is submitted, and not pasted again", (world) =>
    Effect.gen(function* () {
      const dies = yield* world.another(yield* shim(world, 'case "$*" in *send-keys*) exit 1 ;; esac'))
      const one = world.script(takesAll("log"), { prompt: "once" })
      yield* opened(dies, one)
      assert.strictEqual((yield* Effect.flip(dies.send(one))).reason, "NotReady")
      assert.include(yield* world.read("log"), "once")

      const later = yield* world.another()
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "None" })
      yield* later.send(one)
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "HandedOver" })
      assert.deepStrictEqual(yield* later.result(one), { _tag: "Done" })
      yield* reads(world, "log", (text) => text.endsWith("\r"))
      assert.strictEqual((yield* world.read("log")).split("once").length, 2)
    }))

  test("what was submitted is evident to the next heed, also once its pane is gone", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      yield* give(world.sink, one)
      const later = yield* world.another()
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "HandedOver" })
      yield* later.end(session)
      const last = yield* world.another()
      assert.deepStrictEqual(yield* last.evidence(one), { _tag: "HandedOver" })
      assert.deepStrictEqual(yield* last.result(one), { _tag: "Done" })
    }))

  test("where the screen has changed since the paste, Enter is left to a person", (world) =>
    Effect.gen(function* () {
      const dies = yield* world.another(yield* shim(world, 'case "$*" in *send-keys*) exit 1 ;; esac'))
      const agent = `(until [ -e ask ]; do sleep 0.02; done; printf '\\r\\nDelete everything? [Y/n] ') & ${takesAll("log")}`
      const one = world.script(agent, { prompt: "once" })
      const session = yield* opened(dies, one)
      assert.strictEqual((yield* Effect.flip(dies.send(one))).reason, "NotReady")
      yield* world.touch("ask")
      yield* screenShows(world, "Delete everything?")

      const later = yield* world.another()
      const error = yield* Effect.flip(later.send(one))
      assert.strictEqual(error.reason, "NotReady")
      assert.include(error.message, "Attach")
      assert.notInclude(yield* world.read("log"), "\r")
      // Nor is anything else typed behind the words that stand there.
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "None" })

      // A person comes in another second than that of the paste, which is all that tmux tells, and goes again.
      const second = () => Math.floor(Date.now() / 1000)
      const pasted = second()
      yield* Effect.repeat(Effect.sync(second), {
        until: (now) => now > pasted,
        schedule: Schedule.spaced("10 millis")
      })
      const person = yield* attached(world, world.home(session.id))
      yield* person.close
      yield* later.send(one)
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "HandedOver" })
      assert.notInclude(yield* world.read("log"), "\r")
    }))

  test("who only looks at words that stand typed, before heed has asked for anybody, has not dealt with them", (world) =>
    Effect.gen(function* () {
      const dies = yield* world.another(yield* shim(world, 'case "$*" in *send-keys*) exit 1 ;; esac'))
      const one = world.script(takesAll("log"), { prompt: "once" })
      const session = yield* opened(dies, one)
      yield* Effect.flip(dies.send(one))
      // Another second than that of the paste, which is all that tmux tells.
      const pane = world.pane(session.id)
      world.tmux("set-option", "-p", "-t", pane, "@heed-pasted", String(Date.now() - 2_000))
      const person = yield* attached(world, world.home(session.id))
      yield* person.close
      world.tmux("set-option", "-p", "-t", pane, "@heed-screen", "another")

      const later = yield* world.another()
      assert.include((yield* Effect.flip(later.send(one))).message, "the screen has changed")
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "None" })
    }))

  test("where nobody noted the screen, Enter is pressed only while nothing came to it since the paste", (world) =>
    Effect.gen(function* () {
      const notes = `case "$*" in *paste-buffer*) ;; *send-keys*|*"@heed-screen '"*) exit 1 ;; esac`
      const dies = yield* world.another(yield* shim(world, notes))
      const agent = (name: string) =>
        `(until [ -e ask ]; do sleep 0.02; done; printf '\\r\\nDelete everything? [Y/n] ') & ${takesAll(name)}`
      const quiet = world.script(takesAll("quiet"), { prompt: "once" })
      const asking = world.script(agent("asking"), { prompt: "once" })
      for (const one of [quiet, asking]) {
        yield* opened(dies, one)
        assert.strictEqual((yield* Effect.flip(dies.send(one))).reason, "NotReady")
      }
      // Its paste was long ago, and its question is of now.
      const long = String(Date.now() - 60_000)
      world.tmux("set-option", "-p", "-t", world.pane(asking.session.id), "@heed-pasted", long)
      yield* world.touch("ask")
      yield* screenShows(world, "Delete everything?", asking.session.id)

      const later = yield* world.another()
      assert.include((yield* Effect.flip(later.send(asking))).message, "the screen has changed")
      assert.notInclude(yield* world.read("asking"), "\r")
      yield* later.send(quiet)
      assert.deepStrictEqual(yield* received(world, "quiet", 1), ["once"])
    }))

  test("words that an agent left over, pasted and not submitted, are a failed attempt", (world) =>
    Effect.gen(function* () {
      const dies = yield* world.another(yield* shim(world, 'case "$*" in *send-keys*) exit 1 ;; esac'))
      const one = world.script(takesAll("log"), { prompt: "once" })
      const session = yield* opened(dies, one)
      yield* Effect.flip(dies.send(one))
      process.kill(world.pid(session.id), "SIGKILL")
      assert.strictEqual((yield* world.sink.stays.left(session))._tag, "Dead")

      const later = yield* world.another()
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "HandedOver" })
      const result = yield* later.result(one)
      assert.deepStrictEqual(result, {
        _tag: "Failed",
        why: "the agent left before its words were submitted"
      })
    }))

  test("nothing is evident of what was sent to a server that is gone: it is lost", (world) =>
    Effect.gen(function* () {
      const dies = yield* world.another(yield* shim(world, 'case "$*" in *send-keys*) exit 1 ;; esac'))
      const one = world.script(takesAll("log"))
      const session = yield* opened(dies, one)
      const unsent = next(one, "never sent")
      yield* dies.prepare(unsent)
      yield* Effect.flip(dies.send(one))
      world.tmux("kill-server")
      const later = yield* world.another()
      assert.strictEqual((yield* later.evidence(one))._tag, "Lost")
      assert.deepStrictEqual(yield* later.evidence(unsent), { _tag: "None" })
      assert.strictEqual((yield* later.probe(session))._tag, "Lost")
      // Opened again: the new pane knows nothing of it, and is not asked.
      yield* later.stays.open({ ...one, opens: false })
      assert.strictEqual((yield* later.evidence(one))._tag, "Lost")
      assert.strictEqual((yield* Effect.flip(later.send(one))).reason, "NotReady")
    }))

  test("an earlier heed that comes late types nothing", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      yield* opened(world.sink, one)
      const later = yield* world.another()
      assert.deepStrictEqual(yield* later.evidence(one), { _tag: "None" })
      yield* give(later, next(one, "by the later"))
      const late = next(one, "by the earlier")
      yield* world.sink.prepare(late)
      assert.strictEqual((yield* Effect.flip(world.sink.send(late))).reason, "NotReady")
      assert.deepStrictEqual(yield* received(world, "log", 1), ["by the later"])
      assert.notInclude(yield* world.read("log"), "by the earlier")
      assert.strictEqual(world.tmux("list-buffers"), "")
    }))

  test("a heed killed at random instants: each hand-over arrives once, in order", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      yield* opened(world.sink, one)
      const prompts: Array<string> = []
      const { config, runs, tmuxSocket } = world.options
      for (const round of Array.from({ length: 10 }, (_, round) => round)) {
        const handOvers = [0, 1, 2].map((number) => next(one, `round ${round}, words ${number}.`))
        prompts.push(...handOvers.map(({ prompt }) => prompt))
        const orders = `${world.folder}/orders.json`
        writeFileSync(orders, JSON.stringify({ config, runs, tmuxSocket, handOvers }))
        const heed = spawn(process.execPath, [join(import.meta.dirname, "sender.ts"), orders], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        yield* Effect.callback<void>((resume) => {
          heed.once("exit", () => resume(Effect.void))
          heed.stdout.once("data", () => setTimeout(() => heed.kill("SIGKILL"), Math.random() * 1_500))
        })
        const later = yield* world.another()
        for (const words of handOvers) {
          yield* later.prepare(words)
          if ((yield* later.evidence(words))._tag === "None") yield* insist(later, words)
          assert.deepStrictEqual(yield* later.evidence(words), { _tag: "HandedOver" })
        }
      }
      assert.deepStrictEqual(yield* received(world, "log", prompts.length), prompts)
    }))

  test("clients killed at random instants: each hand-over arrives once, and is known to", (world) =>
    Effect.gen(function* () {
      // One in four before it has said anything, the others up to later than most are done.
      const script = `case "$*" in *paste-buffer*|*send-keys*)
        n=$(( $(od -An -N2 -tu2 /dev/urandom) % 40 ))
        [ $n -ge 10 ] || exit 137
        exec timeout -s KILL "$(printf 0.%03d $(( n - 8 )))" $tmux "$@" ;;
      esac`
      const { variables } = yield* shim(world, script)
      const sessions = Array.from({ length: 4 }, (_, index) => world.script(takesAll(`log-${index}`)))
      yield* Effect.forEach(sessions, (one) => opened(world.sink, one))
      let failures = 0
      const words = Array.from({ length: 6 }, (_, number) => `words ${number}.`)
      yield* Effect.forEach(
        words,
        Effect.fnUntraced(function* (prompt) {
          // A new heed each time: nothing is remembered.
          const heed = yield* world.another({ variables })
          yield* Effect.forEach(
            sessions,
            (one) => {
              const words = next(one, prompt)
              return Effect.andThen(
                heed.prepare(words),
                heed.send(words).pipe(
                  Effect.tapError(() => Effect.sync(() => (failures += 1))),
                  Effect.retry({ while: ({ reason }) => reason === "NotReady" }),
                  Effect.timeout("40 seconds")
                )
              )
            },
            { concurrency: 4 }
          )
        })
      )
      assert.isAbove(failures, 0)
      for (const index of sessions.keys()) {
        assert.deepStrictEqual(yield* received(world, `log-${index}`, words.length), words)
      }
    }))
})

describe("words that stand typed and were not submitted", () => {
  test("are not given back, and keep what follows from being submitted with them", (world) =>
    Effect.gen(function* () {
      const dies = yield* world.another(yield* shim(world, 'case "$*" in *send-keys*) exit 1 ;; esac'))
      const one = world.script(takesAll("log"), { prompt: "once" })
      yield* opened(dies, one)
      yield* Effect.flip(dies.send(one))
      const later = yield* world.another()
      const following = next(one, "following", {
        plan: { ...one.plan, ready: { ...one.plan.ready, delay: 20, pattern: "", timeout: 300 } }
      })
      yield* later.prepare(following)
      // Where that shows before anything is claimed, nothing is claimed again and again.
      assert.include((yield* Effect.flip(later.stays.open(following))).message, "stand typed")
      assert.include((yield* Effect.flip(later.send(following))).message, "stand typed")
      assert.strictEqual((yield* later.withdraw(one))._tag, "Unknown")
      assert.notInclude(yield* world.read("log"), "\r")
      yield* later.send(one)
      yield* later.send(following)
      assert.deepStrictEqual(yield* received(world, "log", 2), ["once", "following"])
    }))

  test("is not withdrawn while tmux does not answer: it may be carried out yet", (world) =>
    Effect.gen(function* () {
      const dies = yield* world.another(yield* shim(world, 'case "$*" in *send-keys*) exit 1 ;; esac'))
      const one = world.script(takesAll("log"), { prompt: "once" })
      yield* opened(dies, one)
      yield* Effect.flip(dies.send(one))
      const deaf = yield* world.another(yield* shim(world, "exec sleep 60"))
      assert.strictEqual((yield* deaf.withdraw(one))._tag, "Unknown")
    }))
})

describe("an agent that is not ready", () => {
  test("is given nothing while its screen changes", (world) =>
    Effect.gen(function* () {
      const busy = `stty raw -echo; (n=0; until [ -e done ]; do n=$((n+1)); printf '\\rworking %s ' $n; sleep 0.02; done; printf '\\r> ') & cat >> log`
      const one = world.script(busy, {}, { ready: { delay: 700, pattern: "", timeout: 10_000 } })
      yield* Effect.forkScoped(opened(world.sink, one))
      yield* screenShows(world, "working")
      const error = yield* Effect.flip(world.sink.send(one))
      assert.include(error.message, "not ready")
      assert.strictEqual(yield* world.read("log"), "")
      yield* world.touch("done")
      yield* insist(world.sink, one)
      assert.include(yield* world.read("log"), one.prompt)
    }))

  test("with a pattern, is given words only while a line of its screen matches it", (world) =>
    Effect.gen(function* () {
      const asking = `stty raw -echo; printf 'Trust this folder? [y/N] '; until [ -e yes ]; do sleep 0.02; done; printf '\\033[?2004h\\r\\n> '; cat >> log`
      const ready = { delay: 100, pattern: "^> *$", timeout: 500 }
      const one = world.script(asking, {}, { ready })
      const error = yield* Effect.flip(opened(world.sink, one))
      assert.strictEqual(error.reason, "NotReady")
      assert.include(error.message, "Trust this folder?")
      assert.strictEqual((yield* Effect.flip(world.sink.send(one))).reason, "NotReady")
      yield* world.touch("yes")
      yield* world.sink.stays.open(one)
      yield* world.sink.send(one)
      assert.deepStrictEqual(yield* received(world, "log", 1), [one.prompt])
    }))

  test("with a pattern, may show a clock all the while", (world) =>
    Effect.gen(function* () {
      const ticking = `stty raw -echo; (n=0; while :; do n=$((n+1)); printf '\\0337\\033[5;1H%s\\0338' $n; sleep 0.3; done) & printf '\\033[?2004hready> '; cat >> log`
      const one = world.script(ticking, {}, { ready: { delay: 100, pattern: "^ready>", timeout: 2_000 } })
      yield* opened(world.sink, one)
      yield* insist(world.sink, one)
      assert.deepStrictEqual(yield* received(world, "log", 1), [one.prompt])
    }))

  test("because somebody scrolls is waited for; where nobody looks any more, it is scrolled back", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      const home = world.home(session.id)
      const person = yield* attached(world, home)
      world.tmux("copy-mode", "-t", home)
      const error = yield* Effect.flip(world.sink.send(one))
      assert.include(error.message, "scrolls")
      assert.strictEqual(yield* world.read("log"), "")
      yield* person.close
      yield* world.sink.send(one)
      assert.deepStrictEqual(yield* received(world, "log", 1), [one.prompt])
    }))
})

describe("an agent that asks something just before the paste", () => {
  test("is given nothing, and its question no Enter", (world) =>
    Effect.gen(function* () {
      const asks = `stty raw -echo; printf '\\033[?2004h\\r> '; (until [ -e ask ]; do sleep 0.01; done; printf '\\r\\nSure? [Y/n] '; : > asked) & exec cat >> log`
      const one = world.script(asks, {}, { ready: { delay: 20, pattern: "^> *$", timeout: 10_000 } })
      const late = `case "$*" in *load-buffer*) : > ${world.folder}/ask; until [ -e ${world.folder}/asked ]; do sleep 0.01; done; sleep 0.05 ;; esac`
      const heed = yield* world.another(yield* shim(world, late))
      yield* opened(heed, one)
      const error = yield* Effect.flip(heed.send(one))
      assert.include(error.message, "changed just before")
      assert.strictEqual(yield* world.read("log"), "")
    }))
})

describe("a program that a person has put into an agent's place", () => {
  test("is no agent: it is never typed to", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      yield* opened(world.sink, one)
      world.tmux("respawn-pane", "-k", "-t", world.home(one.session.id), "sh", "-c", takesAll("shell"))
      assert.strictEqual((yield* Effect.flip(world.sink.send(one))).reason, "NotReady")
      assert.strictEqual((yield* world.sink.probe(sessionOf(one)))._tag, "Dead")
      assert.strictEqual(yield* world.read("shell"), "")
    }))
})

describe("an agent that has left", () => {
  test("is never typed to", (world) =>
    Effect.gen(function* () {
      const one = world.script(`${takesAll("log")}`)
      const session = yield* opened(world.sink, one)
      process.kill(world.pid(session.id), "SIGKILL")
      yield* world.sink.stays.left(session)
      const error = yield* Effect.flip(world.sink.send(one))
      assert.strictEqual(error.reason, "NotReady")
      assert.deepStrictEqual(yield* world.sink.evidence(one), { _tag: "None" })
      assert.strictEqual(yield* world.sink.stays.seat, session.seat)
    }))

  test("at any moment of a hand-over costs no other session anything", (world) =>
    Effect.gen(function* () {
      const stays = world.script(takesAll("log"))
      const session = yield* opened(world.sink, stays)
      const rounds = Array.from({ length: 24 }, (_, round) => round)
      yield* Effect.forEach(
        rounds,
        Effect.fnUntraced(function* (round) {
          const one = world.script(takesAll(`gone-${round}`), { prompt: "x".repeat(20_000) })
          const { id } = yield* opened(world.sink, one)
          const pid = world.pid(id)
          yield* Effect.all(
            [
              // Refused, failed or handed over: all are right, as long as nothing else breaks.
              Effect.exit(world.sink.send(one)),
              Effect.andThen(
                Effect.sleep(round * 20),
                Effect.sync(() => process.kill(pid, "SIGKILL"))
              )
            ],
            { concurrency: 2 }
          )
          assert.include(["None", "HandedOver"], (yield* world.sink.evidence(one))._tag)
        }),
        { concurrency: 4 }
      )
      assert.strictEqual(yield* world.sink.stays.seat, session.seat)
      assert.strictEqual((yield* world.sink.probe(session))._tag, "Live")
      yield* give(world.sink, stays)
      assert.deepStrictEqual(yield* received(world, "log", 1), [stays.prompt])
    }))
})

describe("a tmux that hangs", () => {
  test("or is slow keeps a send no longer than five seconds; what it did counts", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      yield* opened(world.sink, one)
      const slow = yield* world.another(yield* shim(world, "sleep 1"))
      const began = Date.now()
      const error = yield* Effect.uninterruptible(Effect.flip(slow.send(one)))
      assert.strictEqual(error.reason, "NotReady")
      // A second more for the shim's own child, which a tmux has not.
      assert.isBelow(Date.now() - began, 7_000)
      yield* insist(yield* world.another(), one)
      assert.deepStrictEqual(yield* received(world, "log", 1), [one.prompt])
    }))

  test("is not waited for longer than five seconds, and taken neither for a yes nor for a no", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      const [pid = ""] = session.seat.split(":")
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(Number(pid), "SIGCONT")))
      process.kill(Number(pid), "SIGSTOP")
      const began = Date.now()
      // As the engine does it: nothing interrupts a send.
      const error = yield* Effect.uninterruptible(Effect.flip(world.sink.send(one)))
      assert.strictEqual(error.reason, "NotReady")
      assert.isBelow(Date.now() - began, 6_500)
      assert.strictEqual((yield* world.sink.probe(session))._tag, "Unknown")
      process.kill(Number(pid), "SIGCONT")
      yield* insist(world.sink, one)
      assert.deepStrictEqual(yield* received(world, "log", 1), [one.prompt])
    }))
})

const screenShows = (world: TmuxWorld, text: string, session?: string) =>
  Effect.sync(() => {
    try {
      const only = () => world.tmux("list-panes", "-a", "-F", "#{pane_id}").trim()
      return world.tmux("capture-pane", "-p", "-t", session === undefined ? only() : world.pane(session))
    } catch {
      // No pane yet.
      return ""
    }
  }).pipe(
    Effect.repeat({ until: (screen) => screen.includes(text), schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("10 seconds"),
    Effect.orDie
  )
