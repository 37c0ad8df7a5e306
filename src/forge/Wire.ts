/** The forge on the wire: from a request's bytes to an answer's, with credentials, faults, tags and rate headers. */
import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, entityTag, redrawn, refusal } from "./Answer.ts"
import { answer as answerFrom } from "./Api.ts"
import type { Stage } from "./Ask.ts"
import { type Faults, refusalOf } from "./Faults.ts"
import type { Meter } from "./Meter.ts"
import type { Settings } from "./Settings.ts"
import type { Token } from "./World.ts"

export interface Forgery {
  readonly stage: Stage
  readonly meter: Meter
  readonly faults: Faults
}

/** Performs a control operation by name; throws when there is none or its input is wrong. */
export type Perform = (operation: string, input: unknown) => unknown

const seen = ["if-none-match", "accept", "user-agent", "x-github-api-version", "content-type"]

const headersWorthSeeing = (request: IncomingMessage) =>
  Object.fromEntries(
    seen.flatMap((name) => {
      const value = request.headers[name]
      return typeof value === "string" ? [[name, value]] : []
    })
  )

export const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

type Sent = { readonly _tag: "Sent"; readonly value: unknown } | { readonly _tag: "Broken" }

const parsed = (text: string): Sent => {
  if (text === "") return { _tag: "Sent", value: undefined }
  try {
    const value: unknown = JSON.parse(text)
    return { _tag: "Sent", value }
  } catch {
    // The answer for it is a 400, which the caller gives.
    return { _tag: "Broken" }
  }
}

const credentialOf = (request: IncomingMessage): string | undefined =>
  /^(?:bearer|token)\s+(\S+)$/iu.exec(request.headers.authorization ?? "")?.[1]

const comments = /<!--[\s\S]*?-->/gu

/** Bodies as the setting says, in whatever reply they are. */
const distorted = (answer: Answer, how: Settings["bodies"]): Answer => {
  if (how === "raw" || answer.body === undefined) return answer
  const change = (key: string, value: unknown) => {
    if (key !== "body" || typeof value !== "string") return value
    return how === "null" ? null : value.replaceAll(comments, "")
  }
  return { ...answer, body: redrawn(JSON.stringify(JSON.parse(answer.body.json, change))) }
}

