import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import * as Schedule from "effect/Schedule"
import type { Scope } from "effect/Scope"
import type { HandOver } from "../../../src/domain/HandOver.ts"
import * as ProcessSink from "../../../src/sink/process/ProcessSink.ts"
import * as FaultyFileSystem from "../../disk/FaultyFileSystem.ts"
import { sinkContract } from "../contract.ts"
import { handOver, sessionOf } from "../handOver.ts"
import { behaviours, type ProcessWorld, processWorld } from "./world.ts"

sinkContract("process", processWorld, behaviours)

const run = Effect.fnUntraced(function* (world: ProcessWorld, one: HandOver) {
  yield* world.sink.prepare(one)
  yield* world.sink.send(one)
  return yield* world.sink.result(one)
})

const test = (title: string, body: (world: ProcessWorld) => Effect.Effect<void, unknown, Scope>) =>
  it.live(title, () => Effect.flatMap(processWorld, body))

/** Waits until a file of the agent's is there and has content. */
const appears = (world: ProcessWorld, file: string) =>
  world
    .read(file)
    .pipe(Effect.repeat({ until: (text) => text.endsWith("\n"), schedule: Schedule.spaced("10 millis") }))

const isAlive = (pid: number) =>
  Effect.sync(() => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  })
/** A killed process may stay as a zombie for a moment until its new parent reads it. */
const dies = (pid: number) =>
  isAlive(pid).pipe(Effect.repeat({ while: (alive) => alive, schedule: Schedule.spaced("10 millis") }))

describe("a run's environment", () => {
  test("is an allow-list: PATH, HOME, LANG, TERM, HEED_*, and what the agent's entry names", (world) =>
    Effect.gen(function* () {
      const sink = yield* ProcessSink.make({
        ...world.options,
        variables: {
          PATH: process.env["PATH"],
          HOME: "/home/me",
          LANG: "C.UTF-8",
          TERM: "dumb",
          GITHUB_TOKEN: "ghp_secret",
          JIRA_TOKEN: "ATATT",
          KEY: "passed",
          HEED_MARK: "not this"
        }
      }).pipe(Effect.provide(NodeServices.layer))
      const one = world.script(
        "env -0 | sort -z | tr '\\0' '\\n' > env",
        {},
        { env: { EXTRA: "a b" }, passEnv: ["KEY"] }
      )
      yield* run({ ...world, sink }, one)
      const folder = `${world.runs}/${one.id}/1`
      const lines = (yield* world.read("env"))
        .split("\n")
        .filter((line) => !/^(?:_|PWD|SHLVL|OLDPWD)=|^$/u.test(line))
      assert.deepStrictEqual(lines, [
        "EXTRA=a b",
        "HEED_ATTEMPT=1",
        `HEED_CONFIG=${world.folder}/heed.yaml`,
        `HEED_DELIVERY_ID=${one.id}`,
        `HEED_EVENT_FILE=${folder}/events.json`,
        "HEED_MARK=<!-- heed:0123 -->",
        `HEED_PROMPT_FILE=${folder}/prompt`,
        `HEED_SESSION_ID=${one.session.id}`,
        "HEED_WORK_ITEM_KEY=acme/app#12",
        "HEED_WORK_ITEM_REF=github:github.com/acme/app#12",
        "HEED_WORK_ITEM_SOURCE=github",
        "HEED_WORK_ITEM_URL=https://github.com/acme/app/issues/12",
        "HOME=/home/me",
        "KEY=passed",
        "LANG=C.UTF-8",
        `PATH=${process.env["PATH"]}:/opt/heed/bin`,
        "TERM=dumb"
      ])
    }))

  test("finds its own tools when the agent's PATH has none, and its wrapper leaves no trace in it", (world) =>
    Effect.gen(function* () {
      const one = world.script(
        "export -p > env",
        {},
        { command: ["/bin/sh", "-c", "export -p > env"], env: { PATH: "/nowhere" } }
      )
      assert.deepStrictEqual(yield* run(world, one), { _tag: "Done" })
      const env = yield* world.read("env")
      assert.include(env, "/nowhere:/opt/heed/bin")
      assert.notInclude(env, "heed__")
    }))

  test("gives the agent signals as it found them: SIGINT works", (world) =>
    Effect.gen(function* () {
      const result = yield* run(world, world.script("kill -INT $$; sleep 5"))
      assert.include(JSON.stringify(result), "exit code 130")
    }))
})

