import { assert, describe, it } from "@effect/vitest"
import { fileSystemType } from "../../src/disk/LockableFileSystem.ts"

describe("LockableFileSystem", () => {
  it("trusts local file systems", () => {
    for (const [type, name] of [
      [0xef53, "ext4"],
      [0x9123683e, "btrfs"],
      [0x9123683e | 0, "btrfs"],
      [0x01021994, "tmpfs"],
      [0x794c7630, "overlayfs"]
    ] as const) {
      assert.deepStrictEqual(fileSystemType(type, "linux"), { name, lockable: true })
    }
    assert.deepStrictEqual(fileSystemType(0x1a, "darwin"), { name: "apfs", lockable: true })
  })

  it("trusts neither shared nor unknown ones, and names them", () => {
    for (const [type, name] of [
      [0x6969, "nfs"],
      [0xff534d42, "cifs"],
      [0xfe534d42 | 0, "smb2"],
      [0x01021997, "9p"],
      [0x65735546, "fuse"],
      [0x9fa0, "of unknown type 0x9fa0"]
    ] as const) {
      assert.deepStrictEqual(fileSystemType(type, "linux"), { name, lockable: false })
    }
    assert.isFalse(fileSystemType(0x02, "darwin").lockable)
  })
})
