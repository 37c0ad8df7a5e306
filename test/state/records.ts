/** Records to store: complete, and small enough to read. */
import { ItemRecord } from "../../src/domain/Record.ts"
import { Identity, Ref } from "../../src/domain/Ref.ts"

export const at = "2026-11-30T12:00:00.000Z"

export const identityOf = (number: number): Identity => Identity.make(`github:github.com/R_1/I_${number}`)

export const record = (number: number, change: Partial<ItemRecord> = {}): ItemRecord =>
  ItemRecord.make({
    version: 1,
    identity: identityOf(number),
    ref: Ref.make(`github:github.com/acme/app#${number}`),
    source: "github",
    scope: "acme/app",
    tracker: "github",
    space: "github github.com 1",
    kind: "work_item",
    number,
    url: `https://github.com/acme/app/issues/${number}`,
    repo: "acme/app",
    title: `Item ${number}`,
    state: "open",
    labels: ["agent"],
    listed: true,
    read: {},
    sessions: {},
    waiting: [],
    seen: {},
    gaveUp: [],
    notices: [],
    handed: [],
    ...change
  })

export const session = (id: string) =>
  ({
    id,
    generation: 1,
    state: "live",
    since: at,
    why: "its start was confirmed",
    plan: {
      sink: "process",
      command: ["agent"],
      cwd: "/work",
      env: {},
      passEnv: [],
      coalesce: true,
      timeout: 1000,
      endGrace: 1000
    },
    tries: 1
  }) as const
