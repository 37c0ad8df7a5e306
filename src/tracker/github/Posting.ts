/**
 * Posting: a comment of heed's on an item.
 */
import * as Effect from "effect/Effect"
import { wordKey } from "../../domain/Item.ts"
import { SourceError, type Target } from "../Provider.ts"
import { Posted } from "./Answers.ts"
import { decodeAnswer, sourceError } from "./Api.ts"
import type { GitHubContext } from "./Context.ts"
import { streams } from "./Facts.ts"

/** The longest comment that GitHub takes, in characters; counted here in UTF-16 units, which are never fewer. */
export const longestComment = 65_536

const notice = "\n\n… (cut by heed: the comment was longer than GitHub takes)"

/** A text that fits, cut between two code points with a notice; a mark at its end stays whole. */
export const fitting = (text: string, longest = longestComment): string => {
  if (text.length <= longest) return text
  const mark = /\s*<!--(?:(?!-->)[^]){0,500}-->\s*$/u.exec(text)?.[0] ?? ""
  const room = longest - notice.length - mark.length
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(room - 1)) ? room - 1 : room
  return text.slice(0, end) + notice + mark
}

/** Sent at most once: after a lost answer nobody knows whether it stands there. */
export const post = Effect.fnUntraced(function* (context: GitHubContext, target: Target, text: string) {
  const place = `${target.repo}#${target.number}`
  const answer = yield* context.door
    .ask({
      method: "POST",
      path: `/repos/${target.repo}/issues/${target.number}/comments`,
      body: { body: fitting(text) }
    })
    .pipe(
      Effect.mapError((error) => {
        if (error.reason === "Forbidden" && /locked/iu.test(error.said)) {
          return new SourceError({
            reason: "Forbidden",
            message: `The conversation on ${place} is locked, so nothing was posted there. Unlock it to hear from heed.`
          })
        }
        if (error.reason === "Forbidden" || error.reason === "Missing") {
          return sourceError(
            error,
            `The token may not comment on ${place}${error.said === "" ? "" : ` ("${error.said}")`}. It needs write access to issues and pull requests.`
          )
        }
        return sourceError(error)
      })
    )
  const { id } = yield* decodeAnswer(Posted, answer, `a comment on ${place}`)
  return wordKey({ stream: streams.issueComment, id: String(id) })
})
