/** The knife's judgement: it has to see whatever goes wrong. */
import { assert, describe, it } from "@effect/vitest"
import { compare, type Posted, type Received, type Sides, type Written } from "./compare.ts"
import { bareEnter, submitted } from "./sinks.ts"

const item = "acme/app#1"

const word = (token: string, more: Partial<Written> = {}): Written => ({
  token,
  item,
  due: "once",
  round: 1,
  ...more
})
const handOver = (words: ReadonlyArray<string>, more: Partial<Received> = {}): Received => ({
  item,
  session: "s1",
  handOver: "h",
  attempt: 1,
  opens: false,
  mayRepeat: false,
  words,
  ...more
})
const opening = handOver([], { opens: true })

const judge = (sides: Partial<Sides>) => {
  const { findings, repeated } = compare({
    written: [word("a"), word("b"), word("c")],
    items: [item],
    received: [opening, handOver(["a", "b", "c"])],
    owed: [],
    posted: [],
    ...sides
  })
  return { found: findings.map(({ fault, token }) => `${fault}: ${token}`), repeated }
}
const found = (sides: Partial<Sides>) => judge(sides).found

describe("compare", () => {
  it("finds nothing where each word came once, in order, in whatever portions", () => {
    assert.deepStrictEqual(found({}), [])
    assert.deepStrictEqual(
      found({ received: [handOver(["a"], { opens: true }), handOver(["b"]), handOver(["c"])] }),
      []
    )
  })

  it("finds a word that never came, came twice, or came after a later one", () => {
    assert.deepStrictEqual(found({ received: [opening, handOver(["a", "c"])] }), ["lost: b"])
    assert.deepStrictEqual(found({ received: [opening, handOver(["a", "b"]), handOver(["b", "c"])] }), [
      "doubled: b"
    ])
    assert.deepStrictEqual(found({ received: [opening, handOver(["b"]), handOver(["a", "c"])] }), [
      "out of order: a"
    ])
  })

  it("lets what an ended item settled stay away, but not come twice", () => {
    const written = [word("a", { due: "at most once" })]
    assert.deepStrictEqual(found({ written, received: [opening] }), [])
    assert.deepStrictEqual(found({ written, received: [opening, handOver(["a"]), handOver(["a"])] }), [
      "doubled: a"
    ])
  })

  it("finds a stranger's word anywhere but in a session's opening, and a word of another item anywhere", () => {
    const written = [word("x", { due: "never" }), word("y", { item: "acme/app#2", due: "at most once" })]
    assert.deepStrictEqual(found({ written, received: [handOver(["x"], { opens: true })] }), [])
    assert.deepStrictEqual(found({ written, received: [opening, handOver(["x"])] }), ["overheard: x"])
    assert.deepStrictEqual(found({ written, received: [handOver(["y"], { opens: true })] }), ["overheard: y"])
    assert.deepStrictEqual(found({ written, received: [opening, handOver(["heed-itself"])] }), [
      "overheard: heed-itself"
    ])
  })

  it("counts what says that it may repeat apart", () => {
    const received = [opening, handOver(["a", "b"]), handOver(["b", "c"], { mayRepeat: true })]
    assert.deepStrictEqual(judge({ received }), { found: [], repeated: 1 })
  })

  it("finds a session that never was opened, or was opened twice", () => {
    assert.deepStrictEqual(found({ written: [], received: [] }), ["lost: start"])
    assert.deepStrictEqual(found({ written: [], received: [opening, opening] }), ["doubled: start of s1"])
    const next = handOver([], { opens: true, session: "s2" })
    assert.deepStrictEqual(found({ written: [], received: [opening, next] }), [])
  })

  it("finds a comment that heed owes and never posted, or posted twice", () => {
    const notice: Posted = { item, about: "7" }
    assert.deepStrictEqual(found({ owed: [notice], posted: [notice] }), [])
    assert.deepStrictEqual(found({ owed: [notice] }), ["lost: notice on 7"])
    assert.deepStrictEqual(found({ owed: [notice], posted: [notice, notice] }), ["doubled: notice on 7"])
  })
})

describe("what is typed into a pane", () => {
  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`

  it("counts once it is submitted, and twice where it was pasted twice before", () => {
    assert.deepStrictEqual(submitted(`${paste("a\rb")}\r${paste("c")}`), ["a\rb\n"])
    assert.deepStrictEqual(submitted(`${paste("a")}${paste("a")}\r`), ["a\na\n"])
  })

  it("is nobody's word where Enter was pressed twice", () => {
    assert.deepStrictEqual(submitted(`${paste("a")}\r\r`), ["a\n", bareEnter])
    assert.deepStrictEqual(found({ received: [opening, handOver(["a", "b", "c"]), handOver([bareEnter])] }), [
      `overheard: ${bareEnter}`
    ])
  })
})
