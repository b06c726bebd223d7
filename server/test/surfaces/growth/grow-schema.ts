// Walks a JSON Schema: a small value of it, and for each array, map and string in it, wherever it stands, values that
// are as large as one wants.

import type { JsonObject } from '../../../src/domain/json-object.ts'
import { maxNames } from '../../../src/http/read-body.ts'

export interface Growing {
  /** Where in the value: `messages[].content`. */
  place: string
  /** A value of about that many small parts. */
  make(parts: number): unknown
  /** Of maps: the most names that a request may have. */
  maxParts?: number
}

type Schema = JsonObject

/** Less than a request may have, since the object has others. */
const mostNames = maxNames - 100
/** Schemas that contain themselves are walked that deep. */
const maxDepth = 9
const charactersPerPart = 8
const word = 'some words 1234, '

const asSchema = (value: unknown): Schema => (typeof value === 'object' && value !== null ? (value as Schema) : {})
const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.map(asSchema) : [])

export class SchemaWalk {
  readonly #document: JsonObject

  constructor(document: JsonObject) {
    this.#document = document
  }

  /** All alternatives of a schema, each without choices at its top. */
  #alternatives(given: Schema): Schema[] {
    const schema = this.#resolve(given)
    const options = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
    const { anyOf: _any, oneOf: _one, allOf, ...rest } = schema
    const base = listOf(allOf).reduce((merged, part) => merge(merged, this.#resolve(part)), rest)
    if (options.length === 0) return [base]
    return options.flatMap(option => this.#alternatives(option).map(one => merge(base, one)))
  }

  #resolve(schema: Schema): Schema {
    const reference = schema['$ref']
    if (typeof reference !== 'string') return schema
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((value, name) => asSchema(value)[name], this.#document)
    return this.#resolve(asSchema(found))
  }

  small(given: Schema, depth = 0): unknown {
    const schema = this.#alternatives(given).find(one => typeOf(one) !== 'null') ?? {}
    if ('const' in schema) return schema['const']
    const words = schema['enum']
    if (Array.isArray(words)) return words.find(one => one !== null) ?? null
    switch (typeOf(schema)) {
      case 'string':
        return smallText(schema)
      case 'integer':
      case 'number':
        return Math.max(1, Number(schema['minimum'] ?? 1))
      case 'boolean':
        return true
      case 'array':
        return depth > maxDepth ? [] : [this.small(asSchema(schema['items']), depth + 1)]
      case 'object':
        return this.#object(schema, {}, depth)
      default:
        return 'a'
    }
  }

  /** With the required members, and the given ones. */
  #object(schema: Schema, given: JsonObject, depth = 0): JsonObject {
    const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
    const properties = asSchema(schema['properties'])
    const members = required.map(name => [name, this.small(asSchema(properties[name]), depth + 1)])
    return { ...Object.fromEntries(members), ...given }
  }

  *grow(given: Schema, place = '', depth = 0): Generator<Growing> {
    if (depth > maxDepth) return
    for (const [index, schema] of this.#alternatives(given).entries()) {
      if ('const' in schema || 'enum' in schema) continue
      const at = index === 0 ? place : `${place}|${index}`
      const type = typeOf(schema)
      if (type === 'string') yield { place: at, make: parts => longText(schema, parts) }
      else if (type === 'array') yield* this.#growArray(schema, at, depth)
      else if (type === 'object') yield* this.#growObject(schema, at, depth)
      else if (type === undefined) yield { place: at, maxParts: mostNames, make: parts => numbered(parts) }
    }
  }

  *#growArray(schema: Schema, place: string, depth: number): Generator<Growing> {
    const items = asSchema(schema['items'])
    for (const [index, alternative] of this.#alternatives(items).entries()) {
      if (typeOf(alternative) === 'null') continue
      const item = JSON.stringify(this.small(alternative, depth))
      yield {
        place: `${place}[${index}]`,
        make: parts => Array.from({ length: parts }, (_, at) => distinct(JSON.parse(item), at)),
      }
    }
    for (const inner of this.grow(items, `${place}[]`, depth + 1)) {
      yield { ...inner, make: parts => [inner.make(parts)] }
    }
  }

  *#growObject(schema: Schema, place: string, depth: number): Generator<Growing> {
    if (schema['additionalProperties'] !== false) {
      yield { place: `${place}{}`, maxParts: mostNames, make: parts => this.#object(schema, numbered(parts), depth) }
    }
    for (const [name, property] of Object.entries(asSchema(schema['properties']))) {
      for (const inner of this.grow(asSchema(property), `${place}.${name}`, depth + 1)) {
        yield { ...inner, make: parts => this.#object(schema, { [name]: inner.make(parts) }, depth) }
      }
    }
  }
}

function typeOf(schema: Schema): string | undefined {
  const type = schema['type']
  if (Array.isArray(type)) return (type as string[]).find(one => one !== 'null')
  if (typeof type === 'string') return type
  if (schema['properties'] !== undefined) return 'object'
  return schema['items'] === undefined ? undefined : 'array'
}

function merge(base: Schema, more: Schema): Schema {
  const properties = { ...asSchema(base['properties']), ...asSchema(more['properties']) }
  const required = [base['required'], more['required']].flatMap(list => (Array.isArray(list) ? list : []))
  return { ...base, ...more, ...(Object.keys(properties).length === 0 ? {} : { properties }), required }
}

function smallText(schema: Schema): string {
  const examples: Record<string, string> = {
    uuid: '00000000-0000-4000-8000-000000000000',
    email: 'zoe@example.com',
    uri: 'https://example.com/a',
    'date-time': '2026-01-01T00:00:00.000Z',
    date: '2026-01-01',
  }
  return examples[String(schema['format'])] ?? 'a'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)))
}

function longText({ maxLength }: Schema, parts: number): string {
  const length = Math.min(parts * charactersPerPart, Number(maxLength ?? Number.POSITIVE_INFINITY))
  return word.repeat(Math.ceil(length / word.length)).slice(0, length)
}

function numbered(parts: number): JsonObject {
  return Object.fromEntries(Array.from({ length: parts }, (_, at) => [`x${at}`, `v${at}`]))
}

/** Names and ids of items differ, as those of a client do. */
function distinct(item: unknown, at: number): unknown {
  if (typeof item !== 'object' || item === null) return item
  for (const name of ['id', 'name', 'call_id', 'tool_use_id', 'tool_call_id']) {
    if (typeof (item as JsonObject)[name] === 'string') (item as JsonObject)[name] = `a${at}`
  }
  return item
}
