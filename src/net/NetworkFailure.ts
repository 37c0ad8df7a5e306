/**
 * NetworkFailure: what a failed connection means in words that name the mend, never the request that failed.
 */
import type { HttpClientError } from "effect/http/HttpClientError"
import type { AskReason } from "./AskError.ts"

export interface NetworkFailure {
  readonly reason: AskReason
  readonly message: string
  /** The connection was closed by the other side, as happens to one that was kept alive. */
  readonly closed: boolean
}

/** The error code of Node at the bottom of a chain of causes. */
const codeOf = (cause: unknown, depth = 0): string => {
  if (typeof cause !== "object" || cause === null || depth > 4) return ""
  if ("code" in cause && typeof cause.code === "string") return cause.code
  return "cause" in cause ? codeOf(cause.cause, depth + 1) : ""
}

const closing = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"])

const mend = (code: string, host: string, hostname: string): string => {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "EAI_FAIL") {
    return `the name ${hostname} cannot be resolved (${code}). Check the spelling of host and apiUrl, and the DNS of this machine`
  }
  if (code === "ECONNREFUSED") {
    return `nothing listens at ${host} (ECONNREFUSED). Check host and apiUrl, and whether a firewall or proxy is in between`
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/u.test(code)) {
    return `TLS with ${host} failed (${code}). If its certificate comes from an authority of your own, point NODE_EXTRA_CA_CERTS at that authority's file`
  }
  if (closing.has(code)) return `${host} closed the connection (${code})`
  return `${host} cannot be reached${code === "" ? "" : ` (${code})`}`
}

/** Explains a client error; the size bound counts as a bad answer, since the connection was fine. */
export const networkFailure = (error: HttpClientError, url: string): NetworkFailure => {
  const { host, hostname } = new URL(url)
  const code = codeOf("cause" in error.reason ? error.reason.cause : undefined)
  if (error.reason._tag === "InvalidUrlError" || error.reason._tag === "EncodeError") {
    return { reason: "BadAnswer", message: `A request to ${host} could not be made.`, closed: false }
  }
  if (error.reason._tag === "DecodeError" && code === "") {
    return {
      reason: "BadAnswer",
      message: `An answer of ${host} was larger than 64 MiB or broke off.`,
      closed: false
    }
  }
  return { reason: "Network", message: `${mend(code, host, hostname)}.`, closed: closing.has(code) }
}
