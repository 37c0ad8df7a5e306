/**
 * Line: one line of text over a local socket, bounded in length, for both ends of the daemon's socket.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Socket } from "node:net"

export class LineError extends Schema.TaggedError<LineError>()("LineError", {
  /** Closed: the other side went without a whole line. TooLong: it sent more than the limit. */
  reason: Schema.Literals(["Closed", "TooLong"]),
  message: Schema.String
}) {}

const closed = (why: string) => new LineError({ reason: "Closed", message: why })

/** Reads up to the first line break. At most `limit` bytes are ever held. */
export const read = (socket: Socket, limit: number): Effect.Effect<string, LineError> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const onData = (chunk: Buffer) => {
      const end = chunk.indexOf(10)
      const part = end === -1 ? chunk : chunk.subarray(0, end)
      size += part.length
      if (size > limit) {
        done(Effect.fail(new LineError({ reason: "TooLong", message: `a line of more than ${limit} bytes` })))
        return
      }
      chunks.push(part)
      if (end !== -1) done(Effect.succeed(Buffer.concat(chunks).toString("utf8")))
    }
    const onEnd = () => done(Effect.fail(closed("the connection ended before its line did")))
    const onError = (error: Error) => done(Effect.fail(closed(error.message)))
    const off = () => {
      socket.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onError)
      socket.pause()
    }
    const done = (result: Effect.Effect<string, LineError>) => {
      off()
      resume(result)
    }
    socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError)
    socket.resume()
    return Effect.sync(off)
  })

/** Writes a line; returns when the kernel has it. */
export const write = (socket: Socket, text: string): Effect.Effect<void, LineError> =>
  Effect.callback((resume) => {
    socket.write(`${text}\n`, (error) =>
      resume(error === null || error === undefined ? Effect.void : Effect.fail(closed(error.message)))
    )
  })
