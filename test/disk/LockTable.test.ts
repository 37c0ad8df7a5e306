import { assert, describe, it } from "@effect/vitest"
import { search } from "../../src/disk/LockTable.ts"

const table = `1: POSIX  ADVISORY  WRITE 1111 fe:00:131085 0 EOF
2: FLOCK  ADVISORY  READ 2222 fe:00:131085 0 EOF
3: FLOCK  ADVISORY  WRITE 3333 fe:01:131085 0 EOF
3: -> FLOCK  ADVISORY  WRITE 4444 fe:00:131085 0 EOF
4: FLOCK  ADVISORY  WRITE 5555 fe:00:13108 0 EOF
`
const file = { dev: 0xfe00n, ino: 131085n }

describe("LockTable", () => {
  it("finds an exclusive flock on this very file and nothing else", () => {
    assert.deepStrictEqual(search(table, file), { _tag: "NotListed" })
    assert.deepStrictEqual(search(`${table}5: FLOCK  ADVISORY  WRITE 6666 fe:00:131085 0 EOF\n`, file), {
      _tag: "Holder",
      pid: 6666
    })
    assert.deepStrictEqual(search(table, { dev: 0xfe01n, ino: 131085n }), { _tag: "Holder", pid: 3333 })
    assert.deepStrictEqual(search("", file), { _tag: "NotListed" })
  })

  it("unpacks large device numbers", () => {
    const device = (259n << 8n) | (0x12n & 0xffn) | (0x123n << 20n)
    assert.deepStrictEqual(
      search("9: FLOCK  ADVISORY  WRITE 7 103:12312:42 0 EOF\n", { dev: device, ino: 42n }),
      {
        _tag: "Holder",
        pid: 7
      }
    )
  })
})
