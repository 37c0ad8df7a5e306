/** Every operation by its name, and how a name with its JSON becomes one. */
import * as Schema from "effect/Schema"
import * as Items from "./ItemOperations.ts"
import type { Operation } from "./Operation.ts"
import * as Places from "./PlaceOperations.ts"
import * as Server from "./ServerOperations.ts"
import type { Forgery } from "./Wire.ts"
import * as Words from "./WordOperations.ts"
import { ForgeMisuse } from "./World.ts"

const all = { ...Places, ...Items, ...Words, ...Server }

export type Name = keyof typeof all
export type Input<N extends Name> = (typeof all)[N]["input"]["Type"]
export type Output<N extends Name> = (typeof all)[N]["output"]["Type"]

export const operations: { readonly [N in Name]: Operation<Input<N>, Output<N>> } = all

const isName = (name: string): name is Name => Object.hasOwn(operations, name)

/**
 * Does a known operation.
 *
 * @internal
 */
export const run = <N extends Name>(forgery: Forgery, name: N, input: Input<N>): Output<N> =>
  operations[name].run(forgery, input)

const runDecoded = <N extends Name>(forgery: Forgery, name: N, input: unknown): unknown => {
  const operation = operations[name]
  const done = run(forgery, name, Schema.decodeUnknownSync(operation.input)(input))
  return Schema.encodeSync(operation.output)(done)
}

/**
 * Does the operation that a control request names, with the JSON it brought; throws on any mistake in it.
 *
 * @internal
 */
export const perform = (forgery: Forgery, name: string, input: unknown): unknown => {
  if (!isName(name))
    throw new ForgeMisuse(`No operation ${name}. There are: ${Object.keys(operations).join(", ")}.`)
  return runDecoded(forgery, name, input)
}
