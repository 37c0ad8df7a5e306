/**
 * Client: the HTTP client of the daemon, on `node:http` rather than `fetch`, which costs 25 MB more resident memory.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HttpClient } from "effect/http/HttpClient"
import { Environment, type Variables } from "./Environment.ts"

/** A proxy's address; people leave the scheme off, as curl lets them. Undefined for what is none. */
const address = (written: string): string | undefined => {
  const whole = written.includes("://") ? written : `http://${written}`
  return /^https?:/iu.test(whole) && URL.canParse(whole) ? whole : undefined
}

const names = ["HTTP_PROXY", "HTTPS_PROXY"] as const

/** The proxies that the variables name, in either case, and the variables that name none. Loopback has no proxy. */
export const proxies = (variables: Variables) => {
  const read = (name: string) => (variables[name] ?? variables[name.toLowerCase()])?.trim() ?? ""
  const found = names.filter((name) => read(name) !== "").map((name) => [name, address(read(name))] as const)
  const noProxy = [read("NO_PROXY"), "localhost", "127.0.0.1", "[::1]"].filter((text) => text !== "")
  return {
    environment: {
      ...Object.fromEntries(found.flatMap(([name, url]) => (url === undefined ? [] : [[name, url]]))),
      NO_PROXY: noProxy.join(",")
    },
    useless: found.flatMap(([name, url]) => (url === undefined ? [name] : []))
  }
}

/**
 * Keeps connections alive, follows no redirect, and honours `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` where Node
 * does (24.5 and later, 22.21 and later).
 */
export const layerClient: Layer.Layer<HttpClient> = Layer.unwrap(
  Effect.gen(function* () {
    const { environment, useless } = proxies((yield* Environment)())
    // The value may hold a password, so it is not shown.
    for (const name of useless) {
      yield* Effect.logWarning(`${name} is no address of an http or https proxy, and is not used.`)
    }
    return NodeHttpClient.layerNodeHttpOptions({
      keepAlive: true,
      keepAliveMsecs: 5000,
      maxSockets: 16,
      proxyEnv: environment
    })
  })
)