const weak = (tag: string) => tag.trim().replace(/^W\//u, "")

const sameTag = (header: string | undefined, tag: string) =>
  header !== undefined &&
  (header.trim() === "*" || header.split(",").some((offered) => weak(offered) === weak(tag)))

const conditioned = (
  answer: Answer,
  request: IncomingMessage,
  credential: string,
  settings: Settings
): Answer => {
  if (!answer.tagged || answer.body === undefined) return answer
  const accept = request.headers.accept ?? ""
  const etag = entityTag(answer.body, `${credential}\n${accept}`)
  const headers: Answer["headers"] = {
    ...answer.headers,
    etag,
    "cache-control": "private, max-age=60, s-maxage=60"
  }
  if (!sameTag(request.headers["if-none-match"], etag)) return { ...answer, headers }
  const kept = Object.entries(headers).filter(([name]) => name !== "link" || settings.linkWhenNotModified)
  return { status: 304, headers: Object.fromEntries(kept), body: undefined, tagged: false }
}

const rateHeaders = ({ meter }: Forgery, token: Token) => {
  const rate = meter.rate(token.account)
  return {
    "x-ratelimit-limit": String(rate.limit),
    "x-ratelimit-remaining": String(rate.remaining),
    "x-ratelimit-used": String(rate.used),
    "x-ratelimit-reset": String(rate.reset),
    "x-ratelimit-resource": "core"
  }
}

/** The resource's own answer, paid for: what was not modified is free, and an empty budget answers nothing else. */
const paid = (
  forgery: Forgery,
  token: Token,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  body: string
): Answer => {
  const free = path === "/rate_limit"
  if (!free && forgery.meter.rate(token.account).remaining === 0) {
    return refusal(403, `API rate limit exceeded for user ID ${token.account.id}.`)
  }
  const sent = parsed(body)
  const method = request.method ?? "GET"
  const { settings } = forgery.stage
  const answer =
    sent._tag === "Broken"
      ? refusal(400, "Problems parsing JSON")
      : answerFrom(forgery.stage, forgery.meter, token, { method, path, query, sent: sent.value })
  const credential = createHash("sha256")
    .update(credentialOf(request) ?? "")
    .digest("hex")
  const final = conditioned(distorted(answer, settings.bodies), request, credential, settings)
  if (!free && final.status !== 304) forgery.meter.spend(token.account)
  return final
}

const send = (
  forgery: Forgery,
  response: ServerResponse,
  answer: Answer,
  rate: Answer["headers"],
  ending: "whole" | "cut"
) => {
  const now = forgery.stage.world.clock.now()
  const body = answer.body === undefined ? undefined : Buffer.from(answer.body.json)
  response.sendDate = false
  response.writeHead(answer.status, {
    date: new Date(now).toUTCString(),
    server: "github.com",
    vary: "Accept, Authorization, Cookie, X-GitHub-OTP",
    "x-github-media-type": "github.v3; format=json",
    "x-github-api-version-selected": "2022-11-28",
    "x-github-request-id": `F0:${forgery.stage.world.next("request").toString(16).toUpperCase()}`,
    ...(body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
    ...(body === undefined && answer.status !== 204 && answer.status !== 304 ? { "content-length": 0 } : {}),
    ...(body === undefined ? {} : { "content-length": body.length }),
    ...rate,
    ...answer.headers
  })
  if (ending === "cut" && body !== undefined) {
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy())
  } else response.end(body)
}

/** Answers one request to the API. */
export const serve = async (
  forgery: Forgery,
  perform: Perform,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const { stage, meter, faults } = forgery
  const address = new URL(request.url ?? "/", stage.places.api)
  const path = address.pathname.replace(/^\/api\/v3(?=\/)/u, "")
  const credential = credentialOf(request)
  const token = credential === undefined ? undefined : stage.world.tokens.get(credential)
  const login = token?.account.login
  const method = request.method ?? "GET"
  const id = meter.arrive({
    at: Date.now(),
    method,
    path,
    query: Object.fromEntries(address.searchParams),
    headers: headersWorthSeeing(request),
    ...(login === undefined ? {} : { login })
  })
  const left = new AbortController()
  let settled = false
  response.on("close", () => {
    left.abort()
    if (!settled) meter.dropped(id)
  })
  const body = await readBody(request)
  if (stage.settings.delay > 0) await sleep(stage.settings.delay)
  const met = faults.meet({ method, path, query: address.search.slice(1), login })
  for (const fault of met) {
    if (fault.failure.kind === "delay") await sleep(fault.failure.millis)
    if (fault.failure.kind === "hang") await faults.hold(fault, left.signal)
    if (fault.failure.kind === "before") perform(fault.failure.operation, fault.failure.input)
    if (fault.failure.kind === "drop") response.destroy()
  }
  if (left.signal.aborted || response.destroyed) return
  const refused = met
    .map((fault) => refusalOf(fault.failure, stage.world.clock))
    .find((found) => found !== undefined)
  const whole =
    refused?.answer ??
    (token === undefined
      ? refusal(401, credential === undefined ? "Requires authentication" : "Bad credentials")
      : paid(forgery, token, request, path, address.searchParams, body))
  const broken = met.some((fault) => fault.failure.kind === "broken-json") && whole.body !== undefined
  const answer =
    broken && whole.body !== undefined
      ? { ...whole, body: redrawn(whole.body.json.slice(0, Math.ceil(whole.body.json.length / 2))) }
      : whole
  for (const fault of met) {
    if (fault.failure.kind === "after") perform(fault.failure.operation, fault.failure.input)
  }
  settled = true
  meter.answered(id, answer.status)
  send(
    forgery,
    response,
    answer,
    token === undefined || refused?.withoutRate === true ? {} : rateHeaders(forgery, token),
    met.some((fault) => fault.failure.kind === "cut") ? "cut" : "whole"
  )
}
