// The operations of both APIs, each once: aliases are listed with the route that they stand for, and routes that both
// documents have are taken from the first.
import type { ApiDocuments, OpenApiDocument, Operation } from '../../http/openapi-types.ts'

export interface Listed {
  document: OpenApiDocument
  method: string
  path: string
  operation: Operation
  aliases: string[]
}

export function listOperations(documents: ApiDocuments): Listed[] {
  const management = documents.management()
  const dataPlane = documents.dataPlane()
  const known = new Set(Object.keys(management.paths))
  return [...listOf(management), ...listOf(dataPlane).filter(({ path }) => !known.has(path))]
}

function listOf(document: OpenApiDocument): Listed[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ document, method, path, operation })),
  )
  return all
    .filter(({ operation }) => operation['x-alias-of'] === undefined)
    .map(entry => {
      const isAlias = (other: (typeof all)[number]) =>
        other.method === entry.method && other.operation['x-alias-of'] === entry.path
      return { ...entry, aliases: all.filter(isAlias).map(({ path }) => path) }
    })
}
