/** Every provider keeps the provider's contract. */
import * as Effect from "effect/Effect"
import { Gateway } from "../../src/net/Gateway.ts"
import * as Memory from "../../src/tracker/Memory.ts"
import { providerContract } from "./contract.ts"
import { layerNet, provider, settle, stage } from "./onForge.ts"

const repo = "acme/app"
const label = "agent"

const idOf = (key: string) => Number(key.split("/")[1])

providerContract("GitHub, on the forge", (test) =>
  Effect.gen(function* () {
    const forge = yield* stage
    yield* forge.addAccount({ login: "heed" })
    const at = (number: number) => ({ repo, number })
    yield* test({
      provider: yield* provider(forge),
      restarted: provider(forge).pipe(Effect.provideService(Gateway, yield* Gateway)),
      scope: repo,
      label,
      open: (kind, author) => {
        const made = { repo, title: "x", author, labels: [label] }
        return Effect.map(
          kind === "work_item" ? forge.openIssue(made) : forge.openPull(made),
          ({ number }) => number
        )
      },
      say: (number, by, body) => forge.comment({ ...at(number), by, body }),
      edit: (number, key, body) => forge.editComment({ ...at(number), id: idOf(key), body }),
      unsay: (number, key) => forge.deleteComment({ ...at(number), id: idOf(key) }),
      unlabel: (number) => forge.unlabel({ ...at(number), label }),
      relabel: (number, by) => forge.label({ ...at(number), label, by }),
      close: (number) => forge.close(at(number)),
      reopen: (number) => forge.reopen(at(number)),
      merge: (number) => forge.merge(at(number)),
      remove: (number) => forge.deleteIssue(at(number)),
      settle: settle(forge),
      breakDown: forge.fault({ match: {}, failure: { kind: "status", status: 401 } })
    })
  }).pipe(Effect.scoped, Effect.provide(layerNet()))
)

providerContract("memory", (test) =>
  Effect.gen(function* () {
    const { provider, hands } = yield* Memory.make({ repos: [repo], label })
    const at = (number: number) => ({ repo, number })
    yield* test({
      provider,
      restarted: Effect.succeed(provider),
      scope: repo,
      label,
      open: (kind, author) => hands.open({ kind, author }),
      say: (number, by, body) => hands.comment(at(number), { by, body }),
      edit: (number, key, body) => hands.editComment(at(number), key.split("/")[1] ?? "", body),
      unsay: (number, key) => hands.deleteComment(at(number), key.split("/")[1] ?? ""),
      unlabel: (number) => hands.unlabel(at(number), label),
      relabel: (number, by) => hands.label(at(number), label, by),
      close: (number) => hands.setState(at(number), "closed"),
      reopen: (number) => hands.setState(at(number), "open"),
      merge: (number) => hands.setState(at(number), "merged"),
      remove: (number) => hands.remove(at(number), "deleted"),
      settle: Effect.sleep("5 millis"),
      breakDown: hands.fail("Unauthorized")
    })
  }).pipe(Effect.scoped)
)
