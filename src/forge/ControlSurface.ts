/** The controls over HTTP, under `/_forge/`: for a test or a benchmark that runs the forge in a process of its own. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { perform } from "./Operations.ts"
import { type Forgery, readBody } from "./Wire.ts"

export const controlPrefix = "/_forge/"

/** How long a wait for a change of the log is kept open; the one who asks asks again. */
const longestWait = 20_000

const reply = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}

const changed = ({ meter }: Forgery, seen: number, response: ServerResponse) =>
  new Promise<void>((resolve) => {
    if (meter.changes !== seen) return resolve()
    const timer = setTimeout(end, longestWait)
    const unwatch = meter.watch(end)
    response.on("close", end)
    function end() {
      clearTimeout(timer)
      unwatch()
      resolve()
    }
  })

/** `POST /_forge/<operation>` with its input as JSON; `GET /_forge/changes?seen=N` waits for the log to change. */
export const control = async (
  forgery: Forgery,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const address = new URL(request.url ?? "/", "http://127.0.0.1")
  const name = address.pathname.slice(controlPrefix.length)
  const body = await readBody(request)
  if (name === "changes") {
    await changed(forgery, Number(address.searchParams.get("seen") ?? "-1"), response)
    return reply(response, 200, { changes: forgery.meter.changes })
  }
  try {
    const input: unknown = body === "" ? {} : JSON.parse(body)
    reply(response, 200, perform(forgery, name, input))
  } catch (mistake) {
    reply(response, 400, { message: mistake instanceof Error ? mistake.message : String(mistake) })
  }
}
