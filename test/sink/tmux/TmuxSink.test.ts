/** Sessions that stay open in tmux: how they are opened, what is known of them, and how they end. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { execFileSync, spawn } from "node:child_process"
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync
} from "node:fs"
import { sinkContract } from "../contract.ts"
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
  tmuxWorld
} from "./world.ts"

sinkContract("tmux", tmuxWorld, ["succeeds"])

const serverPid = (seat: string) => Number(seat.split(":")[0])

const runs = (pid: number) => {
  try {
    return !/^\d+ \(.*\) [ZX]/su.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    // No such process.
    return false
  }
}
const dies = (pid: number) =>
  Effect.sync(() => runs(pid)).pipe(
    Effect.repeat({ while: (lives) => lives, schedule: Schedule.spaced("10 millis") }),
    Effect.timeout("10 seconds"),
    Effect.orDie
  )

const environmentOf = (pid: number) =>
  readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .filter((line) => line !== "")
    .sort()

describe("an open session", () => {
  const secrets = {
    TOKEN: "s3cret-of-heed",
    PASSED: "s3cret-for-one",
    SHELL: "/bin/zsh",
    TMUX: "/elsewhere/mine,1,0"
  }

  test("has the agent's environment and nothing else in it: nothing of heed, of tmux, of another agent", (world) =>
    Effect.gen(function* () {
      const variables = {
        ...secrets,
        PATH: process.env["PATH"],
        HOME: "/home/me",
        LANG: "C.UTF-8",
        TERM: "dumb"
      }
      const sink = yield* world.another({ variables })
      const plan = { env: { EXTRA: "a b;c #{pid} 'q' \"d\" $HOME\nsecond;" }, passEnv: ["PASSED"] }
      const first = world.script(takesAll("log-1"), {}, plan)
      const second = world.script(takesAll("log-2"), {}, { env: { SHELL: "/bin/own", LANG: "de_DE.UTF-8" } })
      yield* opened(sink, first)
      yield* opened(sink, second)
      const common = (one: typeof first) => [
        "HEED_ATTEMPT=1",
        `HEED_CONFIG=${world.folder}/heed.yaml`,
        `HEED_DELIVERY_ID=${one.id}`,
        `HEED_EVENT_FILE=${world.options.runs}/${one.id}/1/events.json`,
        "HEED_MARK=<!-- heed:0123 -->",
        `HEED_PROMPT_FILE=${world.options.runs}/${one.id}/1/prompt`,
        `HEED_SESSION_ID=${one.session.id}`,
        "HEED_WORK_ITEM_KEY=acme/app#12",
        "HEED_WORK_ITEM_REF=github:github.com/acme/app#12",
        "HEED_WORK_ITEM_SOURCE=github",
        "HEED_WORK_ITEM_URL=https://github.com/acme/app/issues/12",
        "HOME=/home/me",
        `PATH=${process.env["PATH"]}:/opt/heed/bin`,
        `PWD=${world.folder}`,
        "TERM=tmux-256color"
      ]
      assert.deepStrictEqual(
        environmentOf(world.pid(first.session.id)),
        [...common(first), `EXTRA=${plan.env.EXTRA}`, "LANG=C.UTF-8", "PASSED=s3cret-for-one"].sort()
      )
      assert.deepStrictEqual(
        environmentOf(world.pid(second.session.id)),
        [...common(second), "LANG=de_DE.UTF-8", "SHELL=/bin/own"].sort()
      )
      // A later heed that has a variable no more: the server has not kept it.
      const later = yield* world.another({ variables: { PATH: process.env["PATH"], HOME: "/home/me" } })
      const third = world.script(takesAll("log-3"))
      yield* opened(later, third)
      assert.deepStrictEqual(environmentOf(world.pid(third.session.id)), common(third).sort())
    }))

  test("has no secret of its agent in any argument, nor in the server's environment", (world) =>
    Effect.gen(function* () {
      const spied = yield* shim(world, `printf '%s\\n' "$*" >> ${world.folder}/arguments`)
      const variables = { ...spied.variables, ...secrets }
      const sink = yield* world.another({ variables })
      const one = world.script(takesAll("log"), {}, { passEnv: ["PASSED"] })
      const { seat } = yield* opened(sink, one)
      yield* sink.send(one)
      assert.include(environmentOf(world.pid(one.session.id)).join("\n"), "s3cret-for-one")
      const shown = [
        world.tmux("show-environment", "-g"),
        world.tmux("show-environment", "-t", world.home(one.session.id))
      ]
      const everything = `${yield* world.read("arguments")}${shown.join("\n")}`
      assert.include(everything, "new-session")
      assert.notInclude(everything, "s3cret")
      assert.notInclude(everything, one.prompt)
      const names = environmentOf(serverPid(seat)).map((line) => line.split("=")[0] ?? "")
      assert.deepStrictEqual(
        names.filter(
          (name) => !["PATH", "HOME", "LANG", "TERM", "PWD", "_", "SHLVL", "OLDPWD"].includes(name)
        ),
        []
      )
    }))

  test("runs its command as it stands: no shell and no format of tmux's reads it", (world) =>
    Effect.gen(function* () {
      const args = ["a b", "", ";", "x;", "\\;", "#{pid}", "$HOME", "`id`", "'\"", "-t", "*", "é\n2"]
      const command = ["sh", "-c", `printf '%s\\0' "$@" > args; ${takesAll("log")}`, "sh", ...args]
      yield* opened(world.sink, world.script("", {}, { command }))
      assert.deepStrictEqual((yield* world.read("args")).split("\0").slice(0, -1), args)
      const single = world.script("", {}, { command: [`${world.folder}/agent;touch pwned`] })
      yield* world.touch("agent;touch pwned")
      assert.strictEqual((yield* Effect.flip(opened(world.sink, single))).reason, "AgentNotStarted")
      assert.notInclude(readdirSync(world.folder), "pwned")
    }))

  test("works in its folder, made if it is missing, whatever its name", (world) =>
    Effect.gen(function* () {
      const cwd = `${world.folder}/#[a] #{pid} -x;`
      yield* opened(world.sink, world.script(`pwd > ../cwd; ${takesAll("log")}`, {}, { cwd }))
      assert.strictEqual(yield* world.read("cwd"), `${cwd}\n`)
    }))

  test("continues its conversation with `resume`, and with `command` where there is none", (world) =>
    Effect.gen(function* () {
      const resume = ["sh", "-c", `echo resumed > how; ${takesAll("log")}`]
      const one = world.script(`echo opened > how; ${takesAll("log")}`, { opens: false }, { resume })
      const session = yield* opened(world.sink, one)
      assert.strictEqual(yield* world.read("how"), "resumed\n")
      assert.deepStrictEqual(yield* world.sink.probe(session), {
        _tag: "Live",
        conversation: one.conversation
      })
      const other = world.script(`echo opened > how; ${takesAll("log")}`, { opens: false })
      yield* opened(world.sink, other)
      assert.strictEqual(yield* world.read("how"), "opened\n")
    }))

  test("is opened once, however often, also by a later heed", (world) =>
    Effect.gen(function* () {
      const one = world.script(`echo x >> starts; ${takesAll("log")}`)
      yield* opened(world.sink, one)
      yield* opened(world.sink, one)
      yield* opened(yield* world.another(), next(one, "more"))
      assert.strictEqual(yield* world.read("starts"), "x\n")
    }))

  test("that cannot start says its agent's last words, without secrets", (world) =>
    Effect.gen(function* () {
      const words = "no licence for ghp_0123456789abcdefghij"
      const one = world.script(`echo '${words}'; exit 3`)
      const error = yield* Effect.flip(opened(world.sink, one))
      assert.strictEqual(error.reason, "AgentNotStarted")
      assert.include(error.message, "no licence for [secret]")
      const missing = world.script("", {}, { command: ["no-such-agent"] })
      assert.include((yield* Effect.flip(opened(world.sink, missing))).message, "was not found")
      assert.strictEqual((yield* Effect.flip(world.sink.ready(missing.plan))).reason, "AgentNotStarted")
    }))

  test("whose agent leaves while the next words wait for it: it has left, and did not fail to start", (world) =>
    Effect.gen(function* () {
      const one = world.script(`(until [ -e go ]; do sleep 0.02; done; kill $$) & ${takesAll("log")}`)
      const session = yield* opened(world.sink, one)
      const busy = { ...one.plan, ready: { delay: 20, pattern: "never shown", timeout: 30_000 } }
      const looking = yield* world.another(
        yield* shim(world, `printf '%s\\n' "$*" >> ${world.folder}/arguments`)
      )
      const waiting = yield* Effect.forkScoped(Effect.flip(looking.stays.open({ ...one, plan: busy })))
      yield* reads(world, "arguments", (text) => text.includes("capture-pane"))
      yield* world.touch("go")
      const error = yield* Fiber.join(waiting)
      assert.strictEqual(error.reason, "NotReady")
      assert.include(error.message, "has left")
      assert.strictEqual((yield* world.sink.probe(session))._tag, "Dead")
    }))

  test("that finds nothing to resume says that its conversation is lost", (world) =>
    Effect.gen(function* () {
      const resume = ["sh", "-c", "echo No conversation found; exit 1"]
      const one = world.script(takesAll("log"), { opens: false }, { resume })
      const error = yield* Effect.flip(opened(world.sink, one))
      assert.strictEqual(error.reason, "ConversationLost")
      assert.include(error.message, "No conversation found")
      // Its dead pane is in nobody's way.
      yield* opened(world.sink, { ...one, opens: true })
    }))

  test("says which variable tmux would not take", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"), {}, { env: { HUGE: "x".repeat(20_000) } })
      const error = yield* Effect.flip(opened(world.sink, one))
      assert.strictEqual(error.reason, "AgentNotStarted")
      assert.include(error.message, "HUGE")
    }))

  test("stays open when the wait for it is interrupted", (world) =>
    Effect.gen(function* () {
      const plan = { ready: { delay: 60_000, pattern: "", timeout: 120_000 } }
      const one = world.script(`touch up; ${takesAll("log")}`, {}, plan)
      const opening = yield* Effect.forkScoped(opened(world.sink, one))
      yield* reads(world, "up", () => readdirSync(world.folder).includes("up"))
      yield* Fiber.interrupt(opening)
      assert.strictEqual((yield* world.sink.probe({ id: one.session.id }))._tag, "Live")
    }))
})

describe("heed's own tmux server", () => {
  test("keeps nothing open of the heed that started it, and is not heed's child", (world) =>
    Effect.gen(function* () {
      const file = openSync(`${world.folder}/lock`, "w")
      const seat = yield* world.sink.stays.seat
      closeSync(file)
      const pid = serverPid(seat)
      const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
      assert.isAbove(open.length, 2)
      assert.deepStrictEqual(
        open.filter((path) => path.includes("/lock")),
        []
      )
      const [, , group, session] = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /su, "")
        .split(" ")
      assert.deepStrictEqual([group, session], [String(pid), String(pid)])
    }))

  test("makes its socket again when its file was taken from it, with all its sessions", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      rmSync(world.options.tmuxSocket)
      assert.strictEqual((yield* world.sink.probe(session))._tag, "Live")
      rmSync(world.options.tmuxSocket)
      // Also for whoever knows no session of it.
      const later = yield* world.another()
      assert.strictEqual(yield* later.stays.seat, session.seat)
      yield* later.send(one)
      assert.deepStrictEqual(pastes(yield* reads(world, "log", (text) => text.endsWith("\r"))), [one.prompt])
    }))

  test("that cannot make its socket again is not told to with every look", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      rmSync(world.options.tmuxSocket)
      mkdirSync(world.options.tmuxSocket)
      const looking = yield* world.another(yield* shim(world, `echo >> ${world.folder}/looks`))
      assert.strictEqual((yield* looking.probe(session))._tag, "Unknown")
      const before = (yield* world.read("looks")).length
      assert.strictEqual((yield* looking.probe(session))._tag, "Unknown")
      assert.isAtMost((yield* world.read("looks")).length - before, 2)
      rmdirSync(world.options.tmuxSocket)
      process.kill(serverPid(session.seat), "SIGUSR1")
      yield* Effect.repeat(looking.probe(session), {
        until: ({ _tag }) => _tag === "Live",
        schedule: Schedule.spaced("10 millis")
      })
    }))

  test("is not started by looking: without it, everything that is asked has an answer", (world) =>
    Effect.gen(function* () {
      const { sink } = world
      const one = world.script(takesAll("log"))
      const session = { id: one.session.id }
      assert.deepStrictEqual(yield* sink.probe(session), { _tag: "Absent" })
      assert.strictEqual((yield* sink.probe({ ...session, seat: "1:2:3" }))._tag, "Lost")
      assert.deepStrictEqual(yield* sink.stays.left(session), { _tag: "Absent" })
      assert.isUndefined(yield* sink.stays.idleSince(session))
      assert.strictEqual((yield* Effect.flip(sink.stays.show(session))).reason, "NotReady")
      yield* sink.end(session)
      yield* sink.prepare(one)
      assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "None" })
      assert.strictEqual((yield* Effect.flip(sink.send(one))).reason, "NotReady")
      assert.throws(() => world.tmux("list-sessions"))
    }))
})

describe("what became of a session", () => {
  const became = (sink: TmuxSinkService, session: Effect.Success<ReturnType<typeof opened>>) =>
    Effect.all([sink.stays.left(session), sink.probe(session)])

  test("whose agent has left: dead, with its last words", (world) =>
    Effect.gen(function* () {
      const one = world.script(
        "printf '> \\r\\nbye ghp_0123456789abcdefghij'; until [ -e go ]; do sleep 0.02; done"
      )
      const session = yield* opened(world.sink, one)
      const waits = yield* Effect.forkScoped(became(world.sink, session))
      yield* world.touch("go")
      const dead = { _tag: "Dead", why: "the agent has left: bye [secret]" } as const
      assert.deepStrictEqual(yield* Fiber.join(waits), [dead, dead])
    }))

  test("that somebody ended in tmux: dead; that heed ended, or never opened: absent", (world) =>
    Effect.gen(function* () {
      const killed = yield* opened(world.sink, world.script(takesAll("log")))
      const ended = yield* opened(world.sink, world.script(takesAll("log")))
      world.tmux("kill-session", "-t", world.home(killed.id))
      assert.deepStrictEqual(
        (yield* became(world.sink, killed)).map(({ _tag }) => _tag),
        ["Dead", "Dead"]
      )
      yield* world.sink.end(ended)
      assert.deepStrictEqual(
        (yield* became(world.sink, ended)).map(({ _tag }) => _tag),
        ["Absent", "Absent"]
      )
      const never = { id: world.script("").session.id, seat: ended.seat }
      assert.deepStrictEqual(yield* world.sink.probe(never), { _tag: "Absent" })
    }))

  test("whose server is gone: lost, also when there is another by now", (world) =>
    Effect.gen(function* () {
      const session = yield* opened(world.sink, world.script(takesAll("log")))
      process.kill(serverPid(session.seat), "SIGKILL")
      assert.deepStrictEqual(
        (yield* became(world.sink, session)).map(({ _tag }) => _tag),
        ["Lost", "Lost"]
      )
      const other = yield* opened(world.sink, world.script(takesAll("log")))
      assert.notStrictEqual(other.seat, session.seat)
      assert.strictEqual((yield* world.sink.probe(session))._tag, "Lost")
    }))

  test("is looked for once a second for all of them together", (world) =>
    Effect.gen(function* () {
      const spied = yield* shim(
        world,
        `case "$*" in *list-panes*) echo look >> ${world.folder}/looks ;; esac`
      )
      const sink = yield* world.another(spied)
      const all = Array.from({ length: 5 }, () => world.script(takesAll("log")))
      const sessions = yield* Effect.forEach(all, (one) => opened(sink, one))
      const count = Effect.map(world.read("looks"), (text) => text.split("\n").length)
      const before = yield* count
      yield* Effect.forEach(sessions, (session) => sink.stays.left(session), { concurrency: 5 }).pipe(
        Effect.timeoutOption("2500 millis")
      )
      assert.isAtMost((yield* count) - before, 4)
      assert.isAtLeast((yield* count) - before, 2)
    }))
})

describe("an idle session", () => {
  test("tells since when; while a person looks at it, it is not idle", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      const before = Date.now() - 1_000
      yield* world.sink.send(one)
      const since = (yield* world.sink.stays.idleSince(session)) ?? ""
      assert.isAtLeast(Date.parse(since), before)
      assert.isAtMost(Date.parse(since), Date.now())
      const person = yield* attached(world, world.home(session.id))
      assert.isUndefined(yield* world.sink.stays.idleSince(session))
      yield* person.close
      assert.isDefined(yield* world.sink.stays.idleSince(session))
    }))

  test("is shown by a command that a terminal can run, within a tmux of its own too", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      const session = yield* opened(world.sink, one)
      const { command, args } = yield* world.sink.stays.show(session)
      const line = [command, ...args].map((word) => `'${word}'`).join(" ")
      const terminal = spawn("script", ["-qec", line, "/dev/null"], {
        env: { ...process.env, TERM: "xterm", TMUX: "/elsewhere/other,1,0" },
        stdio: ["pipe", "ignore", "ignore"]
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => terminal.kill("SIGKILL")))
      yield* Effect.sync(() =>
        world.tmux("list-sessions", "-F", "#{@heed-session} #{session_attached}").trim()
      ).pipe(
        Effect.repeat({
          until: (text) => text === `${session.id} 1`,
          schedule: Schedule.spaced("20 millis")
        }),
        Effect.timeout("10 seconds")
      )
    }))
})

describe("ending a session", () => {
  test("ends its agent and what that has started, by TERM", (world) =>
    Effect.gen(function* () {
      const child = `sh -c 'echo $$ > child; exec sleep 1000'`
      const apart = `setsid sh -c 'echo $$ > apart; exec sleep 1000'`
      const agent = `printf '> '; trap 'echo told > term; exit 0' TERM; ${child} & ${apart} & while :; do sleep 0.05; done`
      const one = world.script(agent)
      const session = yield* opened(world.sink, one)
      const pids = [world.pid(session.id)]
      for (const file of ["child", "apart"])
        pids.push(Number(yield* reads(world, file, (text) => text.endsWith("\n"))))
      yield* world.sink.end(session)
      assert.deepStrictEqual(pids.filter(runs), [])
      assert.strictEqual(yield* world.read("term"), "told\n")
      assert.deepStrictEqual(yield* world.sink.probe(session), { _tag: "Absent" })
      assert.strictEqual(yield* world.sink.stays.seat, session.seat)
      yield* world.sink.end(session)
    }))

  test("ends by KILL what does not listen, and nothing of another session", (world) =>
    Effect.gen(function* () {
      const deaf = `printf '> '; trap '' TERM HUP INT; (while :; do sleep 1000; done) & echo $! > child; while :; do sleep 1000; done`
      const one = yield* opened(world.sink, world.script(deaf))
      const other = yield* opened(world.sink, world.script(takesAll("log")))
      const pids = [world.pid(one.id), Number(yield* reads(world, "child", (text) => text.endsWith("\n")))]
      yield* world.sink.end(one)
      assert.deepStrictEqual(pids.filter(runs), [])
      assert.strictEqual((yield* world.sink.probe(other))._tag, "Live")
    }))

  test("ends what it has started in terminal sessions of its own, whose leaders are gone", (world) =>
    Effect.gen(function* () {
      const agent = `printf '> '; setsid sh -c 'sh -c "trap \\"\\" HUP; echo \\$\\$ > child; sleep 1000" & exit' ; cat`
      const session = yield* opened(world.sink, world.script(agent))
      const child = Number(yield* reads(world, "child", (text) => text.endsWith("\n")))
      assert.isTrue(runs(child))
      yield* world.sink.end(session)
      assert.isFalse(runs(child))
    }))

  test("ends what an agent that left has left running", (world) =>
    Effect.gen(function* () {
      const agent = `printf '> '; trap '' HUP; sh -c 'trap "" HUP; echo $$ > child; sleep 1000' & until [ -e go ]; do sleep 0.02; done`
      const session = yield* opened(world.sink, world.script(agent))
      const child = Number(yield* reads(world, "child", (text) => text.endsWith("\n")))
      yield* world.touch("go")
      assert.strictEqual((yield* world.sink.stays.left(session))._tag, "Dead")
      assert.isTrue(runs(child))
      yield* world.sink.end(session)
      assert.isFalse(runs(child))
    }))

  const survivor = `printf '> '; trap '' HUP TERM; echo $$ >> pids; while :; do sleep 1000; done`

  test("touches nothing of another root on this machine, whose session of the same item has the same id", (world) =>
    Effect.gen(function* () {
      const one = world.script(takesAll("log"))
      yield* opened(world.sink, one)
      const theirs = world.pid(one.session.id)
      const other = yield* world.another({
        runs: `${world.folder}/other/runs`,
        tmuxSocket: `${world.folder}/other.sock`
      })
      yield* opened(other, one)
      yield* other.end(sessionOf(one))
      assert.isTrue(runs(theirs))
      assert.strictEqual((yield* world.sink.probe(sessionOf(one)))._tag, "Live")
      execFileSync("tmux", ["-N", "-S", `${world.folder}/other.sock`, "kill-server"])
    }))

  test("ends an agent that survived its server, also when it is about to be opened again", (world) =>
    Effect.gen(function* () {
      const one = world.script(survivor)
      const first = yield* opened(world.sink, one)
      const pid = world.pid(first.id)
      process.kill(serverPid(first.seat), "SIGKILL")
      yield* dies(serverPid(first.seat))
      assert.isTrue(runs(pid))
      const second = yield* opened(world.sink, one)
      assert.isFalse(runs(pid))
      assert.notStrictEqual(second.seat, first.seat)

      const again = world.pid(second.id)
      process.kill(serverPid(second.seat), "SIGKILL")
      yield* dies(serverPid(second.seat))
      yield* world.sink.end(second)
      assert.isFalse(runs(again))
      assert.strictEqual((yield* world.read("pids")).trim().split("\n").length, 2)
    }))

  test("ends the agent even while its tmux hangs", (world) =>
    Effect.gen(function* () {
      const session = yield* opened(world.sink, world.script(takesAll("log")))
      const pid = world.pid(session.id)
      process.kill(serverPid(session.seat), "SIGSTOP")
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(serverPid(session.seat), "SIGCONT")))
      yield* world.sink.end(session)
      assert.isFalse(runs(pid))
    }))
})
