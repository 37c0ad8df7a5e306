/**
 * Pidfile: what the holder of the lock writes about itself, and how others read it. The file is only a note beside the
 * lock: it is never believed to say whether somebody holds it.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** What a holder is: the loop, a single cycle, or a command that changes something without a daemon. */
export const Role = Schema.Literals(["daemon", "once", "command"])
export type Role = typeof Role.Type

/** The holder as its pidfile tells: the pid alone on the first line, then start time, boot id and role. */
export const Holder = Schema.Struct({
  pid: Schema.Int,
  startTime: Schema.String,
  bootId: Schema.String,
  role: Role
})
export type Holder = typeof Holder.Type

/** More than any heed ever wrote: a longer file is not read to its end. */
export const pidfileLimit = 1_024

const largestPid = 2 ** 31 - 1
const isRole = Schema.is(Role)

export const format = (holder: Holder): string =>
  `${holder.pid}\n${holder.startTime}\n${holder.bootId}\n${holder.role}\n`

/** Reads a pidfile's content; on anything that heed does not write it fails with what is wrong. */
export const parse = (content: string): Result.Result<Holder, string> => {
  if (content === "") return Result.fail("the pidfile is empty: its holder is starting, or died while it did")
  if (content.length > pidfileLimit) return Result.fail("the pidfile is too long to be heed's")
  const [pid = "", startTime = "", bootId = "", role = "", end, ...more] = content.split("\n")
  if (!/^[1-9][0-9]{0,9}$/u.test(pid) || Number(pid) > largestPid) {
    return Result.fail("the pidfile's first line is no process id")
  }
  if (pid === "1") return Result.fail("the pidfile names process 1, which heed never signals")
  if (
    end !== "" ||
    more.length > 0 ||
    !isRole(role) ||
    !/^\S[\S ]*$/u.test(startTime) ||
    !/^\S+$/u.test(bootId)
  ) {
    return Result.fail("the pidfile is incomplete: start time, boot id and role must follow the process id")
  }
  return Result.succeed({ pid: Number(pid), startTime, bootId, role })
}
