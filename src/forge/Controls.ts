/** The controls of a forge, the same for one in this process and for one in another. */
import type * as Effect from "effect/Effect"
import type { Input, Name, Output } from "./Operations.ts"

type Call = <N extends Name>(name: N) => (input: Input<N>) => Effect.Effect<Output<N>>

/**
 * What can be done to a forge. Items are named by `repo` (`acme/app`) and `number`; whoever does it is `by`, a login,
 * and the repository's owner when absent. What the state refuses (an unknown repository, a merge of an issue) is a
 * defect: it is a mistake in the test.
 */
export type Controls = { readonly [N in Name]: (input: Input<N>) => Effect.Effect<Output<N>> }

export const controls = (call: Call): Controls => ({
  addAccount: call("addAccount"),
  addToken: call("addToken"),
  revokeToken: call("revokeToken"),
  deleteAccount: call("deleteAccount"),
  addRepo: call("addRepo"),
  setRole: call("setRole"),
  setIssuesEnabled: call("setIssuesEnabled"),
  renameRepo: call("renameRepo"),
  deleteRepo: call("deleteRepo"),
  freezeListing: call("freezeListing"),
  openIssue: call("openIssue"),
  openPull: call("openPull"),
  close: call("close"),
  reopen: call("reopen"),
  merge: call("merge"),
  deleteIssue: call("deleteIssue"),
  convertToDiscussion: call("convertToDiscussion"),
  lock: call("lock"),
  unlock: call("unlock"),
  label: call("label"),
  unlabel: call("unlabel"),
  edit: call("edit"),
  push: call("push"),
  touch: call("touch"),
  transferIssue: call("transferIssue"),
  hideItem: call("hideItem"),
  comment: call("comment"),
  review: call("review"),
  submitReview: call("submitReview"),
  inlineComment: call("inlineComment"),
  editComment: call("editComment"),
  deleteComment: call("deleteComment"),
  hideComment: call("hideComment"),
  comments: call("comments"),
  setClock: call("setClock"),
  advanceClock: call("advanceClock"),
  configure: call("configure"),
  fault: call("fault"),
  liftFault: call("liftFault"),
  setRate: call("setRate"),
  log: call("log"),
  usage: call("usage"),
  resetLog: call("resetLog")
})