describe("a run's prompt and arguments", () => {
  test("a prompt of 5 MB arrives byte for byte, on stdin and in the file", (world) =>
    Effect.gen(function* () {
      const prompt = 'aé漢😀\t"$(x)`\n'.repeat(230_000)
      const one = world.script('cat > stdin; cp "$HEED_PROMPT_FILE" file; wc -c < stdin', { prompt })
      assert.deepStrictEqual(yield* run(world, one), { _tag: "Done" })
      assert.isAbove(Buffer.byteLength(prompt), 5_000_000 - 1_000_000)
      assert.isTrue((yield* world.read("stdin")) === prompt)
      assert.isTrue((yield* world.read("file")) === prompt)
    }))

  test("names are put into command, resume and cwd, once; nothing passes through a shell", (world) =>
    Effect.gen(function* () {
      const command = [
        "sh",
        "-c",
        'pwd > where; printf "%s\\n" "$@" > args',
        "agent",
        "{{ conversation.id }}",
        "--x={{session.id}}",
        "$(touch pwned); `touch pwned` {{7*7}} %n",
        "{{ item.slug }}",
        ""
      ]
      const one = handOver(
        { command, cwd: `${world.folder}/made/{{ item.slug }}` },
        { conversation: "{{ item.slug }}" }
      )
      assert.deepStrictEqual(yield* run(world, one), { _tag: "Done" })
      const cwd = `made/${one.item.slug}`
      assert.strictEqual(yield* world.read(`${cwd}/where`), `${world.folder}/${cwd}\n`)
      assert.strictEqual(
        yield* world.read(`${cwd}/args`),
        `{{ item.slug }}\n--x=${one.session.id}\n$(touch pwned); \`touch pwned\` {{7*7}} %n\n${one.item.slug}\n\n`
      )
    }))

  test("resume runs where the conversation goes on, command where it begins", (world) =>
    Effect.gen(function* () {
      const plan = { resume: ["sh", "-c", "echo resumed > how"] }
      yield* run(world, world.script("echo begun > how", { opens: false }, plan))
      assert.strictEqual(yield* world.read("how"), "resumed\n")
      yield* run(world, world.script("echo begun > how", { opens: true }, plan))
      assert.strictEqual(yield* world.read("how"), "begun\n")
      yield* run(world, world.script("echo again > how", { opens: false }))
      assert.strictEqual(yield* world.read("how"), "again\n")
    }))
})

