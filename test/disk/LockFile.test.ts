import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Flock } from "../../src/disk/Flock.ts"
import * as LockFile from "../../src/disk/LockFile.ts"

const holder = { pid: process.pid, startTime: "1", bootId: "b", role: "once" } as const

const inFolder = (body: (pidfile: string) => void) => () => {
  const folder = mkdtempSync(join(tmpdir(), "heed-"))
  try {
    body(join(folder, "heed.pid"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A kernel that answers as told. */
const answering = (...answers: ReadonlyArray<"Taken" | "Busy" | "ENOLCK">): Flock => {
  const left = [...answers]
  return {
    take: () => {
      const answer = left.shift() ?? "Busy"
      return answer === "ENOLCK" ? { _tag: "Failed", code: answer } : { _tag: answer }
    }
  }
}

describe("LockFile", () => {
  it(
    "a lock that a second open can take too is no lock",
    inFolder((pidfile) => {
      const tried = LockFile.tryTake(pidfile, answering("Taken", "Taken"), holder)
      assert.deepStrictEqual(tried, { _tag: "Unlockable", why: "it keeps nobody out" })
      assert.strictEqual(readFileSync(pidfile, "utf8"), "")
    })
  )

  it(
    "a file system that refuses to lock is named by its error",
    inFolder((pidfile) => {
      assert.deepStrictEqual(LockFile.tryTake(pidfile, answering("ENOLCK"), holder), {
        _tag: "Unlockable",
        why: "ENOLCK"
      })
    })
  )

  it(
    "a taken lock is signed, and given back with its file",
    inFolder((pidfile) => {
      assert.strictEqual(LockFile.tryTake(pidfile, answering("Busy"), holder)._tag, "Busy")
      const tried = LockFile.tryTake(pidfile, answering("Taken", "Busy"), holder)
      assert.strictEqual(readFileSync(pidfile, "utf8"), `${process.pid}\n1\nb\nonce\n`)
      assert.strictEqual(tried._tag, "Taken")
      if (tried._tag === "Taken") LockFile.giveBack(pidfile, tried.file)
      assert.isFalse(existsSync(pidfile))
    })
  )
})
