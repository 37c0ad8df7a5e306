/** G5.2: what people write reaches shell, arguments, paths, templates and terminals as text or not at all. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { repo, world } from "../support/world.ts"

describe("G5.2", () => {
  it.live("hostile titles, bodies, labels and comments do nothing but stand in the prompt", () =>
    Effect.gen(function* () {
      const w = yield* world({
        agent: {
          command: [
            "sh",
            "-c",
            'cat > seen; printf "%s\\0" "$@" > arguments; env > environment',
            "agent",
            "{{ item.slug }}"
          ],
          cwd: "work/{{ item.slug }}/{{ repo.slug }}"
        }
      })
      const bell = "\u001b]0;owned\u0007\u009b31m\u0008\u0000\u202e"
      const hostile = [
        `$(touch '${w.folder}/owned')`,
        `\`touch ${w.folder}/owned\``,
        `'; touch '${w.folder}/owned'; '`,
        "../../../../etc/passwd",
        "{{ mark }}{% for x in words %}{{ x }}{% endfor %}{{ item.slug }}",
        "--dangerously-skip-permissions",
        bell
      ].join(" ")
      const one = yield* w.issue(hostile.replaceAll("\u0000", ""), { body: `${hostile}\r\nsay-body` })
      yield* w.forge.label({ repo, number: one, label: hostile.replaceAll("\u0000", ""), by: "alice" })
      yield* w.say(one, `say-comment ${hostile}`)
      const { err, out } = yield* w.run("start", "--once", "--wait")
      yield* w.untilState(one, "live")
      assert.isFalse(existsSync(join(w.folder, "owned")))

      const work = join(w.folder, "work")
      const written = readdirSync(work, { recursive: true, encoding: "utf8" })
      for (const name of written) assert.match(name, /^[a-z0-9./-]+$/u)
      const folder = dirname(join(work, written.find((name) => name.endsWith("seen")) ?? ""))
      const seen = readFileSync(join(folder, "seen"), "utf8")
      for (const text of [
        "say-body",
        "say-comment",
        "$(touch",
        "{{ mark }}{% for x in words %}",
        "/etc/passwd"
      ])
        assert.include(seen, text)
      // eslint-disable-next-line no-control-regex
      assert.notMatch(seen, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/u)
      assert.match(readFileSync(join(folder, "arguments"), "utf8"), /^[a-z0-9-]+\0$/u)
      assert.notInclude(readFileSync(join(folder, "environment"), "utf8"), "touch")

      const shown = [err, out]
      for (const command of [["status"], ["explain", `${repo}#${one}`], ["plan"], ["events"], ["sessions"]])
        shown.push((yield* w.run(...command)).out)
      // eslint-disable-next-line no-control-regex
      for (const text of shown) assert.notMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/u)
      assert.isTrue(shown.some((text) => text.includes("touch")))
    }).pipe(Effect.scoped)
  )
})
