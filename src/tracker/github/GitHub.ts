/**
 * GitHub: the provider that speaks github.com and GitHub Enterprise Server.
 */
import * as Effect from "effect/Effect"
import type { AskError } from "../../net/AskError.ts"
import { Gateway } from "../../net/Gateway.ts"
import type { Provider, SourcePlan } from "../Provider.ts"
import { Account } from "./Answers.ts"
import { decodeAnswer, headers, sourceError } from "./Api.ts"
import { check, type Sightings } from "./Checking.ts"
import type { GitHubContext } from "./Context.ts"
import { principal } from "./Facts.ts"
import { covers, list } from "./Listing.ts"
import { resolve } from "./Names.ts"
import { observe } from "./Observing.ts"
import { post } from "./Posting.ts"
import { apiUrl, decodeSettings, kind } from "./Settings.ts"

/** An app's token has no account of its own to ask about (traps B20). */
const noAccount = ({ reason }: AskError) => reason === "Forbidden" || reason === "Missing"

const make = Effect.fn("GitHub.make")(function* (plan: SourcePlan) {
  const gateway = yield* Gateway
  // Settings in a plan were validated against the schema above; others are a programming error.
  const settings = yield* Effect.orDie(Effect.fromOption(decodeSettings(plan.settings)))
  const base = apiUrl(settings)
  const door = gateway.open({ auth: settings.auth, host: settings.host, base, scheme: "Bearer", headers })
  const context: GitHubContext = { source: plan.name, settings, door, pins: new Map() }
  const sightings: Sightings = new Map()
  const self = Effect.gen(function* () {
    const answer = yield* door.ask({ method: "GET", path: "/user" }).pipe(
      Effect.catchIf(noAccount, () => Effect.succeed(undefined)),
      Effect.mapError((error) => sourceError(error))
    )
    if (answer === undefined) return undefined
    return principal((yield* decodeAnswer(Account, answer, "the token's account")).login)
  })
  return {
    source: plan.name,
    tracker: "github",
    scopes: settings.repos,
    host: `${base} ${JSON.stringify(settings.auth)}`,
    ready: door.fingerprint.pipe(
      Effect.asVoid,
      Effect.mapError((error) => sourceError(error))
    ),
    list: Effect.fn("GitHub.list")((scope, validators) => list(context, scope, validators)),
    covers: covers(context),
    observe: Effect.fn("GitHub.observe")((target, look) => observe(context, target, look)),
    check: Effect.fn("GitHub.check")((target, validator) => check(context, target, validator, sightings)),
    post: Effect.fn("GitHub.post")((target, text) => post(context, target, text)),
    self,
    principal,
    resolve: (text) => resolve(settings, text),
    usage: door.usage
  } satisfies Provider
})

/** The line in `Trackers`. */
export const github = { kind, make }
