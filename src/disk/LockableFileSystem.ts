/**
 * LockableFileSystem: on which file systems a kernel lock is known to exclude every other process (traps B74). What is
 * shared over a network, passed through to another system, or unknown is not among them.
 */

/** A `statfs` type on Linux, and what people call it. */
const local: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
  [0x794c7630, "overlayfs"],
  [0x61756673, "aufs"],
  [0x2fc12fc1, "zfs"],
  [0xf2f52010, "f2fs"],
  [0xca451a4e, "bcachefs"],
  [0x3153464a, "jfs"],
  [0x52654973, "reiserfs"],
  [0x3434, "nilfs2"],
  [0xf15f, "ecryptfs"]
])

const shared: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0x517b, "smb"],
  [0xfe534d42, "smb2"],
  [0x01021997, "9p"],
  [0x65735546, "fuse"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x0bd00bd0, "lustre"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
  [0x47504653, "gpfs"],
  [0x786f4256, "vboxsf"],
  [0x7c7c6673, "prl_fs"],
  [0x53464846, "wslfs"]
])

/** macOS numbers file systems anew with each release; these two have kept theirs: hfs and apfs. */
const darwin: ReadonlyMap<number, string> = new Map([
  [0x17, "hfs"],
  [0x1a, "apfs"]
])

export interface FileSystemType {
  /** As people call it; unknown ones by their number. */
  readonly name: string
  readonly lockable: boolean
}

/** Judges the `type` that `statfs` gave, as seen on `platform`. */
export const fileSystemType = (type: number, platform: NodeJS.Platform): FileSystemType => {
  const number = type >>> 0
  const name = platform === "darwin" ? darwin.get(number) : local.get(number)
  if (name !== undefined) return { name, lockable: true }
  const known = platform === "darwin" ? undefined : shared.get(number)
  return { name: known ?? `of unknown type 0x${number.toString(16)}`, lockable: false }
}
