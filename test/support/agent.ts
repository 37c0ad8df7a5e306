/**
 * The tests' agent: a small sh script that writes down what it was given, before anything else. What people wrote can
 * then be held against what arrived. Words are told apart by tokens, `say-1`, that tests put into comments.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** One run of an agent. */
export interface Run {
  /** `acme/app#12`. */
  readonly item: string
  readonly handOver: string
  readonly attempt: number
  /** The tokens in its prompt, in order. */
  readonly words: ReadonlyArray<string>
  readonly pid: number
}

/** `folder/behave`, where a test puts one, says in sh what the agent does after that; it then succeeds. */
const script = (folder: string) => `
words=$(grep -o 'say-[a-z0-9-]*' "$HEED_PROMPT_FILE" | tr '\\n' ' ')
printf '%s %s %s %s %s\\n' "$HEED_WORK_ITEM_KEY" "$HEED_DELIVERY_ID" "$HEED_ATTEMPT" "$$" "$words" >> '${folder}/inbox'
[ ! -e '${folder}/behave' ] || . '${folder}/behave'
`

export const make = (folder: string) => {
  const file = join(folder, "agent.sh")
  const inbox = join(folder, "inbox")
  writeFileSync(file, script(folder))
  const read = (): ReadonlyArray<Run> => {
    if (!existsSync(inbox)) return []
    // A line is there once its end is.
    const lines = readFileSync(inbox, "utf8").split("\n").slice(0, -1)
    return lines.map((line) => {
      const [item = "", handOver = "", attempt = "", pid = "", ...words] = line.trimEnd().split(" ")
      return { item, handOver, attempt: Number(attempt), pid: Number(pid), words }
    })
  }
  return {
    command: ["sh", file],
    runs: read,
    /** Every token that the item's agent was given, in order. */
    words: (item: string) =>
      read()
        .filter((run) => run.item === item)
        .flatMap(({ words }) => words),
    behave: (sh: string) => writeFileSync(join(folder, "behave"), `${sh}\n`),
    /** Waits in sh until `release` is called with the same name. */
    waiting: (name = "go") => `while [ -d '${folder}' ] && ! [ -e '${folder}/${name}' ]; do sleep 0.02; done`,
    release: (name = "go") => writeFileSync(join(folder, name), "")
  }
}
export type Agent = ReturnType<typeof make>
