/**
 * The names of a work item: what people write, what the tracker never changes, and what a file may be called.
 */
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

/**
 * Canonical name of a work item, `github:github.com/acme/app#12`: lower-cased where its tracker ignores case.
 * A rename changes it; `Identity` stays.
 */
export const Ref = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[a-z][a-z0-9]*:[^\s]+$/u, { expected: "a ref like tracker:host/acme/app#12" })
  ),
  Schema.brand("Ref")
)
export type Ref = typeof Ref.Type

/**
 * What a tracker never changes about an item, as one text. The ledger and every delivery id
 * hang on it, so that a renamed repository or a moved key is the same item.
 */
export const Identity = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[a-z][a-z0-9]*:[^\s]+$/u)),
  Schema.brand("Identity")
)
export type Identity = typeof Identity.Type

/** As JSON, since UTF-8 alone would make one of any two lone surrogates. */
const hex = (text: string) => createHash("sha256").update(JSON.stringify(text), "utf8").digest("hex")

/** The part of a slug that is the item's alone, whatever it is called: 16 hex digits. */
export const identityHash = (identity: string): string => hex(identity).slice(0, 16)

/**
 * A file name for an item, fixed at its birth: a readable part of `[a-z0-9-]` for people and a hash of the whole
 * identity for uniqueness. It can name nothing outside its folder and is the same on case-folding file systems.
 */
export const slug = (ref: Ref, identity: Identity): string => {
  const readable = ref
    .slice(ref.indexOf(":") + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(-48)
    .replaceAll(/^-+|-+$/gu, "")
  return `${readable === "" ? "item" : readable}-${identityHash(identity)}`
}
