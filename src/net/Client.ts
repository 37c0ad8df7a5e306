/**
 * Client: the HTTP client of the daemon, on `node:http` rather than `fetch`, which costs 25 MB more resident memory.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HttpClient } from "effect/http/HttpClient"
import { Environment, type Variables } from "./Environment.ts"

/** The variables that name a proxy, in either case; loopback is never asked through one. */
export const proxies = (variables: Variables) => {
  const read = (name: string) => variables[name] ?? variables[name.toLowerCase()]
  return {
    HTTP_PROXY: read("HTTP_PROXY"),
    HTTPS_PROXY: read("HTTPS_PROXY"),
    NO_PROXY: [read("NO_PROXY"), "localhost", "127.0.0.1", "[::1]"].filter(Boolean).join(",")
  }
}

/**
 * Keeps connections alive, follows no redirect, and honours `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` where Node
 * does (24.5 and later, 22.21 and later).
 */
export const layerClient: Layer.Layer<HttpClient> = Layer.unwrap(
  Effect.map(Environment, (variables) =>
    NodeHttpClient.layerNodeHttpOptions({
      keepAlive: true,
      keepAliveMsecs: 5000,
      maxSockets: 16,
      proxyEnv: proxies(variables())
    })
  )
)
