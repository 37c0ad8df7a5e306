/** A GitHub source on an embedded forge: what the provider's tests start from. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { Forge, type Interface } from "../../src/forge/Forge.ts"
import { Breaker } from "../../src/net/Breaker.ts"
import { layerClient } from "../../src/net/Client.ts"
import { Credentials } from "../../src/net/Credentials.ts"
import { Environment } from "../../src/net/Environment.ts"
import { Gateway } from "../../src/net/Gateway.ts"
import type { Row } from "../../src/domain/Item.ts"
import type { Listing, Provider } from "../../src/tracker/Provider.ts"
import { github } from "../../src/tracker/github/GitHub.ts"

export const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

/** Everything a provider needs, built anew at each use; the token is in the variable TOKEN. */
export const layerNet = (variables: { [name: string]: string | undefined } = { TOKEN: token }) =>
  Gateway.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(Credentials.layer, Breaker.layer({ interval: Effect.succeed(10) }), layerClient)
    ),
    Layer.provide(NodeServices.layer),
    Layer.provide(Layer.succeed(Environment, () => variables)),
    Layer.fresh
  )

export const source = (
  forge: Pick<Interface, "url">,
  more: { readonly [key: string]: Schema.Json } = {}
) => ({
  provider: "github",
  name: "github",
  settings: {
    host: "github.com",
    apiUrl: forge.url,
    auth: { env: "TOKEN" },
    repos: ["acme/app"],
    monitor: { issues: true, pullRequests: true },
    ...more
  }
})

/** A forge with acme/app, alice who owns the token, and a clock that only the test moves. */
export const stage = Effect.gen(function* () {
  const forge = yield* Forge.make()
  yield* forge.setClock({ at: Date.parse("2026-11-30T12:00:00Z") })
  yield* forge.addAccount({ login: "alice" })
  yield* forge.addAccount({ login: "bob" })
  yield* forge.addToken({ token, login: "alice" })
  yield* forge.addRepo({ repo: "acme/app" })
  yield* forge.setRole({ repo: "acme/app", login: "alice", role: "admin" })
  return forge
})

/** Long enough for every row to be beyond doubt. */
export const settle = (forge: Interface) => forge.advanceClock({ millis: 120_000 })

export const provider = (forge: Pick<Interface, "url">, more?: { readonly [key: string]: Schema.Json }) =>
  github.make(source(forge, more))

/** The rows of a listing; an unchanged one has none to show. */
export const rowsOf = (listing: Listing): ReadonlyArray<Row> =>
  listing._tag === "Listed" ? listing.rows : []

export const numbers = (listing: Listing) =>
  rowsOf(listing)
    .map(({ number }) => number)
    .toSorted((a, b) => a - b)

export const validatorsOf = (listing: Listing) => (listing._tag === "Listed" ? listing.validators : [])

/** The row of one item, which is all that names it to its provider. */
export const target = Effect.fnUntraced(function* (provider: Provider, number: number) {
  const row = rowsOf(yield* provider.list("acme/app", [])).find((row) => row.number === number)
  return row ?? (yield* Effect.die(new Error(`#${number} is not listed`)))
})

export const everything = { since: {}, labelling: false }
