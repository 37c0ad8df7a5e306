import { assert, describe, it } from "@effect/vitest"
import { means } from "../../src/engine/Naming.ts"
import { Ref } from "../../src/domain/Ref.ts"

describe("Naming", () => {
  const ref = Ref.make("github:github.com/acme/app#12")

  it.each([
    ["github:github.com/acme/app#12", true],
    ["github.com/acme/app#12", true],
    ["acme/app#12", true],
    [" Acme/App#12 ", true],
    ["acme/app#1", false],
    ["app#12", false],
    ["#12", false],
    ["", false],
    ["github:", false]
  ])("%j means it: %s", (text, expected) => assert.strictEqual(means(text, ref), expected))

  it("a nested group is named whole", () => {
    const nested = Ref.make("gitlab:gitlab.com/group/sub/app!7")
    assert.isTrue(means("group/sub/app!7", nested))
    assert.isFalse(means("sub/app!7", nested))
  })
})
