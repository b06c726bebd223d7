// The requests of the property: for every route that takes a body, one for each array, map and text that its schema
// names. Made from the OpenAPI documents, so that a new field is among them.

import type { JsonObject } from '../../../src/domain/json-object.ts'
import { type Growing, SchemaWalk } from './grow-schema.ts'

export interface RequestShape extends Growing {
  method: string
  /** As a template. */
  path: string
}

type Document = { paths: Record<string, Record<string, JsonObject>> }

export function shapesOf(document: JsonObject): RequestShape[] {
  const walk = new SchemaWalk(document)
  const shapes: RequestShape[] = []
  for (const [path, methods] of Object.entries((document as unknown as Document).paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const body = operation['requestBody'] as { content?: Record<string, { schema?: JsonObject }> } | undefined
      const schema = body?.content?.['application/json']?.schema
      if (schema === undefined) continue
      const places = new Set<string>()
      for (const growing of walk.grow(schema)) {
        if (places.has(growing.place)) continue
        places.add(growing.place)
        shapes.push({ method: method.toUpperCase(), path, ...growing })
      }
    }
  }
  return shapes
}
