// What every OpenAPI document must keep, as pure functions: each returns what breaks it, one line a fault.
import type { OpenApiDocument, Operation } from '../../src/http/openapi-types.ts'

export interface ListedOperation {
  path: string
  method: string
  operation: Operation
}

export function listOperations({ paths }: OpenApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

export function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = '$ref' in value ? [String(value.$ref)] : []
  return [...own, ...Object.values(value).flatMap(referencesIn)]
}

export function deadReferences(document: OpenApiDocument): string[] {
  return [...new Set(referencesIn(document))].filter(reference => {
    const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : ['']
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
    return typeof found !== 'object'
  })
}

/** Each placeholder of a path is a required parameter, in its order; no parameter is there twice or without a type. */
export function wrongParameters(document: OpenApiDocument): string[] {
  return listOperations(document).flatMap(({ path, method, operation }) => {
    const { parameters } = operation
    const inPath = parameters.filter(parameter => parameter.in === 'path')
    const names = parameters.map(parameter => `${parameter.in} ${parameter.name.toLowerCase()}`)
    const isComplete = inPath.map(({ name }) => `{${name}}`).join() === (path.match(/\{\w+\}/g) ?? []).join()
    const isSound =
      isComplete &&
      inPath.every(({ required }) => required) &&
      new Set(names).size === names.length &&
      parameters.every(({ schema }) => schema['type'] !== undefined)
    return isSound ? [] : [`${method} ${path}`]
  })
}

/** Ids of operations and tags occur once; what operations name is declared. */
export function wrongNames(document: OpenApiDocument): string[] {
  const operations = listOperations(document).map(({ operation }) => operation)
  const tags = document.tags.map(({ name }) => name)
  const schemes = Object.keys(document.components.securitySchemes)
  const repeated = [operations.map(({ operationId }) => operationId), tags].flatMap(names =>
    names.filter((name, index) => names.indexOf(name) !== index),
  )
  const unknownTags = operations.flatMap(operation => operation.tags).filter(tag => !tags.includes(tag))
  const used = operations.flatMap(({ security }) => (security ?? []).flatMap(scheme => Object.keys(scheme)))
  return [...repeated, ...unknownTags, ...used.filter(scheme => !schemes.includes(scheme))]
}
