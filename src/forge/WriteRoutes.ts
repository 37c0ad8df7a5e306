/** What can be written in a repository over the API. */
import * as Schema from "effect/Schema"
import { type Answer, done, empty, invalid, notFound, refusal } from "./Answer.ts"
import { type Ask, mayAtLeast, part } from "./Ask.ts"
import { commentReply, issueReply, reactionReply } from "./ItemReplies.ts"
import * as Moves from "./Moves.ts"
import { commentIn, inlineIn, withItem as withPresent } from "./Lookup.ts"
import { labelReply } from "./RepoReplies.ts"
import type { Item } from "./World.ts"

const longest = 65_536

/** Decodes what was sent, or answers as GitHub does when it makes no sense. */
const sentAs = <A>(
  schema: Schema.Codec<A, unknown>,
  ask: Ask,
  field: string,
  answer: (sent: A) => Answer
): Answer => {
  const sent = Schema.decodeUnknownOption(schema)(ask.sent)
  return sent._tag === "None" ? invalid(field, `${field} is missing or wrong`) : answer(sent.value)
}

/** What was deleted says so to whoever would write to it. */
const withItem = (ask: Ask, answer: (item: Item) => Answer): Answer =>
  ask.repo.gone.get(Number(part(ask, 0)))?._tag === "Deleted"
    ? refusal(410, "This issue was deleted")
    : withPresent(ask, answer)

const forbidden = refusal(403, "Must have admin rights to Repository.")

const CommentBody = Schema.Struct({ body: Schema.String })

const checkedBody = (ask: Ask, answer: (body: string) => Answer): Answer =>
  sentAs(CommentBody, ask, "body", ({ body }) => {
    if (body.trim() === "") return invalid("body", "body can't be blank")
    if (body.length > longest) return invalid("body", `body is too long (maximum is ${longest} characters)`)
    return answer(body)
  })

export const createComment = (ask: Ask): Answer =>
  withItem(ask, (item) => {
    if (item.locked && !mayAtLeast(ask.role, "write")) {
      return refusal(403, "Unable to create comment because issue is locked.")
    }
    return checkedBody(ask, (body) => {
      const { places, world } = ask.stage
      const reply = commentReply(places, item, Moves.comment(world, item, ask.token.account, body))
      return done(201, reply, { location: reply.url })
    })
  })

export const updateComment = (ask: Ask): Answer => {
  const found = commentIn(ask.repo, Number(part(ask, 0)))
  if (found === undefined) return notFound
  if (found.comment.author !== ask.token.account && !mayAtLeast(ask.role, "write")) return forbidden
  return checkedBody(ask, (body) => {
    Moves.editWord(ask.stage.world, found.item, found.comment, body)
    return done(200, commentReply(ask.stage.places, found.item, found.comment))
  })
}

export const removeComment = (ask: Ask): Answer => {
  const found = commentIn(ask.repo, Number(part(ask, 0)))
  if (found === undefined) return notFound
  if (found.comment.author !== ask.token.account && !mayAtLeast(ask.role, "write")) return forbidden
  Moves.deleteWord(ask.stage.world, found.item, found.comment)
  return empty(204)
}

const NewIssue = Schema.Struct({
  title: Schema.String,
  body: Schema.optionalKey(Schema.NullOr(Schema.String)),
  labels: Schema.optionalKey(Schema.Array(Schema.String))
})

export const createIssue = (ask: Ask): Answer =>
  sentAs(NewIssue, ask, "title", ({ title, body, labels }) => {
    const { places, world } = ask.stage
    const item = Moves.open(world, ask.repo, {
      title,
      body: body ?? null,
      author: ask.token.account,
      labels: mayAtLeast(ask.role, "triage") ? (labels ?? []) : [],
      pull: undefined
    })
    const reply = issueReply(places, item)
    return done(201, reply, { location: reply.url })
  })

const IssueChange = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  body: Schema.optionalKey(Schema.NullOr(Schema.String)),
  state: Schema.optionalKey(Schema.Literals(["open", "closed"])),
  state_reason: Schema.optionalKey(Schema.NullOr(Schema.Literals(["completed", "not_planned", "reopened"])))
})

export const updateIssue = (ask: Ask): Answer =>
  withItem(ask, (item) => {
    const by = ask.token.account
    const { places, world } = ask.stage
    if (item.author !== by && !mayAtLeast(ask.role, "triage")) return forbidden
    return sentAs(IssueChange, ask, "state", (change) => {
      if (change.title !== undefined) Moves.retitle(world, item, change.title, by)
      if (change.body !== undefined) Moves.rewrite(world, item, change.body)
      if (change.state === "closed") {
        Moves.close(world, item, by, change.state_reason === "not_planned" ? "not_planned" : "completed")
      }
      if (change.state === "open") {
        if (item.pull?.mergedAt !== undefined) return invalid("state", "state cannot be changed.")
        Moves.reopen(world, item, by)
      }
      return done(200, issueReply(places, item))
    })
  })

/** Octokit sends an object, and GitHub takes a bare array too. */
const NewLabels = Schema.Union([
  Schema.Struct({ labels: Schema.Array(Schema.String) }),
  Schema.Array(Schema.String)
])

const labelsOf = (ask: Ask, item: Item): Answer =>
  done(
    200,
    item.labels.map((label) => labelReply(ask.stage.places, item.repo, label))
  )

export const addLabels = (ask: Ask): Answer =>
  withItem(ask, (item) => {
    if (!mayAtLeast(ask.role, "triage")) return forbidden
    return sentAs(NewLabels, ask, "labels", (sent) => {
      for (const name of "labels" in sent ? sent.labels : sent) {
        Moves.label(ask.stage.world, item, name, ask.token.account)
      }
      return labelsOf(ask, item)
    })
  })

export const removeLabel = (ask: Ask): Answer =>
  withItem(ask, (item) => {
    if (!mayAtLeast(ask.role, "triage")) return forbidden
    return Moves.unlabel(ask.stage.world, item, part(ask, 1), ask.token.account)
      ? labelsOf(ask, item)
      : refusal(404, "Label does not exist")
  })

const NewReaction = Schema.Struct({
  content: Schema.Literals(["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"])
})

/** Reactions are answered and not kept: nothing that heed reads shows them. */
const react = (ask: Ask): Answer =>
  sentAs(NewReaction, ask, "content", ({ content }) => {
    const { places, world } = ask.stage
    return done(
      201,
      reactionReply(places, world.next("reaction"), ask.token.account, content, world.clock.stamp())
    )
  })

export const reactToIssue = (ask: Ask): Answer => withItem(ask, () => react(ask))

export const reactToComment = (ask: Ask): Answer =>
  commentIn(ask.repo, Number(part(ask, 0))) === undefined ? notFound : react(ask)

export const reactToReviewComment = (ask: Ask): Answer =>
  inlineIn(ask.repo, Number(part(ask, 0))) === undefined ? notFound : react(ask)
