/** An answer before it meets the wire, its entity tag included: bodies are drawn once per version of what they show. */
import { createHash } from "node:crypto"
import type {
  ErrorShape,
  FullRepositoryShape,
  IssueCommentShape,
  IssueEventShape,
  IssueShape,
  LabelShape,
  PermissionShape,
  PrivateUser,
  PullShape,
  RateOverviewShape,
  ReactionShape,
  ReviewCommentShape,
  ReviewShape,
  TimelineCommentShape,
  ValidationErrorShape
} from "./Shapes.ts"
import type { Entity } from "./World.ts"

/** Everything that the forge may say. */
export type Reply =
  | ErrorShape
  | ValidationErrorShape
  | PrivateUser
  | FullRepositoryShape
  | PermissionShape
  | IssueShape
  | IssueCommentShape
  | IssueEventShape
  | TimelineCommentShape
  | PullShape
  | ReviewShape
  | ReviewCommentShape
  | LabelShape
  | ReactionShape
  | RateOverviewShape

/** JSON text and what changes exactly when the text does. */
export interface Drawn {
  readonly json: string
  readonly digest: string
}

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** Undefined for an answer without a body. */
  readonly body: Drawn | undefined
  /** Whether a client may keep it and ask whether it changed. */
  readonly tagged: boolean
}

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex")

export const draw = (reply: Reply | ReadonlyArray<LabelShape>): Drawn => {
  const json = JSON.stringify(reply)
  return { json, digest: digestOf(json) }
}

/** The digest of a text that was changed after it was drawn. */
export const redrawn = (json: string): Drawn => ({ json, digest: digestOf(json) })

/** An entity tag of a body for one credential: GitHub's tags differ between those who ask (traps B29). */
export const entityTag = (body: Drawn, credential: string): string =>
  `W/"${digestOf(`${credential}\n${body.digest}`)}"`

/** Drawings by entity, drawn anew when its version or the world's epoch moved. */
export class Drawings {
  readonly #kept = new WeakMap<
    Entity,
    { readonly version: number; readonly epoch: number; readonly drawn: Drawn }
  >()

  of(entity: Entity, epoch: number, reply: () => Reply): Drawn {
    const kept = this.#kept.get(entity)
    if (kept !== undefined && kept.version === entity.version && kept.epoch === epoch) return kept.drawn
    const drawn = draw(reply())
    this.#kept.set(entity, { version: entity.version, epoch, drawn })
    return drawn
  }
}

export const one = (body: Drawn): Answer => ({ status: 200, headers: {}, body, tagged: true })

export const rows = (drawings: ReadonlyArray<Drawn>, headers: Answer["headers"]): Answer => ({
  status: 200,
  headers,
  body: {
    json: `[${drawings.map(({ json }) => json).join(",")}]`,
    digest: digestOf(drawings.map(({ digest }) => digest).join(","))
  },
  tagged: true
})

/** The answer to a write: nobody asks for it again. */
export const done = (
  status: number,
  body: Reply | ReadonlyArray<LabelShape>,
  headers: Answer["headers"] = {}
): Answer => ({
  status,
  headers,
  body: draw(body),
  tagged: false
})

export const empty = (status: number): Answer => ({ status, headers: {}, body: undefined, tagged: false })

const documentation = "https://docs.github.com/rest"

export const refusal = (status: number, message: string, headers: Answer["headers"] = {}): Answer =>
  done(
    status,
    { message, documentation_url: documentation, status: String(status) } satisfies ErrorShape,
    headers
  )

export const notFound = refusal(404, "Not Found")

export const invalid = (field: string, message: string): Answer =>
  done(422, {
    message: "Validation Failed",
    errors: [{ resource: "IssueComment", field, code: "custom", message }],
    documentation_url: documentation
  } satisfies ValidationErrorShape)

export const moved = (location: string, status: 301 | 307): Answer =>
  done(
    status,
    {
      message: status === 301 ? "Moved Permanently" : "Temporary Redirect",
      url: location,
      documentation_url: documentation
    } satisfies ErrorShape,
    { location }
  )
