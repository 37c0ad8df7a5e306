/**
 * The demo's agent: a small program as a user might write one. It reads what heed gives it, takes a while, answers on
 * the item under heed's account, and ends its comment with the mark, so that heed knows it for the agent's own.
 */

/** The program's text, run by the Node that runs heed. `DEMO_WORK` is how long it takes, in milliseconds. */
export const agentProgram = `import { appendFileSync, readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"

const { env } = process
const events = JSON.parse(readFileSync(env.HEED_EVENT_FILE, "utf8"))
const words = events.flatMap(({ transition }) => transition.comment?.body ?? [])
const say = (line) => appendFileSync(env.DEMO_INBOX, JSON.stringify(line) + "\\n")

say({ run: env.HEED_DELIVERY_ID, began: true, words, prompt: readFileSync(env.HEED_PROMPT_FILE, "utf8") })
await setTimeout(Number(env.DEMO_WORK))
const [repo, number] = env.HEED_WORK_ITEM_KEY.split("#")
const answer = words.length === 0 ? "I am on it." : "Done: " + words.join("; ")
const { status } = await fetch(env.DEMO_FORGE + "/repos/" + repo + "/issues/" + number + "/comments", {
  method: "POST",
  headers: { authorization: "Bearer " + env.DEMO_TOKEN },
  body: JSON.stringify({ body: answer + "\\n\\n" + env.HEED_MARK })
})
say({ run: env.HEED_DELIVERY_ID, ended: true, status })
`
