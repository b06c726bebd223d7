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

/** A prompt of the project that a request names. */
export const promptReference: JsonObject = {
  type: ['object', 'null'],
  description: 'A prompt of the project, whose messages precede those of the request',
  required: ['id'],
  properties: {
    id: { ...text, minLength: 1, description: 'The name of the prompt' },
    version: {
      anyOf: [
        { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
        { type: 'string', pattern: '^[1-9][0-9]{0,9}$' },
        { type: 'null' },
      ],
      description: 'The number of a deployment; absent: the prompt that is live',
    },
    variables: { type: ['object', 'null'], description: 'Texts and numbers by the names of the variables' },
  },
  additionalProperties: false,
}

/** A request that names a prompt at `path` may have none of the fields that others require. */
export function requiredUnlessNamed(required: readonly string[], [name = '', ...inner]: readonly string[]): JsonObject {
  const named = (at: string, [next, ...others]: readonly string[]): JsonObject => ({
    required: [at],
    properties: { [at]: { type: 'object', ...(next === undefined ? {} : named(next, others)) } },
  })
  return { anyOf: [{ required }, named(name, inner)] }
}
