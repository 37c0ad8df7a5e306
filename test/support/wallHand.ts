/** A wall clock that a test moves under a real heed: the process's own, loaded before anything else looks at it. */
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const program = `
import { readFileSync } from "node:fs"
const Real = Date
const now = () => Real.now() + Number(readFileSync(process.env.HEED_TEST_CLOCK, "utf8"))
globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(now())
    else super(...given)
  }
  static now() {
    return now()
  }
}
`

/** The hand of the heeds of one world. */
export const wallHand = (folder: string) => {
  const hand = join(folder, "wall-hand")
  const move = (by: number) => {
    writeFileSync(`${hand}.next`, String(by))
    renameSync(`${hand}.next`, hand)
  }
  return {
    move,
    get environment() {
      const file = join(folder, "wall-hand.mjs")
      writeFileSync(file, program)
      if (!existsSync(hand)) move(0)
      return { HEED_TEST_CLOCK: hand, NODE_OPTIONS: `--import=${file}` }
    }
  }
}
