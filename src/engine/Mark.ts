/**
 * Marks: how heed knows its own words again. A mark is keyed and bound to its item, so that a copied one proves
 * nothing: it counts only under the account that heed speaks as (traps B19, B20).
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { Identity } from "../domain/Ref.ts"

/** Where marks stand in a text. A label is `[a-z0-9-]`, a seal 32 hex digits. */
const pattern = /<!-- heed:([a-z0-9-]{1,64}):([0-9a-f]{32}) -->/gu

const seal = (key: string, identity: Identity, label: string): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([identity, label]), "utf8")
    .digest("hex")
    .slice(0, 32)

/** The mark that heed or the agent of a session puts under its comments: invisible where Markdown is rendered. */
export const mark = (key: string, identity: Identity, label: string): string =>
  `<!-- heed:${label}:${seal(key, identity, label)} -->`

/** The labels of the valid marks in a body. */
export const marksIn = (key: string, identity: Identity, body: string): ReadonlyArray<string> =>
  [...body.matchAll(pattern)].flatMap(([, label = "", given = ""]) =>
    timingSafeEqual(Buffer.from(given), Buffer.from(seal(key, identity, label))) ? [label] : []
  )
