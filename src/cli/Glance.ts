/**
 * Glance: `heed status` while a daemon runs, without loading the command line: people look often, and the daemon that
 * answers knows its configuration itself. Only where its socket lies is read from the file. Whatever is not plain here
 * (other arguments, no answer, another version) is left to the command line, which says why.
 *
 * This is written without Effect, whose loading alone would cost more than the glance may (bench/).
 */
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { places } from "../config/Places.ts"
import type { Answer, Request, Status } from "../control/Protocol.ts"
import * as Render from "./Render.ts"
import { columnsOf } from "./Width.ts"

interface Glance {
  readonly json: boolean
  readonly file: string | undefined
}

/** `status`, `--json` and `--config FILE`, and nothing else. */
const argumentsOf = ([command, ...rest]: ReadonlyArray<string>): Glance | undefined => {
  if (command !== "status") return undefined
  let json = false
  let file: string | undefined
  for (let at = 0; at < rest.length; at++) {
    const argument = rest[at] ?? ""
    if (argument === "--json") json = true
    else if (argument.startsWith("--config=")) file = argument.slice(9)
    else if (argument === "--config" && at + 1 < rest.length) file = rest[(at += 1)]
    else return undefined
  }
  return { json, file: file === "" ? undefined : file }
}

/** As the configuration's own search goes. */
const find = (file: string | undefined): string | undefined => {
  const { HEED_CONFIG: named, XDG_CONFIG_HOME: xdg } = process.env
  const where = places({ from: process.cwd(), file, named, xdg, home: homedir() })
  return where._tag === "Asked" ? where.place : where.places.find((place) => existsSync(place))
}

/**
 * `state.root` of a file that says nothing of it, or says it once and plainly in two lines. Anything else is left to
 * the loader: parsing YAML takes longer than the glance may.
 */
export const rootOf = (text: string): string | undefined => {
  if (text.includes("\\")) return undefined
  if (!text.includes("root")) return ".heed"
  const [, root] =
    /^state:[ \t]*\r?\n(?:[ \t]+[^\n]*\n)*?[ \t]+root:[ \t]+([\w./-]+)[ \t]*\r?$/mu.exec(text) ?? []
  return text.split("root").length === 2 ? root : undefined
}

const statusOf = async (socket: string): Promise<Status | undefined> => {
  const { createConnection } = await import("node:net")
  const request: Request = { version: 1, request: "status" }
  const text = await new Promise<string>((done, failed) => {
    let heard = ""
    const connection = createConnection(socket, () => connection.write(`${JSON.stringify(request)}\n`))
    connection.setEncoding("utf8").setTimeout(3000, () => connection.destroy(new Error("no answer")))
    connection.on("data", (chunk) => {
      heard += String(chunk)
    })
    connection.on("end", () => done(heard)).on("error", failed)
  })
  const answer: Answer = JSON.parse(text)
  return answer._tag === "Status" && answer.version === 1 && answer.status.version === 1
    ? answer.status
    : undefined
}

/** What to print; undefined when the command line is to answer. */
export const glance = async (args: ReadonlyArray<string>): Promise<string | undefined> => {
  try {
    const asked = argumentsOf(args)
    const file = asked === undefined ? undefined : find(asked.file)
    if (asked === undefined || file === undefined) return undefined
    const root = rootOf(readFileSync(file, "utf8"))
    const socket = root === undefined ? "" : join(resolve(dirname(file), root), "heed.sock")
    if (!existsSync(socket) || Buffer.byteLength(socket) > 100) return undefined
    const status = await statusOf(socket)
    if (status === undefined) return undefined
    if (asked.json) return JSON.stringify(status, null, 2)
    const { FORCE_COLOR, NO_COLOR = "", TERM } = process.env
    if (FORCE_COLOR !== undefined) return undefined
    const { isTTY } = process.stdout
    return Render.status(
      {
        columns: columnsOf(process.stdout),
        colour: isTTY && NO_COLOR === "" && TERM !== "dumb",
        now: Date.now()
      },
      status
    )
  } catch {
    // Whatever went wrong here, the command line meets it again and says it.
    return undefined
  }
}
