/**
 * seed: makes the issues of a forge known to a root without a session for each being started: a record is cloned from
 * one that heed wrote, and the listings are vouched for as heed would.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rooms } from "../src/live/Rooms.ts"
import { load } from "../src/config/load.ts"
import type { Row } from "../src/domain/Item.ts"
import type { ItemRecord } from "../src/domain/Record.ts"
import { slug } from "../src/domain/Ref.ts"
import { Breaker } from "../src/net/Breaker.ts"
import { layerClient } from "../src/net/Client.ts"
import { Credentials } from "../src/net/Credentials.ts"
import { Environment } from "../src/net/Environment.ts"
import { Gateway } from "../src/net/Gateway.ts"
import * as RecordFile from "../src/state/RecordFile.ts"
import { Validators } from "../src/state/Validators.ts"
import { Providers } from "../src/tracker/Provider.ts"
import * as Trackers from "../src/tracker/Providers.ts"
import { environment, type Place } from "./rig.ts"

const recordOf = (items: string, name: string): ItemRecord => {
  const record: ItemRecord = JSON.parse(readFileSync(join(items, name), "utf8"))
  return record
}

const clone = (record: ItemRecord, { identity, kind, number, ref, repo }: Row): ItemRecord => ({
  ...record,
  identity,
  kind,
  number,
  ref,
  repo,
  url: `https://127.0.0.1/${repo}/issues/${number}`
})

/** For a root on which one issue of each repository is known: makes all others known too. */
export const seed = ({ folder, root }: Place) =>
  Effect.gen(function* () {
    const { plan } = yield* load(join(folder, "heed.yaml"), rooms)
    const items = join(root, "items")
    const known = new Map(readdirSync(items).map((name) => [name, recordOf(items, name)]))
    const byScope = new Map([...known.values()].map((record) => [record.scope, record]))
    const validators = yield* Validators
    for (const provider of yield* (yield* Providers).forSources(plan.sources))
      for (const scope of provider.scopes) {
        const answer = yield* provider.list(scope, [])
        const model = byScope.get(scope)
        if (answer._tag !== "Listed" || model === undefined) continue
        for (const row of answer.rows) {
          const name = RecordFile.nameOf(slug(row.ref, row.identity))
          if (known.has(name)) continue
          writeFileSync(join(items, name), RecordFile.write(clone(model, row), undefined).text, {
            mode: 0o600
          })
        }
        yield* validators.set(`${provider.source}/${scope}`, {
          pages: answer.validators,
          rows: Object.fromEntries(answer.rows.map((row) => [row.identity, row.fingerprint]))
        })
      }
    yield* validators.flush
  }).pipe(
    Effect.provide(
      Layer.merge(
        Validators.layer({ root }),
        Trackers.layer.pipe(
          Layer.provide(Gateway.layer),
          Layer.provide(Layer.mergeAll(layerClient, Credentials.layer, Breaker.layer())),
          Layer.provide(Layer.succeed(Environment, () => environment))
        )
      ).pipe(Layer.provideMerge(NodeServices.layer))
    )
  )
