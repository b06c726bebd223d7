// Small pieces of JSON Schema that the descriptions of the surfaces are made of.

import type { JsonObject } from '../domain/json-object.ts'

export const text = { type: 'string' }

export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** For a schema of one type; an enumeration gains null as a value. */
export function nullable(schema: JsonObject): JsonObject {
  const values = schema['enum']
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  }
}
