/** Every command's arguments, exit code and streams, in this process. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readFileSync } from "node:fs"
import { firstPage } from "../../src/cli/FirstPage.ts"
import { sixLines } from "../../src/cli/Init.ts"
import { width } from "../../src/cli/Text.ts"
import { version } from "../../src/domain/Version.ts"
import { folder, heed, world } from "./run.ts"
import type { Behaviour } from "./wiring.ts"

const commands = [
  [],
  ["start"],
  ["stop"],
  ["status"],
  ["plan"],
  ["explain"],
  ["events"],
  ["sessions"],
  ["sessions", "list"],
  ["sessions", "attach"],
  ["sessions", "stop"],
  ["sessions", "pause"],
  ["sessions", "resume"],
  ["retry"],
  ["config"],
  ["config", "check"],
  ["config", "schema"],
  ["config", "show"],
  ["init"],
  ["demo"]
]

describe("help", () => {
  it.live.each(commands.map((command) => [command] as const))(
    "heed %j --help: an example, 80 columns",
    ([command]) =>
      Effect.gen(function* () {
        const { code, err, out } = yield* heed([...command, "--help"])
        assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
        for (const line of out.split("\n")) assert.isAtMost(width(line), 80, line)
        assert.match(out, /EXAMPLES\n {2}heed /u)
        assert.include(out, "--config FILE")
      })
  )

  it.live("the first page that the bin prints is the command line's own", () =>
    Effect.gen(function* () {
      assert.strictEqual(firstPage, `${(yield* heed(["--help"])).out}\n`)
      assert.strictEqual(firstPage, `${(yield* heed([])).out}\n`)
    })
  )

  it.live("the version is package.json's", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* heed(["--version"])).out, version)
      assert.include(readFileSync("package.json", "utf8"), `"version": "${version}"`)
    })
  )
})

interface Case {
  readonly args: ReadonlyArray<string>
  readonly code: number
  readonly out?: RegExp
  readonly err?: RegExp
  readonly yaml?: string
  readonly behaviour?: Behaviour
}

const cases: ReadonlyArray<Case> = [
  { args: ["bogus"], code: 1, err: /^heed: .*bogus[^]*see: heed --help$/u },
  { args: ["status", "--bogus"], code: 1, err: /--bogus[^]*see: heed status --help$/u },
  { args: ["explain"], code: 1, err: /REF/u },
  { args: ["stop", "--timeout", "soon"], code: 1, err: /a time like 30s/u },
  { args: ["start", "--accept-backlog", "all"], code: 1, err: /start.*baseline/u },
  { args: ["say", "acme/app#12"], code: 1, err: /^heed: "say" is not there yet/u },
  { args: ["cancel", "acme/app#12"], code: 1, err: /not there yet/u },
  { args: ["start", "--wait"], code: 1, err: /--wait belongs to --once/u },
  { args: ["start", "--moved", "--copied"], code: 1, err: /--moved or --copied/u },
  {
    args: ["events", "--type", "nosuch"],
    code: 1,
    err: /no event has a name like "nosuch".*poller\.started/u
  },
  { args: ["events", "--ref", "acme/app#99"], code: 0, err: /no such event of acme\/app#99$/u },
  { args: ["lease", "hold"], code: 1, err: /not there yet/u },
  { args: ["doctor"], code: 1, err: /not there yet/u },
  { args: ["sessions", "attach", "acme/app#12"], code: 1, err: /^heed: "acme\/app#12" has no session$/u },

  { args: ["config", "check"], code: 0, out: /heed\.yaml is valid$/u },
  {
    args: ["config", "check"],
    behaviour: { agent: "no such command" },
    code: 0,
    out: /is valid$/u,
    err: /^warning: agent default: no such command$/u
  },
  {
    args: ["plan"],
    behaviour: { agent: "no such command" },
    code: 0,
    out: /^nothing/u,
    err: /^warning: agent/u
  },
  { args: ["plan", "acme/app#12"], code: 0, out: /no source lists acme\/app#12\. It lacks the label/u },
  { args: ["config", "check"], yaml: "agnets: {}\n", code: 78, err: /heed\.yaml:1: agnets: /u },
  { args: ["config", "show"], code: 0, out: /^version: 1\n[^]*interval: 1m/u },
  { args: ["config", "schema"], code: 0, out: /"\$schema"/u },
  { args: ["config", "schema", "--event"], code: 0, out: /NormalizedEvent/u },
  { args: ["start", "--once"], yaml: "sources: []\n", code: 78, err: /agents/u },
  { args: ["status"], yaml: "", code: 78 },

  { args: ["status"], code: 0, out: /^heed is not running/u },
  {
    args: ["status", "--json"],
    code: 0,
    out: /^\{\n {2}"version": 1,\n {2}"running": false,\n {2}"from": "disk"/u
  },
  { args: ["sessions"], code: 0, out: /^ITEM/u },
  {
    args: ["sessions", "list", "--json"],
    code: 0,
    out: /^\[\n {2}\{\n {4}"ref": "github:github\.com\/acme\/app#12"/u
  },
  { args: ["plan"], code: 0, out: /^nothing would happen/u },
  { args: ["plan", "broken"], code: 1, out: /no answer/u, err: /what is shown is not all/u },
  { args: ["plan", "--json"], code: 0, out: /"items": \[\]/u },
  { args: ["explain", "acme/app#99"], code: 1, err: /no item is called "acme\/app#99"/u },
  { args: ["events"], code: 0, out: /^$/u },
  { args: ["stop"], code: 1, err: /^heed: nothing to stop/u },
  {
    args: ["retry", "acme/app#12"],
    code: 0,
    out: /^retry github:github\.com\/acme\/app#12$/u,
    err: /^\d\d:\d\d:\d\d {2}a word of the engine$/u
  },
  { args: ["retry", "acme/app#99"], code: 1, err: /^heed: no item is called "acme\/app#99"$/u },
  { args: ["sessions", "pause", "acme/app#12"], code: 0, out: /^pause / },
  { args: ["sessions", "resume", "acme/app#12"], code: 0, out: /^resume / },
  { args: ["sessions", "stop", "acme/app#12"], code: 0, out: /^stop / },
  { args: ["start", "--once"], code: 0, err: /"event":"poller\.started"[^]*"event":"poller\.stopped"/u },
  { args: ["start", "--once", "--wait", "--skip-if-held", "--accept-backlog", "baseline"], code: 0 },
  { args: ["start", "--once"], behaviour: { cycle: "errors" }, code: 75, err: /2 sources or items failed/u },
  { args: ["start"], behaviour: { loop: "defect" }, code: 1, err: /a broken loop/u },
  { args: ["start"], behaviour: { worker: "defect" }, code: 1, err: /a broken worker/u },
  {
    args: ["start", "--once"],
    behaviour: { cycle: "hang", worker: "defect" },
    code: 1,
    err: /a broken worker/u
  },
  { args: ["init"], code: 1, err: /heed\.yaml exists already/u }
]

describe("other names for help and version", () => {
  it.live("are known", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* heed(["help"])).out, (yield* heed(["--help"])).out)
      assert.strictEqual((yield* heed(["help", "plan"])).out, (yield* heed(["plan", "--help"])).out)
      assert.strictEqual((yield* heed(["version"])).out, version)
    })
  )
})

describe("exit codes and streams", () => {
  it.live.each(cases.map((each) => [each.args.join(" "), each] as const))("heed %s", ([, each]) =>
    Effect.gen(function* () {
      const path = yield* folder(each.yaml)
      const { code, err, out } = yield* heed([...each.args, "--config", `${path}/heed.yaml`], each.behaviour)
      assert.strictEqual(code, each.code, err)
      assert.match(out, each.out ?? (each.err === undefined ? /^/u : /^$/u))
      assert.match(err, each.err ?? (each.out === undefined ? /^/u : /^$/u))
      assert.notInclude(code === 0 || each.behaviour !== undefined ? "" : err, "    at ")
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})

describe("heed start", () => {
  it.live("leaves no new root behind when nothing can work", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      const { code, err } = yield* heed(["start", "--config", `${path}/heed.yaml`], {
        agent: "no such command"
      })
      assert.deepStrictEqual([code, err], [69, "heed: no such command"])
      assert.isFalse(yield* fs.exists(`${path}/.heed`))
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})

describe("a root that was moved or copied", () => {
  it.live("can be looked at", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder()
      const file = `${path}/heed.yaml`
      assert.strictEqual((yield* heed(["start", "--once", "--config", file])).code, 0)
      yield* fs.copy(`${path}/.heed`, `${path}/copy`)
      yield* fs.remove(`${path}/.heed`, { recursive: true })
      yield* fs.rename(`${path}/copy`, `${path}/.heed`)
      assert.match((yield* heed(["start", "--once", "--config", file])).err, /--moved[^]*--copied/u)
      for (const args of [["status"], ["sessions"], ["plan"], ["events"]])
        assert.strictEqual((yield* heed([...args, "--config", file])).code, 0, args.join(" "))
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})

describe("heed init", () => {
  it.live("writes six lines that are valid, and nothing over what is there", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempDirectoryScoped()
      const file = `${path}/new.yaml`
      const init = ["init", "--login", "alice", "--repo", "acme/app", "--config", file]
      const { code, out } = yield* heed(init)
      assert.strictEqual(code, 0)
      assert.match(out, /next: heed plan$/u)
      const text = yield* fs.readFileString(file)
      assert.strictEqual(text, sixLines("alice", "acme/app"))
      assert.lengthOf(text.trimEnd().split("\n"), 6)
      assert.strictEqual((yield* heed(["config", "check", "--config", file])).code, 0)
      const again = yield* heed(init)
      assert.strictEqual(again.code, 1)
      assert.match(again.err, /exists already and is left as it is/u)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("says what keeps it from writing", () =>
    Effect.gen(function* () {
      const path = yield* folder()
      const init = ["init", "--login", "alice", "--repo", "acme/app", "--config", `${path}/none/heed.yaml`]
      assert.match((yield* heed(init)).err, /cannot be written: its folder does not exist; make it first$/u)
    }).pipe(Effect.provide(world), Effect.scoped)
  )

  it.live("without a terminal it says which flag to give", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempDirectoryScoped()
      const { code, err } = yield* heed(["init", "--login", "a b", "--config", `${path}/new.yaml`])
      assert.strictEqual(code, 1)
      assert.match(err, /--login alice$/u)
      assert.isFalse(yield* fs.exists(`${path}/new.yaml`))
    }).pipe(Effect.provide(world), Effect.scoped)
  )
})
