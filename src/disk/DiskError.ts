/**
 * DiskError: why the disk did not do what was asked, in the few kinds that callers tell apart.
 */
import type { PlatformError } from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * NoSpace: full, or a quota is used up. ReadOnly: mounted so. Denied: permissions or owner. Missing: no such file or
 * folder. Failing: the device reports errors. Incomplete: fewer bytes arrived than were written.
 */
export const DiskReason = Schema.Literals([
  "NoSpace",
  "ReadOnly",
  "Denied",
  "Missing",
  "Failing",
  "Incomplete",
  "Other"
])
export type DiskReason = typeof DiskReason.Type

export class DiskError extends Schema.TaggedError<DiskError>()("DiskError", {
  reason: DiskReason,
  path: Schema.String,
  /** What was attempted, on which path, and what the system said. */
  message: Schema.String
}) {}

const reasons: { readonly [code: string]: DiskReason } = {
  ENOSPC: "NoSpace",
  EDQUOT: "NoSpace",
  EROFS: "ReadOnly",
  EACCES: "Denied",
  EPERM: "Denied",
  ENOENT: "Missing",
  EIO: "Failing"
}

/** The system's own code behind a failure, such as `ENOSPC`; empty where there is none. */
export const codeOf = (failure: PlatformError): string => {
  const cause = failure.reason.cause
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""
}

/** Turns a platform failure into a `DiskError` about `path`; `attempt` reads like "write" or "rename". */
export const diskError =
  (attempt: string, path: string) =>
  (failure: PlatformError): DiskError => {
    const code = codeOf(failure)
    const reason =
      reasons[code] ??
      (failure.reason._tag === "PermissionDenied"
        ? "Denied"
        : failure.reason._tag === "NotFound"
          ? "Missing"
          : failure.reason._tag === "WriteZero"
            ? "Incomplete"
            : "Other")
    return new DiskError({
      reason,
      path,
      message: `cannot ${attempt} ${path}: ${code === "" ? failure.message : `${words[reason]} (${code})`}`
    })
  }

const words: { readonly [reason in DiskReason]: string } = {
  NoSpace: "no space left",
  ReadOnly: "the file system is read-only",
  Denied: "permission denied",
  Missing: "it does not exist",
  Failing: "the device reports an error",
  Incomplete: "not all bytes arrived",
  Other: "the system refused"
}
