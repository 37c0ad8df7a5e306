/** The daemon's HTTP client behind a proxy. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"
import { createServer } from "node:http"
import { layerClient, proxies } from "../../src/net/Client.ts"
import { Environment } from "../../src/net/Environment.ts"

describe("Client", () => {
  it.live("asks through the proxy that the environment names, and never for loopback", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const port = yield* Effect.acquireRelease(
        Effect.callback<readonly [number, () => void]>((resume) => {
          const server = createServer((request, response) => {
            asked.push(request.url ?? "")
            response.end("{}")
          }).listen(0, "127.0.0.1", () => {
            const address = server.address()
            const close = () => {
              server.closeAllConnections()
              server.close()
            }
            resume(
              Effect.succeed([typeof address === "object" && address !== null ? address.port : 0, close])
            )
          })
        }),
        ([, close]) => Effect.sync(close)
      ).pipe(Effect.map(([port]) => port))
      const get = (url: string) =>
        HttpClient.get(url).pipe(
          Effect.flatMap(({ text }) => text),
          Effect.provide(
            Layer.fresh(layerClient).pipe(
              Layer.provide(Layer.succeed(Environment, () => ({ http_proxy: `127.0.0.1:${port}` })))
            )
          )
        )
      yield* get("http://tracker.invalid/x")
      yield* get(`http://127.0.0.1:${port}/direct`)
      assert.deepStrictEqual(asked, ["http://tracker.invalid/x", "/direct"])
    }).pipe(Effect.scoped)
  )

  it("a proxy that makes no sense is named, not used", () => {
    const found = proxies({
      HTTPS_PROXY: "socks5://h:1",
      HTTP_PROXY: "http://[bad",
      NO_PROXY: "corp.example"
    })
    assert.deepStrictEqual(found, {
      environment: { NO_PROXY: "corp.example,localhost,127.0.0.1,[::1]" },
      useless: ["HTTP_PROXY", "HTTPS_PROXY"]
    })
  })
})
