// Adapts a JSON Schema to what Anthropic accepts: any schema with an object as its root for tool arguments, only a
// small part of JSON Schema for structured output. What the schema cannot express there goes into the descriptions or
// is dropped.

import type { JsonText } from '../../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'

/** For a tool. The root becomes one object, regardless of the root of the client's schema. */
export function argumentsSchema(given: JsonText | undefined): JsonText | JsonObject {
  if (given === undefined) return { type: 'object', properties: {} }
  const schema = given.value
  if (schema['type'] === 'object' && !rootWords.some(word => schema[word] !== undefined)) return given
  const root = rootTarget(schema)
  const { anyOf, oneOf, allOf, ...rest } = root
  const variants = [anyOf, oneOf, allOf].flatMap(list => (Array.isArray(list) ? list.filter(isJsonObject) : []))
  if (variants.length === 0) return { ...rest, type: 'object' }
  // Many variants may refer to one schema, which is then read once.
  const valuesOf = (word: string) => new Set(variants.map(variant => wordOf(variant, word, schema)))
  const properties = { ...objectIn(rest['properties']) }
  for (const more of valuesOf('properties')) Object.assign(properties, objectIn(more))
  // A property that only some branches require is not required.
  const needed = [rest['required'], ...(Array.isArray(allOf) ? valuesOf('required') : [])]
  const required = [...new Set(needed.flatMap(listIn))]
  return { ...rest, type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

/** With none of these, a root is one object already. */
const rootWords = ['$ref', 'anyOf', 'oneOf', 'allOf']

/** Follows a root that only refers to another place of the same schema. */
function rootTarget(schema: JsonObject): JsonObject {
  const target = resolve(schema, schema)
  if (target === null) return schema
  const { $ref: _, ...rest } = schema
  return { ...rest, ...target }
}

/** The value of a keyword in a schema or in the one it refers to. */
function wordOf(schema: JsonObject, word: string, root: JsonObject): unknown {
  return resolve(schema, root)?.[word] ?? schema[word]
}

function resolve({ $ref }: JsonObject, root: JsonObject): JsonObject | null {
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return null
  let target: unknown = root
  for (const step of $ref.slice(2).split('/')) target = isJsonObject(target) ? target[step] : undefined
  return isJsonObject(target) ? target : null
}

const annotations = new Set(['title', 'description', 'default', 'examples', 'enum', 'const', 'type'])
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])
/** Bounds that only go into the description, because nothing enforces them. */
const bounds = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'format',
])
const ignored = new Set(['$schema', '$id', '$comment', 'strict', 'readOnly', 'writeOnly', 'deprecated'])

/** For structured output. Null if the schema would lose its meaning. */
export function bindingSchema(schema: JsonObject): JsonObject | null {
  if (schema['type'] !== 'object' || isRecursive(schema)) return null
  try {
    return bind(schema, 0)
  } catch (error) {
    if (error instanceof UnboundSchemaError) return null
    throw error
  }
}

class UnboundSchemaError extends Error {
  override readonly name = 'UnboundSchemaError'
}

function bind(schema: unknown, depth: number): JsonObject {
  if (!isJsonObject(schema) || depth > maxDepth) throw new UnboundSchemaError()
  const bound: JsonObject = {}
  const bounded: string[] = []
  for (const [word, value] of Object.entries(schema)) {
    if (annotations.has(word)) bound[word] = value
    else if (word === 'format' && formats.has(String(value))) bound[word] = value
    else if (bounds.has(word)) bounded.push(`${word}: ${JSON.stringify(value)}`)
    else if (!ignored.has(word)) bindWord(word, value, bound, depth + 1)
  }
  if (bounded.length > 0)
    bound['description'] = [bound['description'] ?? [], `{${bounded.join(', ')}}`].flat().join('\n')
  if (!isObjectSchema(schema)) return bound
  // Without named properties the schema allowed any object; closed, it would allow none.
  const isOpen = ![undefined, false, true].includes(schema['additionalProperties'] as boolean | undefined)
  if (isOpen || (!isJsonObject(schema['properties']) && schema['additionalProperties'] !== false)) {
    throw new UnboundSchemaError()
  }
  return { ...bound, additionalProperties: false }
}

function bindWord(word: string, value: unknown, bound: JsonObject, depth: number): void {
  switch (word) {
    case 'properties':
    case '$defs':
    case 'definitions':
      if (!isJsonObject(value)) throw new UnboundSchemaError()
      bound[word] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, bind(inner, depth)]))
      break
    case 'items':
      bound[word] = bind(value, depth)
      break
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      if (!Array.isArray(value)) throw new UnboundSchemaError()
      bound[word === 'oneOf' ? 'anyOf' : word] = value.map(inner => bind(inner, depth))
      break
    case 'required':
      bound[word] = value
      break
    case '$ref':
      if (typeof value !== 'string' || !value.startsWith('#/')) throw new UnboundSchemaError()
      bound[word] = value
      break
    case 'additionalProperties':
      break
    default:
      throw new UnboundSchemaError()
  }
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isJsonObject(properties)
}

/** No real schema of an answer is deeper than this. */
const maxDepth = 100

function isRecursive(root: JsonObject): boolean {
  const followed = new Map<string, 'open' | 'done'>([['#', 'open']])
  const reaches = (schema: unknown, depth: number): boolean => {
    if (depth > maxDepth) return true
    if (Array.isArray(schema)) return schema.some(inner => reaches(inner, depth + 1))
    if (!isJsonObject(schema)) return false
    const { $ref, $defs: _, definitions: __, ...rest } = schema
    return (typeof $ref === 'string' && follows($ref, schema, depth)) || reaches(Object.values(rest), depth + 1)
  }
  const follows = ($ref: string, schema: JsonObject, depth: number): boolean => {
    const state = followed.get($ref)
    if (state !== undefined) return state === 'open'
    followed.set($ref, 'open')
    if (reaches(resolve(schema, root), depth + 1)) return true
    followed.set($ref, 'done')
    return false
  }
  return reaches(root, 0)
}

/** What makes a binding schema expensive for the provider: optional properties, and unions of types. */
export function schemaCosts(schema: unknown): { optional: number; unions: number } {
  const costs = { optional: 0, unions: 0 }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isJsonObject(value)) return
    const required = new Set(listIn(value['required']))
    costs.optional += Object.keys(objectIn(value['properties'])).filter(name => !required.has(name)).length
    if (Array.isArray(value['anyOf']) || Array.isArray(value['type'])) costs.unions++
    Object.values(value).forEach(visit)
  }
  visit(schema)
  return costs
}

function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