describe("what cannot be started", () => {
  test("a command that is not found is said with the PATH that was searched, before anything runs", (world) =>
    Effect.gen(function* () {
      const one = handOver({
        command: ["no-such-agent"],
        cwd: world.folder,
        env: { PATH: "/usr/bin:/somewhere" }
      })
      yield* world.sink.prepare(one)
      const error = yield* Effect.flip(world.sink.send(one))
      assert.strictEqual(error.reason, "AgentNotStarted")
      assert.include(error.message, "/usr/bin:/somewhere:/opt/heed/bin")
      assert.deepStrictEqual(yield* world.sink.evidence(one), { _tag: "None" })
    }))

  test("nor can an agent whose working folder cannot be made", (world) =>
    Effect.gen(function* () {
      const one = handOver({ cwd: "/dev/null/here" })
      yield* world.sink.prepare(one)
      const error = yield* Effect.flip(world.sink.send(one))
      assert.strictEqual(error.reason, "AgentNotStarted")
      assert.include(error.message, "/dev/null/here")
    }))

  it.live.each(["ENOSPC", "EDQUOT", "EROFS", "EIO"])(
    "a disk that does not take the working folder (%s) is waiting, not a failure of the agent",
    (code) =>
      Effect.gen(function* () {
        const world = yield* processWorld
        const fs = yield* FileSystem.FileSystem
        const cwd = `${world.folder}/made`
        const full = PlatformError.systemError({
          _tag: "Unknown",
          module: "FileSystem",
          method: "makeDirectory",
          pathOrDescriptor: cwd,
          cause: Object.assign(new Error(code), { code })
        })
        const sink = yield* ProcessSink.make(world.options).pipe(
          Effect.provideService(FileSystem.FileSystem, {
            ...fs,
            makeDirectory: (path, options) =>
              path === cwd ? Effect.fail(full) : fs.makeDirectory(path, options)
          })
        )
        const one = handOver({ cwd })
        yield* sink.prepare(one)
        assert.strictEqual((yield* Effect.flip(sink.send(one))).reason, "DiskUnwritable")
        assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "None" })
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  test("a disk that takes nothing is waiting, with a mend, and leaves nothing half done", (world) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(world.runs, "no folder")
      const one = world.script("echo ran > ran")
      const error = yield* Effect.flip(world.sink.prepare(one))
      assert.strictEqual(error.reason, "DiskUnwritable")
      assert.include(error.message, world.runs)
      assert.strictEqual((yield* world.sink.withdraw(one))._tag, "Unknown")
      yield* fs.remove(world.runs)
      assert.deepStrictEqual(yield* run(world, one), { _tag: "Done" })
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live.each([
    ["open", "EROFS"],
    ["write", "ENOSPC"],
    ["short", ""],
    ["sync", "EIO"],
    ["rename", "EIO"],
    ["syncFolder", "EIO"],
    ["link", "ENOSPC"]
  ] as const)("a disk that fails (%s %s) is waiting: nothing runs, and later it runs once", ([step, code]) =>
    Effect.gen(function* () {
      const world = yield* processWorld
      const faults: FaultyFileSystem.Faults = { now: undefined }
      const sink = yield* ProcessSink.make(world.options).pipe(Effect.provide(FaultyFileSystem.layer(faults)))
      const [one, other] = [world.script("echo ran >> ran"), world.script("echo other >> ran")]
      yield* sink.prepare(other)
      faults.now = { step, code }
      if (step !== "link") {
        assert.strictEqual((yield* Effect.flip(sink.prepare(one))).reason, "DiskUnwritable")
        assert.strictEqual((yield* Effect.flip(sink.send(one))).reason, "NotReady")
      }
      assert.deepStrictEqual(yield* sink.evidence(one), { _tag: "None" })
      // Whoever cannot make sure that it never runs does not say so.
      assert.strictEqual((yield* sink.withdraw(other))._tag, step === "rename" ? "None" : "Unknown")
      faults.now = undefined
      assert.deepStrictEqual(yield* sink.withdraw(other), { _tag: "None" })
      assert.strictEqual((yield* Effect.flip(sink.send(other))).reason, "Withdrawn")
      assert.deepStrictEqual(yield* run({ ...world, sink }, one), { _tag: "Done" })
      assert.strictEqual(yield* world.read("ran"), "ran\n")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  test("nor what nobody prepared; and no name leads out of the folder", (world) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(world.sink.send(handOver()))).reason, "NotReady")
      const exit = yield* Effect.exit(world.sink.prepare(handOver({}, { id: "../../x" })))
      assert.strictEqual(exit._tag, "Failure")
    }))
})

describe("how a run ends", () => {
  test("0 is done, 75 is not now, anything else fails and says its last words", (world) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(world, world.script("exit 0")), { _tag: "Done" })
      assert.strictEqual((yield* run(world, world.script("exit 75")))._tag, "NotNow")
      assert.deepStrictEqual(yield* run(world, world.script("printf 'no \\033[31mluck\\n' >&2; exit 3")), {
        _tag: "Failed",
        why: "the agent left with exit code 3: no [31mluck"
      })
    }))

  test("a resume that leaves at once without a word has lost its conversation", (world) =>
    Effect.gen(function* () {
      const lost = (script: string, opens: boolean) =>
        run(world, world.script(script, { opens }, { resume: ["sh", "-c", script] }))
      assert.strictEqual((yield* lost("echo no such session >&2; exit 1", false))._tag, "ConversationLost")
      assert.strictEqual((yield* lost("echo working; exit 1", false))._tag, "Failed")
      assert.strictEqual((yield* lost("exit 1", true))._tag, "Failed")
      assert.strictEqual((yield* lost("kill -KILL $$", false))._tag, "Failed")
      assert.strictEqual((yield* run(world, world.script("exit 1", { opens: false })))._tag, "Failed")
    }))

  test("a child that stays behind with the outputs open does not hold up the exit", (world) =>
    Effect.gen(function* () {
      const one = world.script("sleep 300 & echo $! > child; exit 0")
      assert.deepStrictEqual(yield* run(world, one), { _tag: "Done" })
      const child = Number(yield* world.read("child"))
      assert.isTrue(yield* isAlive(child))
      yield* world.sink.end(sessionOf(one))
      yield* dies(child)
    }))

  test("50 MB of output are drained and cut; the agent notices nothing", (world) =>
    Effect.gen(function* () {
      const script =
        "head -c 50000000 /dev/zero | tr '\\0' x; head -c 1000000 /dev/zero | tr '\\0' y >&2; echo survived > how"
      const one = world.script(script)
      assert.deepStrictEqual(yield* run(world, one), { _tag: "Done" })
      assert.strictEqual(yield* world.read("how"), "survived\n")
      const folder = `root/runs/${one.id}/1`
      assert.strictEqual((yield* world.read(`${folder}/stdout`)).length, 500_000)
      assert.strictEqual((yield* world.read(`${folder}/stderr`)).length, 500_000)
    }))

  test("the time-out ends the whole group, a grandchild that ignores TERM included", (world) =>
    Effect.gen(function* () {
      const stubborn = `trap '' TERM; echo $$ > grandchild; while :; do sleep 0.05; done`
      const one = world.script(
        `sh -c "$STUBBORN" & trap 'echo told > told; exit 0' TERM; while :; do sleep 0.05; done`,
        {},
        { timeout: 400, env: { STUBBORN: stubborn } }
      )
      const result = yield* run(world, one)
      assert.include(JSON.stringify(result), "time-out of 0.4 s")
      assert.strictEqual(yield* world.read("told"), "told\n")
      yield* dies(Number(yield* world.read("grandchild")))
    }))

  test("end gives TERM, then KILL, to the whole group, and returns when it is gone", (world) =>
    Effect.gen(function* () {
      const one = world.script(
        `trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo $! > child; while :; do sleep 0.05; done`
      )
      yield* world.sink.prepare(one)
      yield* world.sink.send(one)
      const child = Number(yield* appears(world, "child"))
      yield* world.sink.end(sessionOf(one))
      assert.deepStrictEqual(yield* world.sink.probe(sessionOf(one)), { _tag: "Absent" })
      yield* dies(child)
    }))

  test("an agent that is told to end may still write and save", (world) =>
    Effect.gen(function* () {
      const one = world.script(
        `trap 'for i in 1 2 3; do echo saving $i; sleep 0.02; done; echo saved > saved; exit 0' TERM
         echo $$ > agent; while :; do sleep 0.02; done`
      )
      yield* world.sink.prepare(one)
      yield* world.sink.send(one)
      yield* appears(world, "agent")
      yield* world.sink.end(sessionOf(one))
      assert.deepStrictEqual(yield* world.sink.result(one), { _tag: "Done" })
      assert.strictEqual(yield* world.read("saved"), "saved\n")
      assert.strictEqual(yield* world.read(`root/runs/${one.id}/1/stdout`), "saving 1\nsaving 2\nsaving 3\n")
    }))

  test("a wrapper that is killed leaves its agent adopted; the run is over when the group is gone", (world) =>
    Effect.gen(function* () {
      const one = world.script("echo $$ > agent; while ! [ -e go ]; do sleep 0.05; done")
      yield* world.sink.prepare(one)
      yield* world.sink.send(one)
      const agent = Number(yield* appears(world, "agent"))
      const fs = yield* FileSystem.FileSystem
      const claim = yield* fs.readFileString(`${world.runs}/${one.id}/1/claim`)
      const wrapper = Number(/"pid": (\d+)/u.exec(claim)?.[1])
      process.kill(wrapper, "SIGKILL")
      yield* dies(wrapper)
      assert.isTrue(yield* isAlive(agent))
      assert.strictEqual((yield* world.sink.probe(sessionOf(one)))._tag, "Live")
      yield* fs.writeFileString(`${world.folder}/go`, "")
      assert.deepStrictEqual(yield* world.sink.result(one), {
        _tag: "Failed",
        why: "the run vanished without an exit code",
        vanished: true
      })
    }).pipe(Effect.provide(NodeServices.layer)))

  test("a stranger's group with the same number is neither running nor signalled", (world) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const stranger = world.script("echo $$ > agent; while :; do sleep 0.05; done")
      yield* world.sink.prepare(stranger)
      yield* world.sink.send(stranger)
      const pid = Number(yield* appears(world, "agent"))
      const one = world.script("exit 0")
      yield* world.sink.prepare(one)
      const claim = yield* fs.readFileString(`${world.runs}/${stranger.id}/1/claim`)
      const file = `${world.runs}/${one.id}/1/claim`
      yield* fs.writeFileString(file, claim.replace(/"startTime": "\d+"/u, '"startTime": "1"'))
      yield* world.sink.end(sessionOf(one))
      assert.isTrue(yield* isAlive(pid))
      assert.strictEqual((yield* world.sink.result(one))._tag, "Failed")
      // A claim of another boot names nobody who lives now, and tells what happened.
      yield* fs.writeFileString(file, claim.replace(/"bootId": "[^"]+"/u, '"bootId": "another"'))
      assert.deepStrictEqual(yield* world.sink.probe(sessionOf(one)), { _tag: "Absent" })
      assert.deepInclude(yield* world.sink.result(one), {
        why: "the machine went down while the agent was at work",
        vanished: true
      })
      yield* world.sink.end(sessionOf(stranger))
      assert.deepStrictEqual(yield* world.sink.result(stranger), {
        _tag: "Failed",
        why: "heed ended the run"
      })
    }).pipe(Effect.provide(NodeServices.layer)))
})
