/**
 * Glance: `heed status` while a daemon runs, with nothing loaded but what finds its socket and prints its answer, so
 * that a look costs little more than starting Node. Whatever is not plainly so is left to the command line.
 */
import { existsSync, readFileSync } from "node:fs"
import { createConnection } from "node:net"
import { dirname, join, resolve } from "node:path"
import { places } from "../config/Places.ts"
import type { Answer, Request, Status } from "../control/Protocol.ts"
import type { Page } from "./Render.ts"
import { status as text } from "./Render.ts"

export interface Looking {
  readonly variables: { readonly [name: string]: string | undefined }
  readonly page: Page
}

interface Line {
  readonly json: boolean
  readonly config: string | undefined
}

/** `status` with its own flags; undefined for any other line. */
const read = (args: ReadonlyArray<string>): Line | undefined => {
  let named = false
  let json = false
  let config: string | undefined
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "status" && !named) named = true
    else if (arg === "--json" && named) json = true
    else if (arg === "--config") config = args[++at] ?? ""
    else if (arg.startsWith("--config=")) config = arg.slice("--config=".length)
    else return undefined
  }
  return named && config !== "" ? { json, config } : undefined
}

const fileOf = (config: string | undefined, { variables }: Looking): string | undefined => {
  const where = places({
    file: config,
    named: variables["HEED_CONFIG"],
    xdg: variables["XDG_CONFIG_HOME"],
    home: variables["HOME"]
  })
  return where._tag === "Asked" ? where.place : where.places.find((place) => existsSync(place))
}

/** More than any configuration holds. */
const longest = 131_072

/** `state.root` as it is written. A text that cannot hold that key at all needs no parser, which is half of a look. */
const rootIn = async (content: string): Promise<string | undefined> => {
  if (!content.includes("state") && !content.includes("\\")) return ".heed"
  const { parseDocument } = await import("yaml")
  const document = parseDocument(content, { logLevel: "silent" })
  if (document.errors.length > 0) return undefined
  const root = document.getIn(["state", "root"]) ?? ".heed"
  return typeof root === "string" && root !== "" ? root : undefined
}

/** The root that a configuration names; undefined where it takes more than a glance to say what is wrong with it. */
const rootOf = async (file: string): Promise<string | undefined> => {
  try {
    const content = readFileSync(file, "utf8")
    if (content.length > longest) return undefined
    const root = await rootIn(content)
    return root === undefined ? undefined : resolve(dirname(file), root)
  } catch {
    // The command line says why it cannot be read.
    return undefined
  }
}

/** How long a daemon may take to tell its state, in milliseconds. */
const patience = 3000

/** Asks the daemon whose socket lies in its root, where only its user puts one. */
const ask = (root: string): Promise<Status | undefined> =>
  new Promise((resolve) => {
    const socket = createConnection(join(root, "heed.sock"))
    const chunks: Array<Buffer> = []
    const leave = (status: Status | undefined) => {
      socket.destroy()
      resolve(status)
    }
    socket.setTimeout(patience, () => leave(undefined))
    socket.on("error", () => leave(undefined))
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("close", () => leave(statusIn(Buffer.concat(chunks).toString("utf8"))))
    socket.write(`${JSON.stringify({ version: 1, request: "status" } satisfies Request)}\n`)
  })

const statusIn = (line: string): Status | undefined => {
  if (!line.endsWith("\n")) return undefined
  try {
    const answer: Answer = JSON.parse(line)
    return answer._tag === "Status" && answer.version === 1 ? answer.status : undefined
  } catch {
    // The command line says what it makes of such an answer.
    return undefined
  }
}

/** What `heed status` prints, if this line asks for it and a daemon answers. */
export const glance = async (args: ReadonlyArray<string>, looking: Looking): Promise<string | undefined> => {
  const line = read(args)
  const file = line === undefined ? undefined : fileOf(line.config, looking)
  const root = file === undefined ? undefined : await rootOf(file)
  const status = root === undefined ? undefined : await ask(root)
  if (status === undefined) return undefined
  return `${line?.json ? JSON.stringify(status, null, 2) : text(looking.page, status)}\n`
}
