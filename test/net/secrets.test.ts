/** What is taken out of texts that heed keeps, and what stays. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { looksSecret, Secrets } from "../../src/net/Secrets.ts"

describe("secrets", () => {
  it.effect("that are in use are taken out, whatever their shape, but for the shortest", () =>
    Effect.gen(function* () {
      const secrets = yield* Secrets
      secrets.learn("an-odd-token-of-mine")
      secrets.learn("tok")
      assert.strictEqual(
        secrets.redact("fatal: an-odd-token-of-mine is not a tok"),
        "fatal: [secret] is not a tok"
      )
    })
  )

  it.effect("of known shapes are taken out, also from addresses", () =>
    Effect.gen(function* () {
      const { redact } = yield* Secrets
      const token = `ghp_${"a1B2".repeat(9)}`
      assert.strictEqual(redact(`x ${token}, y`), "x [secret], y")
      assert.strictEqual(redact("https://me:pass@host/a.git"), "https://[secret]@host/a.git")
      assert.strictEqual(redact(`{"why":"${token}"}`), '{"why":"[secret]"}')
      assert.isTrue(looksSecret(token))
    })
  )

  it.effect("nothing else is touched", () =>
    Effect.gen(function* () {
      const { redact } = yield* Secrets
      const text = "see https://host:8080/a?b@c, alice@example.org, aghp_0123456789abcdef0123 and ghp_short"
      assert.strictEqual(redact(text), text)
    })
  )
})
