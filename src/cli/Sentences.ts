/**
 * Sentences: what a running heed tells people of its events, in words; `heed events` shows the events themselves.
 */
import * as Schema from "effect/Schema"
import { Problem } from "../config/Problem.ts"
import type { LogLine } from "../state/EventLog.ts"
import { oneLine } from "./Text.ts"

const textOf = (line: LogLine, field: string): string => {
  const value = line[field]
  return typeof value === "string" ? oneLine(value) : typeof value === "number" ? String(value) : ""
}

const count = (line: LogLine, field: string): number => {
  const value = line[field]
  return typeof value === "number" ? value : Array.isArray(value) ? value.length : 0
}

const isProblem = Schema.is(Problem)

const listOf = (line: LogLine, field: string): string => {
  const value = line[field]
  return (Array.isArray(value) ? value : [])
    .map((entry) =>
      typeof entry === "string" ? oneLine(entry) : isProblem(entry) ? oneLine(problemText(entry)) : ""
    )
    .join("; ")
}

const problemText = ({ line, message, path }: Problem): string =>
  [...(line === undefined ? [] : [`line ${line}`]), ...(path === "" ? [] : [path]), message].join(": ")

const given = (line: LogLine): string => {
  if (line["kind"] === "start") return "its start"
  const members = Array.isArray(line["members"]) ? line["members"] : []
  const words = members.filter((key) => key !== "resume").length
  if (words < members.length) return words === 0 ? "the word to go on" : "the word to go on, with what is new"
  return words === 1 ? "1 comment" : `${words} comments`
}

/** An event in words; empty when its other events say it all, undefined when there are no words for it. */
export const sentence = (line: LogLine): string | undefined => {
  const agent = textOf(line, "agent")
  const why = textOf(line, "why")
  const key = textOf(line, "key")
  switch (line.event) {
    case "poller.started":
      return `started as process ${textOf(line, "pid")}`
    case "poller.stopped":
      return "stopped"
    case "poll.cycle":
      return line["errors"] === 0
        ? ""
        : `a cycle of ${count(line, "items")} items had ${count(line, "errors")} ${line["errors"] === 1 ? "failure" : "failures"}`
    case "poll.closure_detected":
      return ""
    case "dispatch.queued":
      return `${agent} is to start: ${why}`
    case "poll.comment_forwarded":
      return `${key} goes to ${agent}`
    case "poll.comment_settled":
      return `${key.replace(/@.*$/u, "")} is settled: ${why}`
    case "poll.unauthorized":
      return why
    case "dispatch.started":
      return `${agent} has ${given(line)} and is at work`
    case "dispatch.succeeded":
      return `${agent} is done with ${given(line)}`
    case "session.started":
      return `${agent}'s session has begun`
    case "session.adopted":
      if (line["members"] === undefined) return `${agent}'s session is still open: adopted`
      return `${agent} is still at work on ${given(line)}: adopted`
    case "session.died":
      return line["reason"] === "Lost"
        ? `${agent}'s session was lost: ${why}; it goes on at once`
        : `${agent} has left its session: ${why}`
    case "session.parked":
      return `${agent} is ${why}`
    case "session.resumed":
      return `${agent}'s session is open again`
    case "session.waiting":
      return `${agent} is given nothing yet: ${why}`
    case "dispatch.abandoned":
      return `what waits for ${agent} waits for the next start`
    case "session.ended":
      return `${agent}'s session is over: ${why}`
    case "agent.paused":
      return `${agent} is paused after ${count(line, "failures")} failures in a row on ${count(line, "items")} items; one is tried every 5 minutes: ${why}`
    case "agent.resumed":
      return `${agent} is resumed: ${why}`
    case "control.command":
      return `${textOf(line, "command")}, as ${textOf(line, "by")} said`
    case "control.refused":
      return `${textOf(line, "by")} asked for "${[textOf(line, "command"), textOf(line, "item")].join(" ").trim()}", which is refused: ${why}`
    case "config.reloaded":
      return `the configuration was read again${count(line, "need_restart") === 0 ? "" : `; only a restart changes ${listOf(line, "need_restart")}`}`
    case "config.rejected":
      return `the configuration is rejected, the former one stays in force: ${listOf(line, "problems")}`
    case "dispatch.failed":
      return `${agent} failed with ${given(line)}: ${why}`
    case "poll.comment_failed":
      return `${key} is given up: ${why}; "heed retry" tries again`
    case "poll.spawn_failed":
      return `${agent}'s start is given up: ${why}; "heed retry" tries again`
    case "poll.backoff":
      return `${textOf(line, "scope")} is asked again in ${Math.ceil(count(line, "wait_ms") / 1000)}s`
    case "poll.source_failed":
      return `${textOf(line, "scope")} cannot be asked: ${why}`
    default:
      return undefined
  }
}
