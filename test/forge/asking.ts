/** A client that believes nothing: what the forge's tests ask it with. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Forge } from "../../src/forge/Forge.ts"

export interface Got {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface AskOptions {
  readonly token?: string
  readonly etag?: string
  readonly method?: string
  readonly body?: string
}

/** Asks a path or an address; redirects are shown, not followed. */
export const ask = (forge: Forge["Service"], path: string, options: AskOptions = {}) =>
  Effect.promise(async (signal): Promise<Got> => {
    const { token = "alice-token", etag, method = "GET", body } = options
    const response = await fetch(path.startsWith("http") ? path : `${forge.url}${path}`, {
      method,
      redirect: "manual",
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(etag === undefined ? {} : { "if-none-match": etag })
      },
      ...(body === undefined ? {} : { body })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const Numbered = Schema.fromJsonString(Schema.Array(Schema.Struct({ number: Schema.Int })))
const Identified = Schema.fromJsonString(Schema.Array(Schema.Struct({ id: Schema.Int })))

export const numbers = (got: Got) => Schema.decodeUnknownSync(Numbered)(got.text).map(({ number }) => number)
export const ids = (got: Got) => Schema.decodeUnknownSync(Identified)(got.text).map(({ id }) => id)

/** The address of a relation in `Link`. */
export const link = (got: Got, rel: string): string | undefined =>
  new RegExp(`<([^>]+)>; rel="${rel}"`, "u").exec(got.headers.get("link") ?? "")?.[1]

export const etagOf = (got: Got): string => got.headers.get("etag") ?? ""

/** A forge with one repository, its maintainer alice, and bob and a bot who only read. */
export const furnished = Effect.gen(function* () {
  const forge = yield* Forge.make()
  yield* forge.addAccount({ login: "alice" })
  yield* forge.addAccount({ login: "bob" })
  yield* forge.addAccount({ login: "helper[bot]", type: "Bot" })
  yield* forge.addToken({ token: "alice-token", login: "alice" })
  yield* forge.addToken({ token: "alice-second", login: "alice" })
  yield* forge.addToken({ token: "alice-reads", login: "alice", access: "read" })
  yield* forge.addToken({ token: "bob-token", login: "bob" })
  yield* forge.addRepo({ repo: "acme/app" })
  yield* forge.setRole({ repo: "acme/app", login: "alice", role: "maintain" })
  return forge
})
