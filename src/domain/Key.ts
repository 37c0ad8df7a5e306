/**
 * Key: how a key of the configuration is declared, wherever its room is: with a description and, where there is one, a
 * default, which the JSON Schema, the reference and `heed config show` all take from here.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A key that may be left out, with its default as a file would write it. */
export const withDefault = <T, E>(schema: Schema.Codec<T, E>, fallback: NoInfer<E>, description: string) =>
  schema.pipe(
    Schema.annotateEncoded({ description, default: fallback }),
    Schema.withDecodingDefaultKey(Effect.succeed(fallback))
  )

/** A key that must be there. */
export const required = <T, E>(schema: Schema.Codec<T, E>, description: string) =>
  schema.pipe(Schema.annotateEncoded({ description }))

/** A key that may be left out and has no default. */
export const optional = <T, E>(schema: Schema.Codec<T, E>, description: string) =>
  Schema.optionalKey(required(schema, description))

/** A whole number from `least` on. */
export const atLeast = (least: number) =>
  Schema.Int.pipe(
    Schema.annotate({ expected: `a whole number, at least ${least}` }),
    Schema.check(Schema.isGreaterThanOrEqualTo(least, { expected: `a whole number, at least ${least}` }))
  )
