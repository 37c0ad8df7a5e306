/**
 * JsonSchema: the shapes that others check against, for editors and for programs that read heed's events.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import { NormalizedEvent } from "../domain/Event.ts"
import type { Kinds } from "./Kinds.ts"
import { fileSchema } from "./Schema.ts"

/** A JSON Schema of draft 7, which editors know best, as one JSON value. */
const document = (schema: Schema.Constraint, title: string): Schema.JsonObject => {
  const { definitions, schema: root } = JsonSchema.toDocumentDraft07(
    Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  )
  return asObject({
    $schema: JsonSchema.META_SCHEMA_URI_DRAFT_07,
    title,
    ...root,
    ...(Object.keys(definitions).length === 0 ? {} : { definitions })
  })
}

const asObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))

/** What `heed config schema` prints: the keys of a configuration file, with descriptions and defaults. */
export const fileJsonSchema = (kinds: Kinds): Schema.JsonObject =>
  document(fileSchema(kinds), "heed configuration")

/** What `heed config schema --event` prints: a NormalizedEvent. */
export const eventJsonSchema = (): Schema.JsonObject =>
  document(NormalizedEvent, "heed NormalizedEvent, version 1")
