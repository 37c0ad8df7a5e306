/**
 * Exchange: one question with one credential, and its answer: bounded in time and size, and judged.
 */
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import { version } from "../domain/Version.ts"
import { AskError, type AskReason } from "./AskError.ts"
import type { Credential } from "./Credentials.ts"
import { links } from "./Links.ts"
import { networkFailure } from "./NetworkFailure.ts"
import { budgetOf, serverTime, verdict, words, type Budget, type Headers } from "./Verdict.ts"

/** A 2xx or a 304. */
export interface Answer {
  /** 304: `body` is null, and nothing changed. */
  readonly status: number
  readonly body: Schema.Json
  readonly etag?: string
  /** Path and query by relation of the `Link` header. */
  readonly links: { readonly [relation: string]: string }
  /** The server's clock, in epoch milliseconds. */
  readonly date: number
  /** Of the credential that was used: an ETag is worth nothing with another one (traps B29). */
  readonly fingerprint: string
}

export interface Ask {
  readonly method: "GET" | "POST"
  /** Path and query below the base, or an absolute address whose path and query are asked of the base's origin. */
  readonly path: string
  readonly etag?: string | undefined
  readonly body?: Schema.Json
}

/** Where questions go, and what goes with each. */
export interface Destination {
  /** Without a slash at the end: `https://api.github.com`. */
  readonly base: string
  /** How a token becomes the `authorization` header. */
  readonly scheme: "Bearer"
  /** Beside authorization: `accept`, versions. */
  readonly headers: { readonly [name: string]: string }
}

/** Counts since the process began. */
export interface Usage {
  requests: number
  notModified: number
  /** As the last answer told it. */
  budget: Budget | undefined
}

const largest = ByteSize.mebibytes(64)
const patience = "30 seconds"

/** Whatever a link says, the token goes nowhere but to the configured origin. */
const address = (base: string, path: string): string => {
  if (path.startsWith("/")) return base + path
  const target = new URL(path, `${base}/`)
  return new URL(base).origin + target.pathname + target.search
}

/** Addresses in errors have no query: it is long, and people look for the place. */
const place = (url: string) => url.split("?")[0] ?? url

const saidOf = (body: string): string => {
  try {
    const parsed: Schema.Json = JSON.parse(body)
    if (parsed !== null && typeof parsed === "object" && "message" in parsed) {
      return typeof parsed.message === "string" ? parsed.message : ""
    }
  } catch {
    // A proxy's page is nothing to quote; its status says enough.
    return ""
  }
  return ""
}

const meaning: { readonly [Reason in AskReason]?: string } = {
  Unauthorized: "the token was refused; it may be expired or revoked",
  Forbidden: "the token may not do this",
  Limited: "a rate limit was reached",
  Missing: "there is nothing, or nothing that this token may see",
  Gone: "it was deleted or switched off",
  Moved: "it has moved",
  Refused: "the request was refused",
  Unavailable: "the server has trouble"
}

/** The way to ask one destination; what is asked is counted in `usage`. */
export const exchanger = (client: HttpClient.HttpClient, options: Destination, usage: Usage) => {
  const send = Effect.fnUntraced(function* (ask: Ask, url: string, credential: Credential) {
    usage.requests += 1
    const request = HttpClientRequest.make(ask.method)(url, {
      headers: {
        "user-agent": `heed/${version}`,
        ...options.headers,
        ...(ask.etag === undefined ? {} : { "if-none-match": ask.etag }),
        authorization: `${options.scheme} ${Redacted.value(credential.token)}`
      },
      body: ask.body === undefined ? HttpBody.empty : HttpBody.jsonUnsafe(ask.body)
    })
    const response = yield* client.execute(request)
    return { status: response.status, headers: response.headers, text: yield* response.text }
  })

  const lost = (url: string) => (error: HttpClientError) => {
    const { reason, message } = networkFailure(error, url)
    return new AskError({ reason, message, said: "" })
  }

  const sent = Effect.fnUntraced(function* (ask: Ask, url: string, credential: Credential) {
    const once = send(ask, url, credential)
    // A kept-alive connection may close just as it is used; a read may simply be sent again.
    const twice = once.pipe(
      Effect.catch((error) =>
        ask.method === "GET" && networkFailure(error, url).closed ? once : Effect.fail(error)
      )
    )
    return yield* twice.pipe(
      Effect.provideService(MaxBodySize, largest),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.mapError(lost(url)),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () =>
          Effect.fail(
            new AskError({
              reason: "Unavailable",
              message: `${place(url)} did not answer within 30 seconds.`,
              said: ""
            })
          )
      })
    )
  })

  const judged = Effect.fnUntraced(function* (
    url: string,
    { status, headers, text }: { status: number; headers: Headers; text: string },
    credential: Credential
  ) {
    const now = yield* Clock.currentTimeMillis
    usage.budget = budgetOf(headers, now) ?? usage.budget
    const common = {
      links: links(headers["link"]),
      date: serverTime(headers, now),
      fingerprint: credential.fingerprint
    }
    if (status === 304) {
      usage.notModified += 1
      return { ...common, status, body: null } satisfies Answer
    }
    if (status >= 200 && status < 300) {
      const body = yield* Effect.try({
        try: (): Schema.Json => JSON.parse(text),
        catch: () =>
          new AskError({
            reason: "BadAnswer",
            message: `${place(url)} answered ${status} with something that is no JSON (${words(headers["content-type"] ?? "no content type", Redacted.value(credential.token))}). Does the address lead to the tracker's API?`,
            said: ""
          })
      })
      const etag = headers["etag"]
      return { ...common, status, body, ...(etag === undefined ? {} : { etag }) } satisfies Answer
    }
    const raw = saidOf(text)
    const said = words(raw, Redacted.value(credential.token))
    const { reason, retryAfter } = verdict(status, headers, raw === "" ? text : raw, now)
    const location = headers["location"]
    return yield* new AskError({
      reason,
      message: `${place(url)} answered ${status}: ${meaning[reason] ?? ""}${said === "" ? "" : ` ("${said}")`}.`,
      said,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(location === undefined ? {} : { location })
    })
  })

  return Effect.fn("Exchange.exchange")(function* (ask: Ask, credential: Credential) {
    const url = address(options.base, ask.path)
    return yield* judged(url, yield* sent(ask, url, credential), credential)
  })
}
