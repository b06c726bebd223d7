// Fits a JSON Schema to what Anthropic takes: any for the arguments of a tool as long as its root is an object, few words
// of the language where answers are bound to it. What cannot be said there is said in the descriptions, or not at all.

import { isJsonObject, type JsonObject } from '../../../domain/json-object.ts'

/** For a tool. The root is one object, whatever the client made it of. */
export function argumentsSchema(schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return { type: 'object', properties: {} }
  const root = rootTarget(schema)
  const { anyOf, oneOf, allOf, ...rest } = root
  const variants = [anyOf, oneOf, allOf].flatMap(list => (Array.isArray(list) ? list.filter(isJsonObject) : []))
  if (variants.length === 0) return { ...rest, type: 'object' }
  // Many variants may point to one schema: it is read once.
  const valuesOf = (word: string) => new Set(variants.map(variant => wordOf(variant, word, schema)))
  const properties = { ...objectIn(rest['properties']) }
  for (const more of valuesOf('properties')) Object.assign(properties, objectIn(more))
  // What only some of the branches need is needed by none.
  const needed = [rest['required'], ...(Array.isArray(allOf) ? valuesOf('required') : [])]
  const required = [...new Set(needed.flatMap(listIn))]
  return { ...rest, type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

/** A root that only points elsewhere in the same schema is what it points to. */
function rootTarget(schema: JsonObject): JsonObject {
  const target = resolve(schema, schema)
  if (target === null) return schema
  const { $ref: _, ...rest } = schema
  return { ...rest, ...target }
}

/** What stands under a word of a schema, or of the one that it points to. */
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
/** Bounds that are only told, because nothing holds the model to them. */
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

/** For an answer that is bound to it. Null where its meaning would be lost. */
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
  const told: string[] = []
  for (const [word, value] of Object.entries(schema)) {
    if (annotations.has(word)) bound[word] = value
    else if (word === 'format' && formats.has(String(value))) bound[word] = value
    else if (bounds.has(word)) told.push(`${word}: ${JSON.stringify(value)}`)
    else if (!ignored.has(word)) bindWord(word, value, bound, depth + 1)
  }
  if (told.length > 0) bound['description'] = [bound['description'] ?? [], `{${told.join(', ')}}`].flat().join('\n')
  if (!isObjectSchema(schema)) return bound
  // Without named properties anything was welcome, and nothing would be.
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

/** Deeper than this nobody describes an answer. */
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

/** What makes a binding schema costly to the provider: properties that may be absent, and choices between kinds. */
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
