// Projects made from the schema that editors read, by a random generator with a seed. What the schema cannot say, such
// as which models there are, is in a table of its own.
import fc from 'fast-check'

export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  propertyNames?: { pattern?: string }
  required?: string[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
}

const models = ['openai/gpt-4o-mini', 'openai/gpt-4.1']
const awkward = ['yes', '1e3', 'null', '~', '- a', 'a: b', '#', '*a', '!!str', `\u2028`, 'a\nb', '"', "'", '{{', '0x1']
const origins = fc.webUrl().map(url => new URL(url).origin)
const hooks = ['https://8.8.8.8/hook', 'https://8.8.4.4/hook', 'https://8.8.8.8:8443/Ü']

/** By the name of the field. */
const known: Record<string, fc.Arbitrary<unknown>> = {
  $schema: fc.constant('https://llm.example.com/schemas/project-v1.json'),
  provider_model: fc.constantFrom(null, ...models),
  model: fc.constantFrom(...models),
  allowed_models: fc.constantFrom(null, models, models.slice(1)),
  cors_origins: fc.uniqueArray(origins, { maxLength: 3 }),
  recogniser_url: fc.constant(null),
  url: fc.constantFrom(...hooks),
  secret: fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map(bytes => `whsec_${Buffer.from(bytes).toString('base64')}`),
  patterns: fc.subarray(['[0-9]{4}', 'T-[A-Z]+', 'a|b', '\\d{3}\\.x'], { minLength: 1 }),
  response_format: fc.constant({ type: 'json_object' }),
  tools: fc.constant([{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }]),
  variables: fc.dictionary(
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
    fc.oneof(
      fc.record({ type: fc.constant('string'), max_length: fc.integer({ min: 1, max: 9 }), required: fc.boolean() }),
      fc.record({ type: fc.constant('number'), required: fc.boolean() }),
      fc.record({ type: fc.constant('enum'), values: fc.constant(['a', 'b: c']), required: fc.boolean() }),
    ),
    { maxKeys: 3, noNullPrototype: true },
  ),
}
/** They stand for values of the kind; the maxima of the schema are held by other tests. */
const longest = { items: 4, characters: 40 }

/** `name`: of the field that has the value. */
export function arbitraryOf(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  const special = known[name]
  if (special !== undefined) return special
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const types = [schema.type ?? []].flat()
  return fc.oneof(...types.map(type => ofType(type, schema)))
}

function ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1_000_000 } = schema
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: minimum, max: Math.max(minimum, maximum) })
  if (type === 'number') return fc.integer({ min: 1, max: 2000 }).map(number => number / 1000)
  if (type === 'string') return textOf(schema)
  if (type === 'array') return listOf(schema)
  return objectOf(schema)
}

function textOf({ minLength = 1, maxLength = longest.characters, pattern }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const length = { minLength, maxLength: Math.min(maxLength, longest.characters) }
  const text = fc.oneof(fc.string({ unit: 'grapheme', ...length }), fc.constantFrom(...awkward))
  // Names are trimmed, and blank terms refused; half a reference to a variable of the environment stays a text.
  return text.map(one => one.replace(/[\p{Cc}\p{Zs}]/gu, '_').trim()).filter(one => one.length >= minLength)
}

function listOf({ items = {}, minItems = 0, maxItems = longest.items }: JsonSchema): fc.Arbitrary<unknown[]> {
  const length = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(minItems, longest.items)) }
  const selector = (one: unknown) => keyOf(one)
  return fc.uniqueArray(arbitraryOf(items), { ...length, selector })
}

/** By which no two of a list may be the same. */
function keyOf(one: unknown): unknown {
  if (typeof one !== 'object' || one === null) return one
  const fields = one as Record<string, unknown>
  return fields['name'] ?? fields['url'] ?? fields['uid'] ?? fields['period'] ?? fields['model'] ?? JSON.stringify(one)
}

function objectOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, arbitraryOf(schema, name)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true })
}
