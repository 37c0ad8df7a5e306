/** A hand-over as tests of sinks want it: whole, plain, and changed where a test cares. */
import { randomBytes, randomUUID } from "node:crypto"
import type { HandOver } from "../../src/domain/HandOver.ts"
import { Ref } from "../../src/domain/Ref.ts"
import type { SessionAt } from "../../src/sink/Sink.ts"

export const handOver = (
  plan: Partial<HandOver["plan"]> = {},
  changes: Partial<HandOver> = {}
): HandOver => ({
  id: randomBytes(16).toString("hex"),
  try: 1,
  attempt: 1,
  kind: "start",
  session: { id: randomUUID(), agent: "default", generation: 1 },
  conversation: randomUUID(),
  opens: true,
  prompt: "hello",
  events: [],
  item: {
    ref: Ref.make("github:github.com/acme/app#12"),
    url: "https://github.com/acme/app/issues/12",
    tracker: "github",
    key: "acme/app#12",
    slug: "acme-app-12-0123456789abcdef",
    repo: "acme/app"
  },
  mark: "<!-- heed:0123 -->",
  plan: {
    sink: "process",
    command: ["true"],
    cwd: "/tmp",
    env: {},
    passEnv: [],
    coalesce: true,
    timeout: 60_000,
    endGrace: 1_000,
    ...plan
  },
  ...changes
})

/** The session of a hand-over, as its sink is asked about it. */
export const sessionOf = (newest: HandOver): SessionAt => ({ id: newest.session.id, newest })
